// The moves in columns, and the ways to look at what was.
import { byId, element } from "./api.js";
import { game } from "./game.js";

let shown = [];

function showMoves() {
  const { view } = game;
  const list = byId("moves");
  const same = shown.length <= view.moves.length && shown.every((move, ply) => move === view.moves[ply]);
  if (!same) list.replaceChildren();
  const columns = view.players.length <= 3 && !view.movers.includes("Chance") ? view.players.length : 1;
  list.className = `moves columns-${columns}`;
  for (let ply = list.childElementCount; ply < view.moves.length; ply += 1) {
    const look = () => game.lookAt(ply + 1);
    const item = element("li", {}, element("button", { type: "button", onclick: look, title: view.movers[ply] }, view.moves[ply]));
    place(item, list.lastElementChild, ply, columns);
    list.append(item);
  }
  shown = view.moves;
  byId("slider").max = String(view.moves.length);
}

/** Puts a move into the column of its player, in the row after the one before or beside it. */
function place(item, before, ply, columns) {
  const { view } = game;
  const column = columns === 1 ? 0 : Math.max(0, view.players.findIndex(({ name }) => name === view.movers[ply]));
  const same = before && Number(before.dataset.column) < column;
  const row = before ? Number(before.dataset.row) + (same ? 0 : 1) : 1;
  // Further plies of one turn stand below each other, and have no number of their own.
  const further = columns > 1 && ply > 0 && view.movers[ply - 1] === view.movers[ply];
  const round = before ? Number(before.dataset.round) + (same || further ? 0 : 1) : 1;
  Object.assign(item.dataset, { column, row, round });
  if (!same && !further) item.dataset.number = columns === 1 ? ply + 1 : round;
  item.style.gridColumn = String(column + 2);
  item.style.gridRow = String(row);
}

/** Slider, buttons and list say where in the game the board is. */
function showPly() {
  const { view, ply } = game;
  const slider = byId("slider");
  slider.value = String(ply);
  slider.setAttribute("aria-valuetext", ply === 0 ? "the start" : `ply ${ply}, ${view.moves[ply - 1]}`);
  byId("at").textContent = `${ply} / ${view.moves.length}`;
  byId("from-here").hidden = game.looking === null || game.as === "watch" || game.view.hides || view.ended === "late";
  for (const step of ["first", "back"]) byId(step).disabled = ply === 0;
  for (const step of ["forward", "last"]) byId(step).disabled = ply === view.moves.length;
  [...byId("moves").children].forEach((item, index) => {
    item.classList.toggle("now", index + 1 === ply);
    item.classList.toggle("undone", index + 1 > view.now);
  });
  const now = byId("moves").children[ply - 1];
  if (now) byId("moves").scrollTop = now.offsetTop - byId("moves").clientHeight / 2;
}

game.on("shown", showMoves);
game.on("looked", showPly);
byId("first").addEventListener("click", () => game.lookAt(0));
byId("back").addEventListener("click", () => game.lookAt(game.ply - 1));
byId("forward").addEventListener("click", () => game.lookAt(game.ply + 1));
byId("last").addEventListener("click", () => game.lookAt(game.view.moves.length));
byId("slider").addEventListener("input", () => game.lookAt(Number(byId("slider").value)));
byId("from-here").addEventListener("click", () => {
  if (game.looking !== null) game.change("goto", { ply: game.looking, version: game.view.version });
});
document.addEventListener("keydown", (event) => {
  const writes = event.target.closest?.("input, textarea, select") || event.altKey || event.ctrlKey || event.metaKey;
  if (writes || !game.view) return;
  if (event.key === "," && game.ply > 0) game.lookAt(game.ply - 1);
  if (event.key === "." && game.ply < game.view.moves.length) game.lookAt(game.ply + 1);
});
