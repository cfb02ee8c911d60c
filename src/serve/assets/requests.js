// What one player asks of the other: a move back, or a draw; and giving up.
import { byId, element, post, say } from "./api.js";
import { game } from "./game.js";

/** What is asked twice before it is done, in the same place. */
const SURE = 4000;

/** Asks and says whether it is already granted. */
async function request(wish) {
  const told = await post(game.path("request"), wish);
  if (told.moves) game.show(told);
  else game.hear(told);
}

async function answer(yes, to) {
  const told = await post(game.path("answer"), to ? { yes, to } : { yes });
  if (told.moves) game.show(told);
  else game.hear(told);
}

/** What is on the page, so that it is not read out again with every beat of a clock. */
let shown = "";
/** What this seat has asked for, and in which version of the game. */
let asked = null;

/** Somebody asks for something. */
function showRequest(wish) {
  const now = JSON.stringify([wish ?? null, game.seat, game.as]);
  if (now === shown) return;
  shown = now;
  const before = asked;
  asked = wish && game.seat !== null && Object.values(wish)[0] === game.seat ? { ...wish, version: game.status.version } : null;
  if (!wish) {
    // What is granted changes the game; a request that goes without that was not.
    const refused = before && before.version === game.status.version && game.as !== "watch";
    const told = before && "undo" in before ? "Your last move stays." : "Your offer of a draw was declined.";
    return say(byId("request"), ...(refused ? [element("p", {}, told)] : []));
  }
  const [what, seat] = Object.entries(wish)[0];
  const act = (name, yes, kind = "") => element("button", { type: "button", class: kind, onclick: () => game.guarded(() => answer(yes, wish)) }, name);
  const mine = what === "undo" ? "You have asked to take your last move back." : "You have offered a draw.";
  const theirs = what === "undo" ? `${game.named(seat)} asks to take the last move back.` : `${game.named(seat)} offers a draw.`;
  const withdraw = async () => {
    asked = null;
    await answer(false, wish);
  };
  if (game.seat === seat) {
    return say(byId("request"), element("p", {}, mine), element("button", { type: "button", onclick: () => game.guarded(withdraw) }, "Withdraw"));
  }
  if (game.as === "watch") return say(byId("request"), element("p", {}, theirs));
  const [yes, no] = what === "undo" ? ["Allow", "Refuse"] : ["Accept", "Decline"];
  say(byId("request"), element("p", {}, theirs), element("div", { class: "buttons" }, act(yes, true, "primary"), act(no, false)));
}

/** Does something when the button has been pressed once more. */
function surely(button, question, task) {
  const name = button.textContent;
  const calm = () => {
    button.textContent = name;
    button.classList.remove("sure");
  };
  button.addEventListener("click", () => {
    if (button.classList.contains("sure")) {
      calm();
      return game.guarded(task);
    }
    button.textContent = question();
    button.classList.add("sure");
    setTimeout(calm, SURE);
  });
  game.on("shown", calm);
}

surely(byId("resign"), () => "Really resign?", async () =>
  game.answered(await post(game.path("resign"), game.seat === null ? {} : { seat: game.seat })));
surely(byId("draw"), () => (game.seat === null ? "Both want a draw?" : "Really offer?"), async () => {
  await request({ draw: game.seat ?? game.view.to_move ?? 0 });
  // Two people at one screen have just agreed on it, unless somebody sits elsewhere.
  if (game.seat === null && !game.view.over && !(game.status.present ?? []).length) await answer(true);
});
byId("undo").addEventListener("click", () => {
  if (game.seat === null) return game.change("undo", { version: game.view.version });
  return game.guarded(() => request({ undo: game.seat }));
});
byId("redo").addEventListener("click", () => game.change("redo", { version: game.view.version }));
game.on("shown", () => {
  const { view } = game;
  const watching = game.as === "watch";
  byId("undo").disabled = watching || view.hides || view.ended === "late" || view.now === 0 && view.ended === null;
  byId("redo").disabled = watching || view.hides || view.now === view.moves.length || view.over && view.ended !== null;
  byId("resign").disabled = view.over || watching || !view.seats.includes("human");
  byId("draw").hidden = !view.draws;
  byId("draw").disabled = view.over || watching;
});
game.on("status", () => showRequest(game.status.request));
