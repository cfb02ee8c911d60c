// A game being played: the board, who is to move, and what has happened.
import { byId, element, get, post, recent, say, theme, trouble } from "./api.js";
import { Board, piece } from "./board.js";
import { repaint, teach } from "./lesson.js";
import { linked } from "./link.js";
import { Live } from "./live.js";
import { seats } from "./seats.js";
import { setUp } from "./setup.js";
import { split } from "./split.js";

const PROGRAMS = ["human", "easy", "medium", "hard", "random"];

let id = location.pathname.split("/").pop();
let view = null;
/** The parts of a move chosen so far, and what can be chosen next. */
let picked = [];
let choices = null;
/** The ply that is looked at; none for the present one. */
let looking = null;
let hint = null;
/** What is being done, one thing after the other. */
let work = Promise.resolve();
let editor = null;
/** A position that is no part of this game, with what is to be said of it. */
let elsewhere = null;
let drawn = "";
let status = {};
let shownMoves = [];

const board = new Board(byId("board"), (name) => take({ site: name }),
  (name) => { byId("prompt").textContent = `${name}: touch it once more to choose it.`; });
const path = (rest) => `sessions/${id}/${rest}`;
/** Which seat this browser plays: a number as text, `watch`, or nothing for all seats of people. */
const as = () => seats.mine(id);
const isMine = () => view && !elsewhere && !view.over && view.decider === "human" && looking === null
  && (as() === "" || view.chance || as() === String(view.to_move));
const playerOf = (seat) => view.players[seat]?.name ?? "";
/** A player with the name of the person, if that is known. */
const named = (seat) => (view.names?.[seat] ? `${playerOf(seat)} (${view.names[seat]})` : playerOf(seat));
/** The newest version heard of, also of a game that is not shown yet. */
const live = new Live(({ view: next, status: now, trouble: error }) => {
  if (error) return say(byId("trouble"), trouble(error));
  if (next && next.id === id && next.version > (view?.version ?? 0)) show(next, looking !== null && next.now > 0);
  if (now && view) showStatus(now);
});
const listen = () => live.open(id, () => view?.version ?? 0, () => (/^\d+$/.test(as()) ? as() : null));

/** Does something, and says what goes wrong. */
async function attempt(task) {
  if (!view) return;
  try {
    await renewing(task);
  } catch (error) {
    explain(error.detail?.sentence ? error.detail : { sentence: trouble(error) });
  }
}

/** What was asked of a position that is no more shows the present one instead. */
async function renewing(task) {
  try {
    await task();
  } catch (error) {
    if (error.code !== "stale") throw error;
    await refresh();
  }
}

/** Does it when all that was begun before is done: news may be seen before the answer to what brought it about. */
function guarded(task) {
  work = work.then(() => attempt(task));
  return work;
}

/** Shows what a request was answered with, unless something newer has been heard meanwhile. Whoever has moved and looks back
    since, before the answer has come, stays there. */
function answered(next, moved = false) {
  const known = view?.version ?? 0;
  if (next.version >= known) show(next, moved && next.version === known && looking !== null);
}

async function refresh() {
  show(await get(`sessions/${id}`));
}

// Choosing

/** A click on a board that has changed since, as the second of two, is none. */
function take(choice) {
  const seen = view?.version;
  return guarded(() => (view.version === seen ? choose(choice) : undefined));
}

async function choose(pick) {
  if (elsewhere) return explain({ plain: "This is the position of a test. Go back to the game to play on." });
  if (looking !== null) return explain({ plain: "This is a position of the past. Go to the last move to play on." });
  if (view.over) return explain({ plain: `The game is over: ${view.result}.` });
  if (view.chance) return explain({ plain: "Chance decides now." });
  if (!isMine()) return explain({ plain: notMine() });
  const name = pick.site ?? pick.name;
  const open = pick.site !== undefined ? choices.sites : choices.names;
  if (!open.includes(name)) {
    const again = picked.length > 0 && picked.at(-1).site === name;
    if (again) return forget();
    if (picked.length > 0 && view.choices.sites.includes(name)) picked = [];
  }
  // One question: it is answered with the next choices, or with the game after the move.
  const next = await post(path("moves"), { picked: [...picked, pick], version: view.version });
  if (next.version !== undefined) return answered(next, true);
  if (next.refused !== undefined) return explain(next.why ?? {});
  picked = next.picked;
  choices = next;
  say(byId("why"));
  mark();
}

