// A game being played: the board, who is to move, and what has happened.
import { byId, element, get, post, recent, say, theme, trouble } from "./api.js";
import { Board } from "./board.js";
import { setUp } from "./setup.js";

const PROGRAMS = ["human", "easy", "medium", "hard", "random"];

let id = location.pathname.split("/").pop();
let view = null;
/** The parts of a move chosen so far, and what can be chosen next. */
let picked = [];
let choices = null;
/** The ply that is looked at; none for the present one. */
let looking = null;
let hint = null;
let busy = false;
let editor = null;
let drawn = "";
let shownMoves = [];

const board = new Board(byId("board"), (name) => guarded(() => choose({ site: name })));
const path = (rest) => `sessions/${id}/${rest}`;
const isMine = () => view && !view.over && view.decider === "human" && looking === null;
const playerOf = (seat) => view.players[seat]?.name ?? "";

/** Does one thing after the other, and says what goes wrong. */
async function guarded(work) {
  if (busy || !view) return;
  busy = true;
  try {
    await work();
  } catch (error) {
    if (error.code === "stale") await refresh();
    else explain(error.detail?.sentence ? error.detail : { sentence: trouble(error) });
  } finally {
    busy = false;
  }
}

async function refresh() {
  show(await get(`sessions/${id}`));
}

// Choosing

async function choose(pick) {
  if (looking !== null) return explain({ sentence: "This is a position of the past." });
  if (view.over) return explain({ sentence: `The game is over: ${view.result}` });
  if (view.chance) return explain({ sentence: "Chance decides now." });
  if (!isMine()) return explain({ sentence: `It is the turn of ${playerOf(view.to_move)}, which ${view.decider} plays.` });
  const name = pick.site ?? pick.name;
  const open = pick.site !== undefined ? choices.sites : choices.names;
  if (!open.includes(name)) {
    const again = picked.length > 0 && picked.at(-1).site === name;
    if (again) return forget();
    if (picked.length > 0 && view.choices.sites.includes(name)) {
      picked = [];
    } else {
      explain(await post(path("why"), { picked: [...picked, pick] }));
      return;
    }
  }
  const next = await post(path("choices"), { picked: [...picked, pick] });
  if (next?.index !== undefined) {
    await play({ index: next.index });
    return;
  }
  picked = next.picked;
  choices = next;
  say(byId("why"));
  mark();
}

function forget() {
  picked = [];
  choices = view.choices;
  say(byId("why"));
  mark();
}

async function play(move) {
  show(await post(path("moves"), { ...move, version: view.version }));
}

/** Why something cannot be done, with the line of the rules that says so. */
function explain({ sentence, clause, values }) {
  const parts = [element("p", {}, sentence)];
  if (clause) {
    const open = () => openEditor(clause);
    parts.push(
      element("p", {}, element("button", { type: "button", class: "line", onclick: open }, `line ${clause.line}`), " ",
        element("code", {}, clause.text)),
    );
  }
  const told = (values ?? []).slice(0, 6).map(({ text, value }) => element("li", {}, `${text} is ${JSON.stringify(value)}`));
  if (told.length > 0) parts.push(element("ul", {}, ...told));
  say(byId("why"), ...parts);
  byId("why").scrollIntoView({ block: "nearest" });
}

// Showing

function show(next) {
  view = next;
  picked = [];
  choices = view.choices;
  looking = null;
  hint = null;
  say(byId("why"));
  say(byId("trouble"));
  const title = view.game.title || "A game";
  document.title = `${title} - Ludwright`;
  byId("title").textContent = title;
  const by = [view.game.author, view.game.year].filter(Boolean).join(", ");
  byId("origin").textContent = [by, view.game.ruleset].filter(Boolean).join(" · ");
  byId("about").replaceChildren(
    ...[view.game.summary, view.game.source].filter(Boolean).map((text) => element("p", {}, text)),
  );
  byId("record").setAttribute("href", `/api/${path("record")}`);
  recent.add(id, title);
  showPlayers();
  showMoves();
  byId("undo").disabled = view.now === 0 && view.resigned === null;
  byId("redo").disabled = view.now === view.moves.length || view.over && view.resigned !== null;
  byId("resign").disabled = view.over || !view.seats.includes("human");
  byId("hint").disabled = view.over || view.decider !== "human";
  byId("move").disabled = byId("hint").disabled;
  draw();
}

async function draw() {
  const ply = looking ?? view.now;
  const wanted = `${path("board.svg")}?ply=${ply}&theme=${theme()}&v=${view.version}`;
  if (wanted !== drawn) {
    drawn = wanted;
    try {
      const picture = await get(wanted);
      if (drawn !== wanted) return;
      board.draw(picture);
    } catch (error) {
      drawn = "";
      say(byId("trouble"), trouble(error));
    }
  }
  mark();
}

