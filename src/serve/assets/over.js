// How the game ended, and what can be done now.
import { byId, capital, element, post, say } from "./api.js";
import { game } from "./game.js";
import { reason } from "./refusal.js";

const close = () => say(byId("over"));

function showOver() {
  const { view } = game;
  if (!view.over) return close();
  const act = (name, work, kind = "") => element("button", { type: "button", class: kind, onclick: () => game.guarded(work) }, name);
  const people = view.seats.filter((seat) => seat === "human").length;
  const buttons = view.next
    ? [act("Go to the next game", () => game.follow(view.next.id, view.next.moved), "primary")]
    : [act("Rematch", () => again(false), "primary"), act(people === view.seats.length || people === 1 ? "Swap sides" : "Change seats", () => again(true))];
  const why = element("div", {});
  const tell = async ({ target }) => {
    why.replaceChildren(...reason(await post(game.path("why"), {})));
    target.hidden = true;
  };
  say(byId("over"),
    element("p", {}, element("strong", {}, `${capital(view.result)}.`)),
    why,
    element("div", { class: "buttons" }, ...buttons,
      view.ended === null ? element("button", { type: "button", onclick: (event) => game.guarded(() => tell(event)) }, "Why?") : null,
      act("Look through it", async () => { close(); game.lookAt(0); })),
    element("button", { type: "button", class: "quiet close", "aria-label": "Close", onclick: close }, "×"));
}

/** Another game by the same rules; `swap` moves everybody one seat on. */
async function again(swap) {
  const next = await post(game.path("rematch"), { swap });
  await game.follow(next.id, swap ? 1 : 0, next);
}

game.on("shown", showOver);