function notMine() {
  if (view.decider !== "human") return `It is the turn of ${playerOf(view.to_move)}, which ${view.decider} plays.`;
  return as() === "watch" ? "You are watching this game." : `It is the turn of ${named(view.to_move)}. You play ${playerOf(Number(as()))}.`;
}

function forget() {
  picked = [];
  choices = view.choices;
  say(byId("why"));
  mark();
}

async function play(move) {
  answered(await post(path("moves"), { ...move, version: view.version }), true);
}

/** Why something cannot be done, in a sentence; the line of the rules that says so is behind it. */
function explain({ plain, sentence, clause, values }) {
  const parts = [element("p", {}, plain ?? sentence ?? "")];
  if (clause) {
    const told = (values ?? []).slice(0, 6).map(({ text, value }) => element("li", {}, element("code", {}, text), ` is ${[value].flat().join(", ")}`));
    parts.push(element("details", {}, element("summary", {}, "Why?"),
      element("p", {}, sentence ?? ""),
      element("p", {}, element("button", { type: "button", class: "line", onclick: () => openEditor(clause) }, `line ${clause.line}`), " ",
        element("code", {}, clause.text)),
      told.length > 0 ? element("ul", {}, ...told) : null));
  }
  parts.push(element("button", { type: "button", class: "quiet close", "aria-label": "Close", onclick: () => say(byId("why")) }, "×"));
  say(byId("why"), ...parts);
  byId("why").scrollIntoView({ block: "nearest" });
}

// Showing

function show(next, keep = false) {
  if (next.id !== id) return;
  const past = keep ? looking : null;
  view = next;
  picked = [];
  choices = view.choices;
  looking = null;
  hint = null;
  elsewhere = null;
  say(byId("why"));
  say(byId("trouble"));
  const title = view.game.title || "A game";
  document.title = as() !== "" && isMine() ? `Your turn - ${title}` : `${title} - Ludwright`;
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
  const watching = as() === "watch";
  for (const act of ["undo", "redo"]) byId(act).disabled ||= watching;
  byId("resign").disabled = view.over || watching || !view.seats.includes("human");
  byId("resign").textContent = "Resign";
  showTurn();
  showSeats();
  showOver();
  showStatus(status);
  if (past !== null && past < view.moves.length) lookAt(past);
  else draw();
}

async function draw() {
  if (elsewhere) {
    drawn = "";
    board.draw(elsewhere.board, elsewhere.sheets[theme()]);
    return mark();
  }
  const ply = looking ?? view.now;
  const sheet = view.game.sheets[theme()];
  const wanted = `${path("board.svg")}?ply=${ply}&v=${view.version}`;
  if (`${wanted}${theme()}` !== drawn) {
    drawn = `${wanted}${theme()}`;
    try {
      const picture = looking === null ? view.board : await get(wanted);
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
    const drawn = changes.map(([where, number]) => [where, number === null ? "" : choices.pieces[number]]);
    if (site !== undefined) bySite.set(site, drawn);
    else byName.set(name, drawn);
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
  const mine = isMine() && choices;
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
    const back = () => { leaveElsewhere(); board.focus(); };
    say(byId("names"), element("button", { type: "button", id: "to-game", onclick: back }, "Back to the game"));
  }
  byId("prompt").textContent = prompt();
  // What is shown now: programs that drive the page wait for it.
  byId("game").dataset.shown = `${view.version}.${looking ?? view.now}.${picked.length}`;
}

/** Shows a position that is no part of the game, until something else is looked at. */
function showElsewhere(position, words) {
  elsewhere = { ...position, words };
  looking = null;
  showTurn();
  showPly(view.now);
  draw();
}

/** Goes back to the game. */
function leaveElsewhere() {
  elsewhere = null;
  showTurn();
  draw();
}

/** What can only be done where it is this browser's turn. */
function showTurn() {
  for (const act of ["hint", "move"]) byId(act).disabled = !isMine();
}

function prompt() {
  if (elsewhere) return `${elsewhere.words}.`;
  if (looking !== null) {
    const move = looking === 0 ? "the start" : `${view.movers[looking - 1]} played ${view.moves[looking - 1]}`;
    return `Looking back at ply ${looking}: ${move}.`;
  }
  if (view.over) return `The game is over: ${view.result}.`;
  const last = view.now > 0 ? `${view.movers[view.now - 1]} played ${view.moves[view.now - 1]}. ` : "";
  const mover = view.position.mover ?? playerOf(view.to_move);
  if (view.chance) return `${last}Chance decides for ${mover}.`;
  if (!isMine()) return `${last}${mover} to move (${view.decider === "human" ? view.names?.[view.to_move] || "somebody else" : view.decider}).`;
  if (picked.length > 0) {
    const parts = picked.map((pick) => pick.site ?? pick.name).join(", ");
    return `${mover} has chosen ${parts}: ${rest()}.`;
  }
  return as() === "" ? `${last}${mover} to move.` : `${last}Your turn: ${mover}.`;
}

/** What is still to be chosen. */
function rest() {
  const leads = choices.named.map((one) => one.piece);
  const one = leads[0];
  if (one && choices.named.every(({ at, piece: other }) => at && other?.kind === one.kind && other?.owner === one.owner)) {
    return `now choose where the ${one.kind}${one.owner ? ` of ${one.owner}` : ""} goes`;
  }
  if (choices.sites.length > 0) return choices.named.some(({ at }) => !at) ? "choose on the board or below" : "choose on the board";
  return "choose below";
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
    const held = holdings(player.name);
    return element("li", { "aria-current": turn ? "true" : null, class: turn ? "turn" : "" },
      sign, element("span", {}, element("strong", {}, player.name), ...whois(seat)), select,
      element("span", { class: "score", "aria-label": "Score" }, player.name in scores ? String(scores[player.name]) : ""),
      held ? element("span", { class: "held" }, held) : null);
  }));
  say(byId("counted"), view.game.score && Object.keys(scores).length > 0 ? `Score ${view.game.score}` : "");
}