function mark() {
  const mine = isMine() && choices;
  board.mark({
    open: mine ? choices.sites : [],
    chosen: picked.map((pick) => pick.site).filter(Boolean),
    hint: hint && looking === null ? hint : [],
    first: picked.length === 0,
  });
  const names = mine ? choices.names : [];
  say(byId("names"), ...names.map((name) =>
    element("button", { type: "button", "data-name": name, onclick: () => guarded(() => choose({ name })) }, name)));
  if (picked.length > 0) {
    byId("names").append(element("button", { type: "button", class: "quiet", onclick: forget }, "Back"));
    byId("names").hidden = false;
  }
  byId("prompt").textContent = prompt();
  // What is shown now: programs that drive the page wait for it.
  byId("game").dataset.shown = `${view.version}.${looking ?? view.now}.${picked.length}`;
}

function prompt() {
  if (looking !== null) {
    const move = looking === 0 ? "the start" : `${view.movers[looking - 1]} played ${view.moves[looking - 1]}`;
    return `Looking back at ply ${looking}: ${move}.`;
  }
  if (view.over) return `The game is over: ${view.result}.`;
  const last = view.now > 0 ? `${view.movers[view.now - 1]} played ${view.moves[view.now - 1]}. ` : "";
  const mover = view.position.mover ?? playerOf(view.to_move);
  if (view.chance) return `${last}Chance decides for ${mover}.`;
  if (!isMine()) return `${last}${mover} to move (${view.decider}).`;
  if (picked.length > 0) {
    const parts = picked.map((pick) => pick.site ?? pick.name).join(", ");
    const rest = choices.sites.length > 0 ? "choose a site" : "choose below";
    return `${mover} has chosen ${parts}: ${rest}.`;
  }
  return `${last}${mover} to move.`;
}

function showPlayers() {
  const scores = view.position.scores ?? {};
  byId("players").replaceChildren(...view.players.map((player, seat) => {
    const sign = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    sign.setAttribute("class", `ludwright ${theme()} sign`);
    sign.setAttribute("viewBox", "-10 -10 20 20");
    sign.setAttribute("aria-hidden", "true");
    sign.innerHTML = `<g class="piece p${seat + 1}"><circle r="8"/></g>`;
    const current = view.seats[seat];
    const known = PROGRAMS.includes(current) ? PROGRAMS : [...PROGRAMS, current];
    const select = element("select", { "aria-label": `Who plays ${player.name}`, "data-seat": seat, onchange: () => sit(seat, select) },
      ...known.map((name) => element("option", { value: name, selected: name === current }, name)),
      element("option", { value: "" }, "other…"));
    const turn = view.to_move === seat;
    return element("li", { "aria-current": turn ? "true" : null, class: turn ? "turn" : "" },
      sign, element("strong", {}, player.name), select,
      element("span", { class: "score", "aria-label": "Score" }, player.name in scores ? String(scores[player.name]) : ""));
  }));
}

async function sit(seat, select) {
  let name = select.value;
  if (name === "") name = prompted("Who plays? A program with its time or rounds, such as mcts:2s, mcts:5000, alphabeta:1s, greedy");
  const seats = view.seats.map((old, place) => (place === seat && name ? name : old));
  select.value = view.seats[seat];
  await guarded(async () => show(await post(path("seats"), { seats })));
}

const prompted = (question) => window.prompt(question)?.trim();

function showMoves() {
  const list = byId("moves");
  const same = shownMoves.length <= view.moves.length && shownMoves.every((move, ply) => move === view.moves[ply]);
  if (!same) list.replaceChildren();
  for (let ply = list.childElementCount; ply < view.moves.length; ply += 1) {
    const look = () => lookAt(ply + 1);
    list.append(element("li", {}, element("button", { type: "button", onclick: look, title: view.movers[ply] }, view.moves[ply])));
  }
  shownMoves = view.moves;
  const slider = byId("slider");
  slider.max = String(view.moves.length);
  lookAt(view.now, false);
}

function lookAt(ply, redraw = true) {
  looking = ply === view.now ? null : ply;
  const slider = byId("slider");
  slider.value = String(ply);
  slider.setAttribute("aria-valuetext", ply === 0 ? "the start" : `ply ${ply}, ${view.moves[ply - 1]}`);
  byId("at").textContent = `${ply} / ${view.moves.length}`;
  byId("from-here").hidden = looking === null;
  [...byId("moves").children].forEach((item, index) => {
    item.classList.toggle("now", index + 1 === ply);
    item.classList.toggle("undone", index + 1 > view.now);
  });
  const now = byId("moves").children[ply - 1];
  if (now) byId("moves").scrollTop = now.offsetTop - byId("moves").clientHeight / 2;
  if (redraw) draw();
}

// Programs

