// The list of games.
import { byId, element, get, post, recent, say, theme, trouble } from "./api.js";

let games = [];

async function begin(wish) {
  try {
    const view = await post("sessions", wish);
    location.href = `/play/${view.id}`;
  } catch (error) {
    say(byId("trouble"), trouble(error));
  }
}

function card(game) {
  const picture = element("img", {
    src: `/api/games/${encodeURIComponent(game.name)}/picture.svg?theme=${theme()}`,
    alt: "",
    loading: "lazy",
    width: 240,
    height: 240,
  });
  const by = [game.author, game.year].filter(Boolean).join(", ");
  return element(
    "li",
    {},
    element(
      "button",
      { type: "button", class: "card", "data-game": game.name, onclick: () => begin({ game: game.name }) },
      picture,
      element("strong", {}, game.title ?? game.name),
      element("span", { class: "by" }, by),
      element("span", { class: "summary" }, game.summary ?? ""),
    ),
  );
}

function show() {
  const words = byId("query").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (game) => [game.name, game.title, game.author, game.year, game.summary].join(" ").toLowerCase();
  const found = games.filter((game) => words.every((word) => text(game).includes(word)));
  byId("games").replaceChildren(...found.map(card));
  byId("count").textContent = `${found.length} games`;
}

function showRecent() {
  const links = recent.all().slice(0, 4).map(({ id, title }) => element("a", { href: `/play/${id}` }, title));
  if (links.length > 0) say(byId("recent"), "Go on with ", ...links);
}

byId("query").addEventListener("input", show);
byId("search").addEventListener("submit", (event) => event.preventDefault());
byId("write").addEventListener("click", async () => {
  const name = games[0]?.name;
  const found = games.find((game) => game.name === "tic_tac_toe")?.name ?? name;
  try {
    const text = await get(`games/${encodeURIComponent(found)}/text`);
    const view = await post("sessions", { text });
    location.href = `/play/${view.id}#rules`;
  } catch (error) {
    say(byId("trouble"), trouble(error));
  }
});
document.addEventListener("theme", show);

try {
  games = (await get("games")).games;
  show();
  showRecent();
} catch (error) {
  say(byId("trouble"), trouble(error));
}