/** What the rules count for a player beside the board: pieces in hand, men borne off. */
function holdings(name) {
  const own = Object.entries(view.position.state ?? {}).filter(([, values]) => values !== null && typeof values === "object" && name in values);
  return own.map(([what, values]) => `${what.replaceAll("_", " ")}: ${[values[name]].flat().join(", ")}`).join(" · ");
}

/** Who the person at a seat is, as far as this browser knows. */
function whois(seat) {
  if (view.seats[seat] !== "human") return [];
  const words = [view.names?.[seat], as() === String(seat) ? "you" : null, status.present?.includes(seat) && as() !== String(seat) ? "here" : null].filter(Boolean);
  return words.length > 0 ? [element("small", {}, ` ${words.join(", ")}`)] : [];
}

/** How the game ended, and what can be done now. */
function showOver() {
  if (!view.over) return say(byId("over"));
  const act = (name, work, kind = "") => element("button", { type: "button", class: kind, onclick: () => guarded(work) }, name);
  const people = view.seats.filter((seat) => seat === "human").length;
  const buttons = view.next
    ? [act("Go to the next game", () => follow(view.next.id, view.next.moved), "primary")]
    : [act("Rematch", () => again(false), "primary"), act(people === view.seats.length || people === 1 ? "Swap sides" : "Change seats", () => again(true))];
  say(byId("over"),
    element("p", {}, element("strong", {}, `${view.result}.`)),
    element("div", { class: "buttons" }, ...buttons,
      view.resigned === null ? act("Why?", async () => explain(await post(path("why"), {}))) : null,
      act("Look through it", async () => { say(byId("over")); lookAt(0); })),
    element("button", { type: "button", class: "quiet close", "aria-label": "Close", onclick: () => say(byId("over")) }, "×"));
}

/** Another game by the same rules; `swap` moves everybody one seat on. */
async function again(swap) {
  const next = await post(path("rematch"), { swap });
  follow(next.id, swap ? 1 : 0, next);
}

async function follow(next, by, known = null) {
  seats.goOn(id, next, by, view.seats.length);
  enter(known ?? await get(`sessions/${next}`));
}

