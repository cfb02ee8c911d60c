// How a game is played: the rule sheet in sentences, with a real position before and after each kind of move.
import { byId, element, get, theme } from "./api.js";

const list = (rows) => element("ul", {}, ...rows.map((row) => element("li", {}, ...[row].flat())));
const EACH = " of each player";
const NOBODY = " (belongs to nobody)";
const heading = (text) => element("h3", {}, text);
const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "");

/** A picture of the server, in the colours that the board has already. */
function picture(text, label) {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  svg.setAttribute("class", `ludwright ${theme()}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  for (const node of svg.querySelectorAll("title, desc")) node.remove();
  return document.importNode(svg, true);
}

function move(row, example) {
  const name = element("strong", {}, row.name.replaceAll("_", " "));
  const parts = [element("p", {}, name, row.chance ? " (chance decides)" : "", row.doc ? `: ${sentence(row.doc)}` : "")];
  if (example) {
    parts.push(
      element("div", { class: "pair" },
        picture(example.before, `The position before ${example.text}`),
        element("span", { "aria-hidden": "true" }, "→"),
        picture(example.after, `The position after ${example.text}`)),
      element("p", { class: "soft" }, `${example.mover} plays `, element("code", {}, example.text), "."),
    );
  }
  return element("li", { "data-move": row.name }, ...parts);
}

function option({ name, doc, values }, now) {
  const open = Array.isArray(values) ? values.map((value) => String(value).replaceAll("_", " ")).join(", ") : `${values.min} to ${values.max}`;
  const about = doc ? `${sentence(doc)} ` : "";
  return [element("strong", {}, name.replaceAll("_", " ")), `: ${String(now).replaceAll("_", " ")} here. ${about}`,
    element("span", { class: "soft" }, `Possible: ${open}.`)];
}

/** The pieces by whom they belong to. */
function pieces(rows) {
  const owned = rows.filter((row) => row.endsWith(EACH)).map((row) => row.slice(0, -EACH.length));
  const free = rows.filter((row) => row.endsWith(NOBODY)).map((row) => row.slice(0, -NOBODY.length));
  const others = rows.filter((row) => !row.endsWith(EACH) && !row.endsWith(NOBODY)).map(sentence);
  return [
    ...(owned.length > 0 ? [`Each player has: ${owned.join(", ").replaceAll("_", " ")}.`] : []),
    ...(free.length > 0 ? [`Nobody owns: ${free.join(", ").replaceAll("_", " ")}.`] : []),
    ...others,
  ];
}

/** Fills the panel for one game. */
export async function teach(root, id) {
  const told = await get(`sessions/${id}/lesson`);
  const { sheet, examples, options, settings } = told;
  const players = sheet.players.length === 2 ? sheet.players.join(" and ") : sheet.players.join(", ");
  root.replaceChildren(
    element("h2", {}, "How to play"),
    element("p", { class: "goal" }, sentence(told.summary)),
    heading("Players and pieces"),
    element("p", {}, `${players} play.`),
    list(pieces(sheet.pieces)),
    sheet.stacks ? element("p", {}, `Stacks: ${sentence(sheet.stacks)}`) : "",
    ...(sheet.carried ?? []).map((value) => element("p", {}, `Each piece: ${sentence(value)}`)),
    ...((sheet.paths ?? []).length > 0 ? [heading("Paths"), list(sheet.paths.map(([name, sites]) => [element("strong", {}, name), `: ${sites}.`]))] : []),
    heading("A turn"),
    list(sheet.turn.map((line) => sentence(line.trim().replaceAll("_", " ")))),
    heading("Moves"),
    element("ul", { class: "kinds" }, ...sheet.moves.map((row) => move(row, examples[row.name]))),
    ...(sheet.terms.length > 0 ? [heading("Words used here"), list(sheet.terms.map(([name, doc]) => [element("strong", {}, name), `: ${sentence(doc)}`]))] : []),
    heading("The end"),
    element("p", { class: "soft" }, "The first of these that applies ends the game."),
    list(sheet.endings.map(([result, reason]) => [element("strong", {}, sentence(result).replace(/\.$/, "")), reason ? `: ${sentence(reason)}` : "."])),
    ...sheet.score.map((line) => element("p", {}, sentence(line))),
    ...(options.length > 0 ? [heading("Options"), list(options.map((one) => option(one, settings[one.name])))] : []),
    element("p", { class: "soft" }, sheet.source ? `Source: ${sheet.source}` : ""),
    element("button", { type: "button", class: "primary", onclick: () => byId("how").click() }, "Close and play"),
  );
}

/** The pictures in the colours of the page. */
export function repaint(root) {
  for (const svg of root.querySelectorAll("svg.ludwright")) svg.setAttribute("class", `ludwright ${theme()}`);
}
