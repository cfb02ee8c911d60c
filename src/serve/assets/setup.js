// The panel for a new game: ruleset, options and seats.
import { element, get, post, trouble } from "./api.js";
import { agreed } from "./clock.js";

/** Seconds for all turns, and more for each. */
const TIMES = [[60, 0], [180, 2], [300, 3], [600, 5], [900, 10], [1800, 20], [3600, 30]];

/** A list of times that people may have, with the one of this game. */
function times(clock) {
  const own = clock ? [[clock.seconds, clock.increment]] : [];
  const same = ([seconds, added]) => clock && seconds === clock.seconds && added === clock.increment;
  const all = [...TIMES, ...own.filter((time) => !TIMES.some((known) => String(known) === String(time)))];
  return element("select", { id: "time" }, element("option", { value: "" }, "no clocks"),
    ...all.map((time) => {
      const [seconds, increment] = time;
      return element("option", { value: JSON.stringify({ seconds, increment }), selected: Boolean(same(time)) },
        agreed({ seconds, increment }));
    }));
}

const SEATS = ["human", "easy", "medium", "hard", "random", "greedy", "mcts:2s"];

/** An input that takes what an option may be. */
function input(option, value) {
  const attributes = { name: option.name, "data-option": option.name };
  if (Array.isArray(option.values)) {
    return element("select", attributes, ...option.values.map((known) =>
      element("option", { value: known, selected: String(known) === String(value) }, String(known))));
  }
  return element("input", { ...attributes, type: "number", required: true, min: option.values.min, max: option.values.max, value });
}

/** Fills the form; `enter` is told the game that it begins. */
export async function setUp(form, id, view, enter) {
  const facts = await get(`sessions/${id}/facts`);
  const rulesets = new Map(facts.rulesets.map((ruleset) => [ruleset.name, ruleset]));
  const inputs = new Map(facts.options.map((option) => [option.name, input(option, view.game.settings[option.name] ?? option.default)]));
  const ruleset = element("select", { name: "ruleset" }, element("option", { value: "" }, "as it stands"),
    ...facts.rulesets.map(({ name }) => element("option", { value: name, selected: name === view.game.ruleset }, name)));
  const usual = () => {
    const set = rulesets.get(ruleset.value)?.options ?? {};
    return new Map(facts.options.map((option) => [option.name, String(set[option.name] ?? option.default)]));
  };
  ruleset.addEventListener("change", () => usual().forEach((value, name) => { inputs.get(name).value = value; }));
  const seats = view.players.map((player, seat) => {
    const list = SEATS.includes(view.seats[seat]) ? SEATS : [...SEATS, view.seats[seat]];
    return element("select", { "data-player": seat }, ...list.map((name) =>
      element("option", { value: name, selected: name === view.seats[seat] }, name)));
  });
  const row = (name, control, doc) => element("label", {}, element("span", {}, name), control, doc ? element("small", {}, doc) : null);
  const time = times(view.clock);
  const dice = element("input", { id: "dice", type: "checkbox", checked: Boolean(view.own_dice) });
  const problem = element("p", { class: "trouble", role: "alert", hidden: true });
  form.replaceChildren(
    ...(rulesets.size > 0 ? [row("ruleset", ruleset, "")] : []),
    ...facts.options.map((option) => row(option.name.replaceAll("_", " "), inputs.get(option.name), option.doc)),
    ...view.players.map((player, seat) => row(player.name, seats[seat], "")),
    row("Time for each person", time, ""),
    ...(facts.chance && !facts.hides ? [row("I roll real dice", dice, "and choose what came up")] : []),
    problem,
    element("button", { type: "submit", class: "primary" }, "Start"),
  );
  form.onsubmit = async (event) => {
    event.preventDefault();
    const options = {};
    usual().forEach((value, name) => {
      if (inputs.get(name).value !== value) options[name] = inputs.get(name).value;
    });
    const wish = { from: id, options, ...(ruleset.value ? { ruleset: ruleset.value } : {}), ...(time.value ? { clock: JSON.parse(time.value) } : {}), ...(dice.checked ? { own_dice: true } : {}) };
    try {
      let next;
      try {
        next = await post("sessions", { ...wish, seats: seats.map((select) => select.value) });
      } catch (error) {
        // With other options there may be fewer seats.
        if (error.code !== "bad_seat") throw error;
        next = await post("sessions", wish);
      }
      enter(next);
    } catch (error) {
      const first = Array.isArray(error.detail) ? `: ${error.detail[0]?.message}` : "";
      problem.textContent = trouble(error) + first;
      problem.hidden = false;
    }
  };
}
