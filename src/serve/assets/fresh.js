// The file of the rules says something else than what is played.
import { byId, element, get, post, say } from "./api.js";
import { agreedIn } from "./clock.js";
import { game } from "./game.js";
import { renewEditor } from "./beside.js";

function showFresh(changed) {
  if (!changed || !game.view.game.name) return say(byId("fresh"));
  if (!byId("fresh").hidden) return;
  const begin = async () => {
    const next = await beginAnew();
    game.enter(next);
    await renewEditor(next);
  };
  say(byId("fresh"), element("p", {}, "The file of these rules has changed."),
    element("div", { class: "buttons" },
      element("button", { type: "button", class: "primary", onclick: () => game.guarded(begin) }, "Play by the new rules")));
}

/** Begins the same game by the file as it is now, with as much of what was chosen as it still knows: there may be other
    rulesets and options, or fewer seats. */
async function beginAnew() {
  const { seats, game: { name } } = game.view;
  const ruleset = game.view.game.ruleset ?? undefined;
  const clock = agreedIn(game.view);
  const wishes = [{ game: name, seats, clock, ruleset, options: await chosenOptions() }, { game: name, seats, clock, ruleset }, { game: name, seats, clock }, { game: name, clock }];
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
  const facts = await get(game.path("facts"));
  const set = facts.rulesets.find(({ name }) => name === game.view.game.ruleset)?.options ?? {};
  const { settings } = game.view.game;
  const chosen = facts.options.filter((option) => String(settings[option.name]) !== String(set[option.name] ?? option.default));
  return Object.fromEntries(chosen.map(({ name }) => [name, settings[name]]));
}

/** The first mistake of a file, with its place. */
export function wrong(error) {
  const first = error.detail?.[0];
  if (first) error.message = `${error.message}: line ${first.start?.line ?? "?"}: ${first.message}`;
  return error;
}

game.on("status", () => showFresh(game.status.changed));
