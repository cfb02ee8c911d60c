// The board, what is chosen on it or below it, and the moves that are played by it.
import { byId, element, get, post, say, theme, trouble } from "./api.js";
import { Board, piece } from "./board.js";
import { game } from "./game.js";
import { explain, unexplained } from "./refusal.js";
import { idle, prompt } from "./words.js";

/** The parts of a move chosen so far, and what can be chosen next. */
let picked = [];
let choices = null;
let hint = null;
let drawn = "";

const board = new Board(byId("board"), (name) => take({ site: name }),
  (name) => { byId("prompt").textContent = `${name}: touch it once more to choose it.`; });

// Choosing

/** A click on a board that has changed since, as the second of two, is none. */
function take(choice) {
  const seen = game.view?.version;
  return game.guarded(() => (game.view.version === seen ? choose(choice) : undefined));
}

async function choose(pick) {
  const nothing = idle();
  if (nothing) return explain({ plain: nothing });
  const name = pick.site ?? pick.name;
  const open = pick.site !== undefined ? choices.sites : choices.names;
  if (!open.includes(name)) {
    const again = picked.length > 0 && picked.at(-1).site === name;
    if (again) return forget();
    if (picked.length > 0 && game.view.choices.sites.includes(name)) picked = [];
  }
  // One question: it is answered with the next choices, or with the game after the move.
  const next = await post(game.path("moves"), { picked: [...picked, pick], version: game.view.version });
  if (next.version !== undefined) return game.answered(next, true);
  if (next.refused !== undefined) return explain(next.why ?? {});
  picked = next.picked;
  choices = next;
  unexplained();
  mark();
}

function forget() {
  picked = [];
  choices = game.view.choices;
  unexplained();
  mark();
}

async function type(event) {
  event.preventDefault();
  const field = byId("move");
  const text = field.value.trim();
  if (!text) return;
  if (!game.isMine) return explain({ sentence: prompt(picked, choices) });
  field.value = "";
  try {
    game.answered(await post(game.path("moves"), { move: text, version: game.view.version }), true);
  } catch (error) {
    // A move that is refused can be mended.
    field.value ||= text;
    throw error;
  }
}

async function showHint() {
  const seen = game.view.version;
  byId("hint").disabled = true;
  unexplained();
  try {
    const told = await post(game.path("hint"));
    if (game.view.version !== seen || game.elsewhere) return;
    hint = told.sites;
    mark();
    byId("prompt").textContent = `A program would play ${told.move}${told.search ? `, by ${told.search}` : ""}.`;
  } catch (error) {
    explain({ sentence: trouble(error) });
  } finally {
    showTurn();
  }
}

// Showing

async function draw() {
  const { view, elsewhere } = game;
  if (elsewhere) {
    drawn = "";
    board.draw(elsewhere.board, elsewhere.sheets[theme()]);
    return mark();
  }
  const sheet = view.game.sheets[theme()];
  const wanted = game.path(`board.svg?ply=${game.ply}&v=${view.version}`);
  if (`${wanted}${theme()}` !== drawn) {
    drawn = `${wanted}${theme()}`;
    try {
      const picture = game.looking === null ? view.board : await get(wanted);
      if (drawn !== `${wanted}${theme()}`) return;
      board.draw(picture, sheet);
    } catch (error) {
      drawn = "";
      say(byId("trouble"), trouble(error));
    }
  }
  mark();
}

/** What each choice would do, by the site to point at or by name. */
function effects() {
  const bySite = new Map();
  const byName = new Map();
  for (const { site, name, changes } of choices?.effects ?? []) {
    const after = changes.map(([where, number]) => [where, number === null ? "" : choices.pieces[number]]);
    if (site !== undefined) bySite.set(site, after);
    else byName.set(name, after);
  }
  for (const { name, at } of choices?.named ?? []) if (at && byName.has(name)) bySite.set(at, byName.get(name));
  return { bySite, byName };
}

/** A button for what has no place of its own on the board. */
function button({ name, piece: leads }, ghost) {
  const content = [name.replaceAll("_", " ")];
  if (leads?.picture !== undefined && leads?.picture !== null) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", `ludwright ${theme()} sign`);
    svg.setAttribute("viewBox", "-24 -24 48 48");
    svg.setAttribute("aria-hidden", "true");
    svg.append(piece(choices.pieces[leads.picture], { x: 0, y: 0 }));
    content.splice(0, 1, svg, leads.kind ?? name);
  }
  const shown = () => board.ghost(ghost);
  const hidden = () => board.ghost(null);
  return element("button", { type: "button", "data-name": name, onclick: () => take({ name }),
    onpointerenter: shown, onfocus: shown, onpointerleave: hidden, onblur: hidden }, ...content);
}

function mark() {
  const { view, looking, elsewhere } = game;
  const mine = game.isMine && choices;
  const { bySite, byName } = mine ? effects() : {};
  board.mark({
    open: mine ? choices.sites : [],
    chosen: elsewhere ? [] : picked.map((pick) => pick.site).filter(Boolean),
    hint: hint && looking === null && !elsewhere ? hint : [],
    first: picked.length === 0,
    effects: mine ? bySite : new Map(),
  });
  const names = mine ? choices.named.filter(({ at }) => !at) : [];
  say(byId("names"), ...names.map((one) => button(one, byName.get(one.name))));
  if (picked.length > 0 && !elsewhere) {
    byId("names").append(element("button", { type: "button", class: "quiet", onclick: forget }, "Back"));
    byId("names").hidden = false;
  }
  if (elsewhere) {
    const back = () => { game.lookAt(view.now); board.focus(); };
    say(byId("names"), element("button", { type: "button", id: "to-game", onclick: back }, "Back to the game"));
  }
  byId("prompt").textContent = prompt(picked, choices);
  // What is shown now: programs that drive the page wait for it.
  byId("game").dataset.shown = `${view.version}.${game.ply}.${picked.length}`;
}

/** What can only be done where it is this browser's turn. */
function showTurn() {
  for (const act of ["hint", "move", "play"]) byId(act).disabled = !game.isMine;
}

game.on("shown", () => {
  picked = [];
  choices = game.view.choices;
  hint = null;
});
game.on("looked", () => {
  showTurn();
  draw();
});
byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  game.guarded(() => type(event));
});
byId("hint").addEventListener("click", showHint);
document.addEventListener("theme", () => { if (game.view) draw(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && picked.length > 0) forget();
});
