"use strict";
const { texts, shots } = JSON.parse(document.getElementById("game").textContent);
const find = (id) => document.getElementById(id);
const sites = [...document.querySelectorAll(".player .site")].map((site) => ({
  title: site.querySelector("title"), content: site.querySelector(".content"), shown: null,
}));
// Each shot says only what differs from the one before.
const full = [];
for (const shot of shots) {
  const now = full.length ? full[full.length - 1].slice() : [];
  for (const [site, content, words] of shot.sites) now[site] = [content, words];
  full.push(now);
}
const moves = [...document.querySelectorAll(".player li button")];
let at = 0;
let timer = null;
function show(n) {
  at = Math.max(0, Math.min(shots.length - 1, n));
  sites.forEach((site, index) => {
    const next = full[at][index];
    if (site.shown === next) return;
    site.shown = next;
    site.content.innerHTML = texts[next[0]];
    site.title.textContent = texts[next[1]];
  });
  find("caption").textContent = shots[at].caption.join("\n");
  find("at").value = at;
  find("at").setAttribute("aria-valuetext", shots[at].caption[0] || "");
  moves.forEach((button) => {
    if (Number(button.dataset.shot) !== at) return button.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    const list = button.closest("ol");
    list.scrollTop = button.offsetTop - list.clientHeight / 2;
  });
}
function pause() {
  clearInterval(timer);
  timer = null;
  find("play").textContent = "play";
  find("play").setAttribute("aria-label", "Play");
}
function play() {
  if (timer) return pause();
  if (at === shots.length - 1) show(0);
  timer = setInterval(() => (at < shots.length - 1 ? show(at + 1) : pause()), 900);
  find("play").textContent = "pause";
  find("play").setAttribute("aria-label", "Pause");
}
const go = (n) => { pause(); show(n); };
find("first").onclick = () => go(0);
find("back").onclick = () => go(at - 1);
find("on").onclick = () => go(at + 1);
find("last").onclick = () => go(shots.length - 1);
find("play").onclick = play;
find("at").oninput = (event) => go(Number(event.target.value));
moves.forEach((button) => { button.onclick = () => go(Number(button.dataset.shot)); });
// On a page of its own all keys are for the game.
const keys = document.body.dataset.keys ? document : document.querySelector(".player");
keys.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT") return;
  const does = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(shots.length - 1) };
  if (event.key === " " && event.target.tagName !== "BUTTON") does[" "] = play;
  if (!does[event.key]) return;
  event.preventDefault();
  does[event.key]();
});
show(0);