/** Which seat this browser plays, and links for the others. */
function showSeats() {
  const people = view.players.map((player, seat) => ({ name: player.name, seat })).filter(({ seat }) => view.seats[seat] === "human");
  const choice = [["", people.length > 1 ? "all seats of people, on this screen" : "the seats of people"],
    ...people.map(({ name, seat }) => [String(seat), name]), ["watch", "nothing: only watch"]];
  const select = byId("seat");
  select.replaceChildren(...choice.map(([value, text]) => element("option", { value, selected: value === as() }, text)));
  byId("called").hidden = !/^\d+$/.test(as());
  if (document.activeElement !== byId("name")) byId("name").value = view.names?.[Number(as())] ?? "";
  const link = (text, value) => {
    const address = `${location.origin}/play/${id}?as=${value}`;
    const copy = element("button", { type: "button", "data-as": value, onclick: async () => {
      await copied(copy, address);
      // Whoever gives a seat away keeps the others; of two that is one.
      const left = people.filter(({ seat }) => String(seat) !== value);
      if (as() === "" && left.length === 1) setSeat(String(left[0].seat));
    } }, "Copy");
    return element("li", {}, element("a", { href: address, target: "_blank", rel: "noopener" }, text), copy);
  };
  byId("links").replaceChildren(...people.map(({ name, seat }) => link(`Play as ${name}`, String(seat))), link("Watch", "watch"));
}

function setSeat(value) {
  seats.take(id, value);
  listen();
  show(view);
}

async function sit(seat, select) {
  let name = select.value;
  if (name === "") name = prompted("Who plays? A program with its time or rounds, such as mcts:2s, mcts:5000, alphabeta:1s, greedy");
  const seats = view.seats.map((old, place) => (place === seat && name ? name : old));
  select.value = view.seats[seat];
  await guarded(async () => answered(await post(path("seats"), { seats })));
}

const prompted = (question) => window.prompt(question)?.trim();

function showMoves() {
  const list = byId("moves");
  const same = shownMoves.length <= view.moves.length && shownMoves.every((move, ply) => move === view.moves[ply]);
  if (!same) list.replaceChildren();
  const columns = view.players.length <= 3 && !view.movers.includes("Chance") ? view.players.length : 1;
  list.className = `moves columns-${columns}`;
  for (let ply = list.childElementCount; ply < view.moves.length; ply += 1) {
    const look = () => lookAt(ply + 1);
    const item = element("li", {}, element("button", { type: "button", onclick: look, title: view.movers[ply] }, view.moves[ply]));
    place(item, list.lastElementChild, ply, columns);
    list.append(item);
  }
  shownMoves = view.moves;
  const slider = byId("slider");
  slider.max = String(view.moves.length);
  lookAt(view.now, false);
}

/** Puts a move into the column of its player, in the row after the one before or beside it. */
function place(item, before, ply, columns) {
  const column = columns === 1 ? 0 : Math.max(0, view.players.findIndex(({ name }) => name === view.movers[ply]));
  const same = before && Number(before.dataset.column) < column;
  const row = before ? Number(before.dataset.row) + (same ? 0 : 1) : 1;
  Object.assign(item.dataset, { column, row });
  if (!same) item.dataset.number = columns === 1 ? ply + 1 : row;
  item.style.gridColumn = String(column + 2);
  item.style.gridRow = String(row);
}

function lookAt(ply, redraw = true) {
  if (elsewhere) {
    elsewhere = null;
    showTurn();
  }
  looking = ply === view.now ? null : ply;
  showPly(ply);
  if (redraw) draw();
}

