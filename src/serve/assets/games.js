// The list of games.
import { byId, element, get, post, recent, say, theme, trouble } from "./api.js";

let games = [];

/** Pictures are asked for when they are about to be seen: each is drawn from a position of the game. */
const near = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    target.src = target.dataset.src;
    near.unobserve(target);
  }
}, { rootMargin: "300px" });

const page = (game) => `/play/new?game=${encodeURIComponent(game.name)}`;

function players({ players: known }) {
  if (!known) return "";
  const [few, many] = known;
  return few === many ? `${many} player${many === 1 ? "" : "s"}` : `${few} to ${many} players`;
}

function card(game) {
  const picture = element("img", {
    "data-src": `/api/games/${encodeURIComponent(game.name)}/picture.svg?theme=${theme()}`,
    alt: "",
    width: 240,
    height: 240,
  });
  near.observe(picture);
  const by = [game.author, game.year].filter(Boolean).join(", ");
  const facts = [players(game), game.chance ? "dice" : "", `${game.lines} lines of rules`].filter(Boolean).join(" · ");
  return element(
    "li",
    {},
    element(
      "a",
      { class: "card", "data-game": game.name, href: page(game) },
      picture,
      element("strong", {}, game.title ?? game.name),
      element("span", { class: "by" }, by),
      element("span", { class: "summary" }, game.summary ?? ""),
      element("span", { class: "facts" }, facts),
    ),
  );
}

/** Names begin with what was searched for before they hold it somewhere, and these before what is only told. */
function rank(game, query) {
  const title = (game.title ?? game.name).toLowerCase();
  return title === query ? 0 : title.startsWith(query) ? 1 : title.includes(query) ? 2 : 3;
}

const ORDERS = {
  title: (a, b) => (a.title ?? a.name).localeCompare(b.title ?? b.name),
  lines: (a, b) => a.lines - b.lines,
  year: (a, b) => (b.year ?? -Infinity) - (a.year ?? -Infinity) || 0,
};

const isOf = (game, kind) => kind === "" || (kind === "dice" ? game.chance : game.family === kind);

function show() {
  const query = byId("query").value.trim().toLowerCase();
  const words = query.split(/\s+/).filter(Boolean);
  const seats = Number(byId("count-of-players").value);
  const text = (game) => [game.name, game.title, game.author, game.year, game.summary, game.family].join(" ").toLowerCase();
  const fits = ({ players: known }) => seats === 0 || !known || (known[0] <= seats && seats <= known[1]);
  const found = games
    .filter((game) => isOf(game, byId("kind").value) && fits(game) && words.every((word) => text(game).includes(word)))
    .sort(ORDERS[byId("order").value]);
  if (query) found.sort((a, b) => rank(a, query) - rank(b, query));
  near.disconnect();
  byId("games").replaceChildren(...found.map(card));
  byId("count").textContent = found.length === 0 ? "No game is like this." : `${found.length} game${found.length === 1 ? "" : "s"}`;
}

/** What can be chosen is what there is. */
function offer() {
  const kinds = [...new Set(games.map(({ family }) => family).filter(Boolean))].sort();
  if (games.some(({ chance }) => chance) && !kinds.includes("dice")) kinds.push("dice");
  const name = (kind) => kind[0].toUpperCase() + kind.slice(1).replaceAll("_", " ");
  byId("kind").append(...kinds.map((kind) => element("option", { value: kind }, name(kind))));
  const most = Math.max(2, ...games.map(({ players: known }) => known?.[1] ?? 0));
  byId("count-of-players").append(...Array.from({ length: most }, (_, index) =>
    element("option", { value: String(index + 1) }, `${index + 1} player${index === 0 ? "" : "s"}`)));
  // The shortest rules for two are learnt the fastest.
  const [easy] = games.filter((game) => !game.chance && !game.extends && game.players?.[1] === 2).sort(ORDERS.lines);
  if (!easy) return;
  byId("start").href = page(easy);
  byId("start").textContent = `Start here: ${easy.title ?? easy.name}`;
  byId("start").hidden = false;
}

function showRecent() {
  const links = recent.all().slice(0, 4).map(({ id, title }) => element("a", { href: `/play/${id}` }, title));
  if (links.length > 0) say(byId("recent"), "Go on with ", ...links);
}

for (const id of ["query", "kind", "count-of-players", "order"]) byId(id).addEventListener("input", show);
byId("search").addEventListener("submit", (event) => event.preventDefault());
byId("write").addEventListener("click", async () => {
  try {
    const [shortest] = games.filter((game) => !game.extends).sort(ORDERS.lines);
    const text = await get(`games/${encodeURIComponent(shortest.name)}/text`);
    const view = await post("sessions", { text });
    location.href = `/play/${view.id}#rules`;
  } catch (error) {
    say(byId("trouble"), trouble(error));
  }
});
document.addEventListener("theme", show);

try {
  games = (await get("games")).games;
  offer();
  show();
  showRecent();
} catch (error) {
  say(byId("trouble"), trouble(error));
}
