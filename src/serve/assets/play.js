// The page of a game: it is begun or found again, and what it is called stands above it. The parts of the page do the rest.
import { byId, element, post, recent, say, trouble } from "./api.js";
import { greet, openEditor } from "./beside.js";
import { wrong } from "./fresh.js";
import { game } from "./game.js";
import { linked } from "./link.js";
import { seats } from "./seats.js";
import { setUp } from "./setup.js";
import "./invite.js";
import "./moves.js";
import "./over.js";
import "./players.js";
import "./requests.js";
import "./table.js";

function showTitle() {
  const { title: name, author, year, ruleset, summary, source } = game.view.game;
  const title = name || "A game";
  document.title = game.as !== "" && game.isMine ? `Your turn - ${title}` : `${title} - Ludwright`;
  byId("title").textContent = title;
  const by = [author, year].filter(Boolean).join(", ");
  byId("origin").textContent = [by, ruleset].filter(Boolean).join(" · ");
  byId("about").replaceChildren(...[summary, source].filter(Boolean).map((text) => element("p", {}, text)));
  byId("record").setAttribute("href", `/api/${game.path("record")}`);
  // Before the end it would tell what is hidden.
  byId("record").hidden = game.view.hides && !game.view.over;
  recent.add(game.id, title);
}

/** Opens the form for a new game, or closes it. */
async function showSetup() {
  const form = byId("setup");
  form.hidden = !form.hidden;
  byId("new").setAttribute("aria-expanded", String(!form.hidden));
  if (!form.hidden) await game.attempt(() => setUp(form, game.id, game.view, (next) => game.enter(next)));
}

/** Begins the game that the address asks for: by name, or by the rules that the link holds. */
async function beginHere() {
  const text = await linked(location.hash);
  const wish = text === null ? { game: new URLSearchParams(location.search).get("game") ?? "" } : { text };
  const { id } = await post("sessions", wish).catch((error) => { throw wrong(error); });
  game.id = id;
  history.replaceState(null, "", `/play/${id}${text === null ? location.hash : "#rules"}`);
}

game.on("shown", showTitle);
game.on("entered", () => {
  byId("setup").hidden = true;
  byId("new").setAttribute("aria-expanded", "false");
});
byId("new").addEventListener("click", showSetup);
addEventListener("popstate", () => location.reload());

try {
  const wanted = new URLSearchParams(location.search).get("as");
  if (wanted !== null) {
    seats.take(game.id, wanted);
    history.replaceState(null, "", `/play/${game.id}${location.hash}`);
  }
  if (game.id === "new") await beginHere();
  await game.refresh();
  game.listen();
  await greet().catch(() => {});
  if (location.hash === "#rules") await openEditor();
} catch (error) {
  byId("title").textContent = "No game";
  for (const act of document.querySelectorAll("main button, main input")) act.disabled = true;
  say(byId("trouble"), trouble(error), " ", element("a", { href: "/" }, "All games"));
}
