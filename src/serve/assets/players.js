// The players: who sits where, whose turn it is, what they hold, and the time they have.
import { byId, element, post, say, theme } from "./api.js";
import { agreed, hear, tick } from "./clock.js";
import { game } from "./game.js";

const PROGRAMS = ["human", "easy", "medium", "hard", "random"];

function showPlayers() {
  const { view } = game;
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
    const timed = view.clock && current === "human";
    return element("li", { "aria-current": turn ? "true" : null, class: turn ? "turn" : "" },
      sign, element("span", {}, element("strong", {}, player.name), ...whois(seat)),
      timed ? element("span", { class: "clock", role: "timer", "aria-label": `Time of ${player.name}`, "data-clock": seat }) : null, select,
      element("span", { class: "score", "aria-label": "Score" }, player.name in scores ? String(scores[player.name]) : ""),
      held ? element("span", { class: "held" }, held) : null);
  }));
  const lines = [
    view.game.score && Object.keys(scores).length > 0 ? `Score ${view.game.score}` : "",
    shared(),
    view.clock ? `Time: ${agreed(view.clock)}` : "",
  ].filter(Boolean);
  say(byId("counted"), ...lines.map((line) => element("span", {}, line)));
  tick();
}

const words = (name) => name.replaceAll("_", " ");
const isMap = (values) => values !== null && typeof values === "object" && !Array.isArray(values);

/** A value as people read it: of many numbers by name those that are not zero. */
function told(value) {
  if (!isMap(value)) return [value].flat().map((one) => words(String(one))).join(", ") || "none";
  const some = Object.entries(value).filter(([, number]) => number !== 0 && number !== null);
  return some.map(([name, number]) => (number === 1 ? words(name) : `${number} × ${words(name)}`)).join(", ") || "none";
}

/** What the rules count for a player beside the board: pieces in hand, men borne off. */
function holdings(name) {
  const own = Object.entries(game.view.position.state ?? {}).filter(([, values]) => isMap(values) && name in values);
  return own.map(([what, values]) => `${words(what)}: ${told(values[name])}`).join(" · ");
}

/** What the rules count for nobody in particular and for no site: which phase it is, the piece at hand. */
function shared() {
  const all = Object.entries(game.view.position.state ?? {}).filter(([, value]) => typeof value === "string");
  return all.map(([what, value]) => `${words(what)}: ${told(value)}`).join(" · ");
}

/** Who the person at a seat is, as far as this browser knows. */
function whois(seat) {
  if (game.view.seats[seat] !== "human") return [];
  const present = game.status.present?.includes(seat) && game.seat !== seat;
  const known = [game.view.names?.[seat], game.seat === seat ? "you" : null, present ? "here" : null].filter(Boolean);
  return known.length > 0 ? [element("small", {}, ` ${known.join(", ")}`)] : [];
}

async function sit(seat, select) {
  let name = select.value;
  if (name === "") name = window.prompt("Who plays? A program with its time or rounds, such as mcts:2s, mcts:5000, alphabeta:1s, greedy")?.trim();
  const seats = game.view.seats.map((old, place) => (place === seat && name ? name : old));
  select.value = game.view.seats[seat];
  await game.change("seats", { seats });
}

/** A program that thinks, and one that does not play. */
function showThinking({ thinking, trouble: problem }) {
  const mover = game.view.position.mover ?? "";
  byId("thinking").hidden = !thinking;
  if (thinking) {
    byId("far").value = thinking.done;
    const per = thinking.rounds > 0 ? `${Math.round(thinking.value * 100)} % for ${mover}, ${thinking.rounds} rounds` : `${mover} thinks`;
    byId("thought").textContent = thinking.text ? `${per}: ${thinking.text}` : per;
  }
  if (problem) {
    const retry = () => game.guarded(async () => { await post(game.path("retry")); say(byId("trouble")); });
    say(byId("trouble"), `${problem} `, element("button", { type: "button", onclick: retry }, "Try again"));
  }
}

game.on("shown", () => {
  hear(game.view.clock);
  showPlayers();
});
game.on("status", (before) => {
  if (game.status.clock && game.status.version === game.view.version) hear(game.status.clock);
  showThinking(game.status);
  if (JSON.stringify(before.present) !== JSON.stringify(game.status.present)) showPlayers();
});
document.addEventListener("theme", () => { if (game.view) showPlayers(); });
byId("stop").addEventListener("click", () => post(game.path("stop")).catch(() => {}));