/** Slider, buttons and list say where in the game the board is. */
function showPly(ply) {
  const slider = byId("slider");
  slider.value = String(ply);
  slider.setAttribute("aria-valuetext", ply === 0 ? "the start" : `ply ${ply}, ${view.moves[ply - 1]}`);
  byId("at").textContent = `${ply} / ${view.moves.length}`;
  byId("from-here").hidden = looking === null || as() === "watch";
  for (const step of ["first", "back"]) byId(step).disabled = ply === 0;
  for (const step of ["forward", "last"]) byId(step).disabled = ply === view.moves.length;
  [...byId("moves").children].forEach((item, index) => {
    item.classList.toggle("now", index + 1 === ply);
    item.classList.toggle("undone", index + 1 > view.now);
  });
  const now = byId("moves").children[ply - 1];
  if (now) byId("moves").scrollTop = now.offsetTop - byId("moves").clientHeight / 2;
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

function showStatus(now) {
  const changed = JSON.stringify(now.present) !== JSON.stringify(status.present);
  status = now;
  showThinking(now);
  if (changed) showPlayers();
  showRequest(now.request);
  showFresh(now.changed);
}

/** The file of the rules says something else than what is played here. */
function showFresh(changed) {
  if (!changed || !view?.game.name) return say(byId("fresh"));
  if (!byId("fresh").hidden) return;
  const begin = async () => {
    const next = await beginAnew();
    enter(next);
    if (editor) await editor.renew(next.id, next.game);
  };
  say(byId("fresh"), element("p", {}, "The file of these rules has changed."),
    element("div", { class: "buttons" },
      element("button", { type: "button", class: "primary", onclick: () => guarded(begin) }, "Play by the new rules")));
}

/** Begins the same game by the file as it is now, with as much of what was chosen as it still knows: there may be other
    rulesets and options, or fewer seats. */
async function beginAnew() {
  const { seats, game: { name: game } } = view;
  const ruleset = view.game.ruleset ?? undefined;
  const wishes = [{ game, seats, ruleset, options: await chosenOptions() }, { game, seats, ruleset }, { game, seats }, { game }];
  let refused = null;
  for (const wish of wishes) {
    try {
      return await post("sessions", wish);
    } catch (error) {
      if (!["bad_seat", "bad_option"].includes(error.code)) throw wrong(error);
      refused = error;
    }
  }
  throw refused;
}

/** The options of this game that are other than its ruleset has them. */
async function chosenOptions() {
  const facts = await get(path("facts"));
  const set = facts.rulesets.find(({ name }) => name === view.game.ruleset)?.options ?? {};
  const { settings } = view.game;
  const chosen = facts.options.filter((option) => String(settings[option.name]) !== String(set[option.name] ?? option.default));
  return Object.fromEntries(chosen.map(({ name }) => [name, settings[name]]));
}

/** The first mistake of a file, with its place. */
function wrong(error) {
  const first = error.detail?.[0];
  if (first) error.message = `${error.message}: line ${first.start?.line ?? "?"}: ${first.message}`;
  return error;
}

/** Somebody asks for a move back. */
function showRequest(request) {
  if (!request) return say(byId("request"));
  const answer = (yes) => guarded(async () => {
    const told = await post(path("answer"), { yes });
    if (told.moves) show(told);
  });
  const act = (name, yes, kind = "") => element("button", { type: "button", class: kind, onclick: () => answer(yes) }, name);
  if (as() === String(request.undo)) return say(byId("request"), element("p", {}, "You have asked to take your last move back."), act("Withdraw", false));
  if (as() === "watch") return say(byId("request"), element("p", {}, `${named(request.undo)} asks to take the last move back.`));
  say(byId("request"), element("p", {}, `${named(request.undo)} asks to take the last move back.`),
    element("div", { class: "buttons" }, act("Allow", true, "primary"), act("Refuse", false)));
}

async function showHint() {
  const seen = view.version;
  byId("hint").disabled = true;
  try {
    const told = await post(path("hint"));
    if (view.version !== seen || elsewhere) return;
    hint = told.sites;
    mark();
    byId("prompt").textContent = `A program would play ${told.move}${told.search ? `, by ${told.search}` : ""}.`;
  } catch (error) {
    explain({ sentence: trouble(error) });
  } finally {
    byId("hint").disabled = !isMine();
  }
}

// How it is played

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
  if (root.dataset.of === view.rules_hash) return;
  const rules = view.rules_hash;
  root.replaceChildren(element("h2", {}, "How to play"));
  root.setAttribute("aria-busy", "true");
  try {
    await teach(root, id);
    root.dataset.of = rules;
    known.add(view.game.title);
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
async function greet() {
  if (view.now > 0 || known.has(view.game.title) || location.hash === "#rules" || !matchMedia("(min-width: 70rem)").matches) return;
  await openLesson();
}

// The editor

async function openEditor(place) {
  if (!editor) {
    const { Editor } = await import("./editor.js");
    editor = new Editor(byId("editor"), { play: playText, show: showElsewhere });
    split(byId("divider"));
  }
  if (editor.session !== id) await editor.open(id, view.game);
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
  if (elsewhere) leaveElsewhere();
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
  view = null;
  listen();
  closeLesson();
  byId("setup").hidden = true;
  byId("new").setAttribute("aria-expanded", "false");
  show(next);
}

// What can be pressed

byId("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(async () => {
    const field = byId("move");
    const text = field.value.trim();
    if (!text) return;
    if (!isMine()) return explain({ sentence: prompt() });
    field.value = "";
    try {
      await play({ move: text });
    } catch (error) {
      // A move that is refused can be mended.
      field.value ||= text;
      throw error;
    }
  });
});
byId("resign").addEventListener("click", () => {
  // Asked once more, in the same place.
  if (byId("resign").textContent === "Resign") {
    byId("resign").textContent = "Really resign?";
    setTimeout(() => { byId("resign").textContent = "Resign"; }, 4000);
    return;
  }
  guarded(async () => answered(await post(path("resign"), /^\d+$/.test(as()) ? { seat: Number(as()) } : {})));
});
byId("undo").addEventListener("click", () => guarded(async () => {
  if (!/^\d+$/.test(as())) return answered(await post(path("undo"), { version: view.version }));
  const told = await post(path("request"), { undo: Number(as()) });
  if (told.moves) show(told);
  else showStatus(told);
}));
byId("redo").addEventListener("click", () => guarded(async () => answered(await post(path("redo"), { version: view.version }))));
byId("first").addEventListener("click", () => lookAt(0));
byId("back").addEventListener("click", () => lookAt((looking ?? view.now) - 1));
byId("forward").addEventListener("click", () => lookAt((looking ?? view.now) + 1));
byId("last").addEventListener("click", () => lookAt(view.moves.length));
byId("seat").addEventListener("change", () => setSeat(byId("seat").value));
byId("name").addEventListener("change", () => guarded(async () =>
  answered(await post(path("names"), { seat: Number(as()), name: byId("name").value }))));