function showThinking({ thinking, trouble: problem }) {
  const mover = view.position.mover ?? "";
  byId("thinking").hidden = !thinking;
  if (thinking) {
    byId("far").value = thinking.done;
    const per = thinking.rounds > 0 ? `${Math.round(thinking.value * 100)} % for ${mover}, ${thinking.rounds} rounds` : `${mover} thinks`;
    byId("thought").textContent = thinking.text ? `${per}: ${thinking.text}` : per;
  }
  if (problem) {
    const retry = () => guarded(async () => { await post(path("retry")); say(byId("trouble")); });
    say(byId("trouble"), `${problem} `, element("button", { type: "button", onclick: retry }, "Try again"));
  }
}

async function poll() {
  let wait = 2500;
  try {
    if (view) {
      const status = await get(path("status"));
      if (status.version !== view.version && !busy) await refresh();
      showThinking(status);
      if (status.thinking || (!view.over && view.decider !== "human")) wait = 250;
    }
  } catch (error) {
    say(byId("trouble"), trouble(error));
    wait = 3000;
  }
  setTimeout(poll, document.hidden ? 10_000 : wait);
}

async function showHint() {
  const seen = view.version;
  byId("hint").disabled = true;
  try {
    const told = await post(path("hint"));
    if (view.version !== seen) return;
    hint = told.sites;
    mark();
    byId("prompt").textContent = `A program would play ${told.move}${told.search ? `, by ${told.search}` : ""}.`;
  } catch (error) {
    explain({ sentence: trouble(error) });
  } finally {
    byId("hint").disabled = !isMine();
  }
}

// The editor

async function openEditor(place) {
  if (!editor) {
    const { Editor } = await import("./editor.js");
    editor = new Editor(byId("editor"), playText);
  }
  if (editor.session !== id) await editor.open(id, view.game);
  byId("editor").hidden = false;
  byId("game").classList.add("with-editor");
  byId("edit").setAttribute("aria-expanded", "true");
  // On a narrow screen it lies below.
  byId("editor").scrollIntoView({ block: "nearest" });
  if (place?.line) editor.goTo(place);
}

function closeEditor() {
  byId("editor").hidden = true;
  byId("game").classList.remove("with-editor");
  byId("edit").setAttribute("aria-expanded", "false");
}

/** Begins a game by other rules, beside the same text. */
async function playText(text) {
  const seats = view?.seats ?? [];
  let next;
  try {
    next = await post("sessions", { text, seats });
  } catch (error) {
    // Other rules may have fewer seats.
    if (error.code !== "bad_seat") throw error;
    next = await post("sessions", { text });
  }
  enter(next);
  editor.session = next.id;
}

function enter(next) {
  id = next.id;
  history.pushState(null, "", `/play/${id}${location.hash}`);
  byId("setup").hidden = true;
  byId("new").setAttribute("aria-expanded", "false");
  show(next);
}

// What can be pressed

byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = byId("move").value.trim();
  if (!text) return;
  guarded(async () => {
    if (!isMine()) return explain({ sentence: prompt() });
    await play({ move: text });
    byId("move").value = "";
  });
});
byId("resign").addEventListener("click", () => guarded(async () => show(await post(path("resign")))));
for (const act of ["undo", "redo"]) {
  byId(act).addEventListener("click", () => guarded(async () => show(await post(path(act), { version: view.version }))));
}
byId("from-here").addEventListener("click", () =>
  guarded(async () => show(await post(path("goto"), { ply: looking, version: view.version }))));
byId("slider").addEventListener("input", () => lookAt(Number(byId("slider").value)));
byId("stop").addEventListener("click", () => post(path("stop")).catch(() => {}));
byId("hint").addEventListener("click", showHint);
byId("copy").addEventListener("click", async () => {
  const link = `${location.origin}/play/${id}`;
  try {
    await navigator.clipboard.writeText(link);
    byId("copy").textContent = "Copied";
  } catch {
    window.prompt("The link to this game", link);
  }
  setTimeout(() => { byId("copy").textContent = "Copy link"; }, 1500);
});
byId("new").addEventListener("click", async () => {
  const form = byId("setup");
  form.hidden = !form.hidden;
  byId("new").setAttribute("aria-expanded", String(!form.hidden));
  if (!form.hidden) await guarded(() => setUp(form, id, view, enter));
});
byId("edit").addEventListener("click", async () => {
  if (!byId("editor").hidden) return closeEditor();
  // Who came by keys goes on by keys; on a screen that is touched a keyboard would cover the text.
  const byKeys = byId("edit").matches(":focus-visible");
  await guarded(openEditor);
  if (byKeys && !byId("editor").hidden) byId("text").focus();
});
document.addEventListener("theme", () => { if (view) { showPlayers(); draw(); } });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && picked.length > 0) forget();
});
addEventListener("popstate", () => location.reload());

try {
  await refresh();
  if (location.hash === "#rules") await openEditor();
} catch (error) {
  byId("title").textContent = "No game";
  say(byId("trouble"), trouble(error), " ", element("a", { href: "/" }, "All games"));
}
poll();
