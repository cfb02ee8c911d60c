// The line between two parts of the page, which is dragged or moved with arrow keys.

const KEPT = "split";
const [LEAST, MOST, USUAL, STEP] = [25, 70, 50, 2];

/** Lets a separator set `--split`, the share of its parent's width that lies to its left, in per cent. */
export function split(separator) {
  const root = separator.parentElement;
  const set = (value, keep = true) => {
    const share = Math.min(MOST, Math.max(LEAST, value));
    root.style.setProperty("--split", `${share}%`);
    separator.setAttribute("aria-valuenow", String(Math.round(share)));
    if (keep) try { localStorage.setItem(KEPT, String(share)); } catch { /* it lasts as long as the page */ }
  };
  const now = () => Number(separator.getAttribute("aria-valuenow"));
  separator.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    separator.setPointerCapture(event.pointerId);
  });
  separator.addEventListener("pointermove", (event) => {
    if (!separator.hasPointerCapture(event.pointerId)) return;
    const { left, width } = root.getBoundingClientRect();
    set(((event.clientX - left) / width) * 100);
  });
  separator.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowLeft") set(now() - STEP);
    if (key === "ArrowRight") set(now() + STEP);
  });
  separator.addEventListener("dblclick", () => set(USUAL));
  let kept = USUAL;
  try { kept = Number(localStorage.getItem(KEPT) ?? USUAL) || USUAL; } catch { /* as usual */ }
  set(kept, false);
}