byId("from-here").addEventListener("click", () => guarded(async () => {
  if (looking !== null) answered(await post(path("goto"), { ply: looking, version: view.version }));
}));
byId("slider").addEventListener("input", () => lookAt(Number(byId("slider").value)));
byId("stop").addEventListener("click", () => post(path("stop")).catch(() => {}));
byId("hint").addEventListener("click", showHint);
async function copied(button, link) {
  const name = button.textContent;
  try {
    await navigator.clipboard.writeText(link);
    button.textContent = "Copied";
  } catch {
    window.prompt("The link to this game", link);
  }
  setTimeout(() => { button.textContent = name; }, 1500);
}
byId("copy").addEventListener("click", () => copied(byId("copy"), `${location.origin}/play/${id}`));
byId("how").addEventListener("click", () => attempt(async () => {
  if (!byId("lesson").hidden) return closeLesson();
  await openLesson();
  byId("lesson").scrollIntoView({ block: "nearest" });
  byId("lesson").focus({ preventScroll: true });
}));
byId("new").addEventListener("click", async () => {
  const form = byId("setup");
  form.hidden = !form.hidden;
  byId("new").setAttribute("aria-expanded", String(!form.hidden));
  if (!form.hidden) await attempt(() => setUp(form, id, view, enter));
});
byId("edit").addEventListener("click", async () => {
  if (!byId("editor").hidden) return closeEditor();
  // Who came by keys goes on by keys; on a screen that is touched a keyboard would cover the text.
  const byKeys = byId("edit").matches(":focus-visible");
  await attempt(openEditor);
  if (byKeys && !byId("editor").hidden) byId("text").focus();
});
document.addEventListener("theme", () => { if (view) { showPlayers(); draw(); repaint(byId("lesson")); } });
document.addEventListener("keydown", (event) => {
  const writes = event.target.closest?.("input, textarea, select") || event.altKey || event.ctrlKey || event.metaKey;
  if (!writes && view && event.key === "," && (looking ?? view.now) > 0) lookAt((looking ?? view.now) - 1);
  if (!writes && view && event.key === "." && (looking ?? view.now) < view.moves.length) lookAt((looking ?? view.now) + 1);
  if (event.key === "Escape" && picked.length > 0) forget();
});
/** Begins the game that the address asks for: by name, or by the rules that the link holds. */
async function beginHere() {
  const text = await linked(location.hash);
  const wish = text === null ? { game: new URLSearchParams(location.search).get("game") ?? "" } : { text };
  const { id: begun } = await post("sessions", wish).catch((error) => { throw wrong(error); });
  id = begun;
  history.replaceState(null, "", `/play/${id}${text === null ? location.hash : "#rules"}`);
}

addEventListener("popstate", () => location.reload());

try {
  const wanted = new URLSearchParams(location.search).get("as");
  if (wanted !== null) {
    seats.take(id, wanted);
    history.replaceState(null, "", `/play/${id}${location.hash}`);
  }
  if (id === "new") await beginHere();
  await refresh();
  listen();
  await greet().catch(() => {});
  if (location.hash === "#rules") await openEditor();
} catch (error) {
  byId("title").textContent = "No game";
  for (const act of document.querySelectorAll("main button, main input")) act.disabled = true;
  say(byId("trouble"), trouble(error), " ", element("a", { href: "/" }, "All games"));
}
