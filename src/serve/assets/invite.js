// Which seat this browser plays, and links for the others.
import { byId, element } from "./api.js";
import { game } from "./game.js";

function showSeats() {
  const { view } = game;
  const people = view.players.map((player, seat) => ({ name: player.name, seat })).filter(({ seat }) => view.seats[seat] === "human");
  // Whoever plays all seats of a game that hides something would see everything.
  const all = view.hides ? [] : [["", people.length > 1 ? "all seats of people, on this screen" : "the seats of people"]];
  const choice = [...all, ...people.map(({ name, seat }) => [String(seat), name]), ["watch", "nothing: only watch"]];
  byId("seat").replaceChildren(...choice.map(([value, text]) => element("option", { value, selected: value === game.as }, text)));
  byId("called").hidden = game.seat === null;
  if (document.activeElement !== byId("name")) byId("name").value = view.names?.[game.seat] ?? "";
  const link = (text, value) => {
    const address = `${location.origin}/play/${game.id}?as=${value}`;
    const copy = element("button", { type: "button", "data-as": value, onclick: async () => {
      await copied(copy, address);
      // Whoever gives a seat away keeps the others; of two that is one.
      const left = people.filter(({ seat }) => String(seat) !== value);
      if (game.as === "" && left.length === 1) game.takeSeat(String(left[0].seat));
    } }, "Copy");
    return element("li", {}, element("a", { href: address, target: "_blank", rel: "noopener" }, text), copy);
  };
  byId("links").replaceChildren(...people.map(({ name, seat }) => link(`Play as ${name}`, String(seat))), link("Watch", "watch"));
}

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

game.on("shown", showSeats);
byId("seat").addEventListener("change", () => game.guarded(() => game.takeSeat(byId("seat").value)));
// A game that hides something is played from one seat.
game.on("shown", () => {
  if (game.isSeatless) game.guarded(() => (game.isSeatless ? game.claim(game.seat) : undefined));
});
byId("name").addEventListener("change", () => game.change("names", { seat: game.seat, name: byId("name").value }));
byId("copy").addEventListener("click", () => copied(byId("copy"), `${location.origin}/play/${game.id}`));
