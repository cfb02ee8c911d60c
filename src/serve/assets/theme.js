// Light or dark, before anything is seen: as the system has it, until a person chooses.
(() => {
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const set = () => {
    document.documentElement.dataset.theme = kept() ?? (system.matches ? "dark" : "light");
    document.dispatchEvent(new CustomEvent("theme"));
  };
  set();
  system.addEventListener("change", set);
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const name = () => {
      const next = document.documentElement.dataset.theme === "dark" ? "Light" : "Dark";
      button.textContent = next;
      button.setAttribute("aria-label", `${next} colours`);
    };
    name();
    document.addEventListener("theme", name);
    button.addEventListener("click", () => {
      const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try { localStorage.setItem("theme", next); } catch { /* it lasts as long as the page */ }
      document.documentElement.dataset.theme = next;
      document.dispatchEvent(new CustomEvent("theme"));
    });
  });
})();
