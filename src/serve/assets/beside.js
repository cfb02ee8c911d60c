// What may stand beside the board: how the game is played, and the text of its rules.
import { byId, element, post } from "./api.js";
import { agreedIn } from "./clock.js";
import { game } from "./game.js";
import { repaint, teach } from "./lesson.js";
import { explainWith } from "./refusal.js";
import { split } from "./split.js";

let editor = null;

/** Games whose rules this browser has shown. */
const known = {
  has(title) { try { return JSON.parse(localStorage.getItem("known") ?? "[]").includes(title); } catch { return true; } },
  add(title) {
    if (this.has(title)) return;
    try { localStorage.setItem("known", JSON.stringify([...JSON.parse(localStorage.getItem("known") ?? "[]"), title].slice(-200))); } catch { /* it is shown again */ }
  },
};

/** The room is taken at once, so that the board does not move when the rules come. */
async function openLesson() {
  const root = byId("lesson");
  root.hidden = false;
  byId("game").classList.add("with-lesson");
  byId("how").setAttribute("aria-expanded", "true");
  if (root.dataset.of === game.view.rules_hash) return;
  const rules = game.view.rules_hash;
  root.replaceChildren(element("h2", {}, "How to play"));
  root.setAttribute("aria-busy", "true");
  try {
    await teach(root, game.id);
    root.dataset.of = rules;
    known.add(game.view.game.title);
  } catch (error) {
    closeLesson();
    throw error;
  } finally {
    root.removeAttribute("aria-busy");
  }
}

function closeLesson() {
  byId("lesson").hidden = true;
  byId("game").classList.remove("with-lesson");
  byId("how").setAttribute("aria-expanded", "false");
}

/** Beside a new game that this browser has not played, where there is room, the rules are open. */
export async function greet() {
  const { view } = game;
  if (view.now > 0 || known.has(view.game.title) || location.hash === "#rules" || !matchMedia("(min-width: 70rem)").matches) return;
  await openLesson();
}

export async function openEditor(place) {
  if (!editor) {
    const { Editor } = await import("./editor.js");
    editor = new Editor(byId("editor"), { play: playText, show: (position, words) => game.lookElsewhere(position, words) });
    split(byId("divider"));
  }
  if (editor.session !== game.id) await editor.open(game.id, game.view.game);
  closeLesson();
  byId("editor").hidden = false;
  byId("divider").hidden = false;
  byId("game").classList.add("with-editor");
  byId("edit").setAttribute("aria-expanded", "true");
  // On a narrow screen it lies below.
  byId("editor").scrollIntoView({ block: "nearest" });
  if (place?.line) editor.goTo(place);
}

function closeEditor() {
  byId("editor").hidden = true;
  byId("divider").hidden = true;
  if (game.elsewhere) game.lookAt(game.view.now);
  byId("game").classList.remove("with-editor");
  byId("edit").setAttribute("aria-expanded", "false");
}

/** The editor goes on beside the next game. */
export async function renewEditor(next) {
  if (editor) await editor.renew(next.id, next.game);
}

/** Begins a game by other rules, beside the same text. */
async function playText(text) {
  const seats = game.view?.seats ?? [], clock = agreedIn(game.view);
  let next;
  try {
    next = await post("sessions", { text, seats, clock });
  } catch (error) {
    // Other rules may have fewer seats.
    if (error.code !== "bad_seat") throw error;
    next = await post("sessions", { text, clock });
  }
  game.enter(next);
  editor.session = next.id;
}

explainWith(openEditor);
game.on("entered", closeLesson);
document.addEventListener("theme", () => { if (game.view) repaint(byId("lesson")); });
byId("how").addEventListener("click", () => game.attempt(async () => {
  if (!byId("lesson").hidden) return closeLesson();
  await openLesson();
  byId("lesson").scrollIntoView({ block: "nearest" });
  byId("lesson").focus({ preventScroll: true });
}));
byId("edit").addEventListener("click", async () => {
  if (!byId("editor").hidden) return closeEditor();
  // Who came by keys goes on by keys; on a screen that is touched a keyboard would cover the text.
  const byKeys = byId("edit").matches(":focus-visible");
  await game.attempt(openEditor);
  if (byKeys && !byId("editor").hidden) byId("text").focus();
});
