// Why something cannot be done, in a sentence; the line of the rules that says so is behind it.
import { byId, element, say } from "./api.js";
import { game } from "./game.js";

let openRules = () => {};

/** `open` shows a place of the rules. */
export function explainWith(open) {
  openRules = open;
}

/** The sentence, and the line of the rules behind it. */
export function reason({ plain, sentence, clause, values }) {
  const parts = [element("p", {}, plain ?? sentence ?? "")];
  if (clause) {
    const told = (values ?? []).slice(0, 6).map(({ text, value }) => element("li", {}, element("code", {}, text), ` is ${[value].flat().join(", ")}`));
    parts.push(element("details", {}, element("summary", {}, "Why?"),
      element("p", {}, sentence ?? ""),
      element("p", {}, element("button", { type: "button", class: "line", onclick: () => openRules(clause) }, `line ${clause.line}`), " ",
        element("code", {}, clause.text)),
      told.length > 0 ? element("ul", {}, ...told) : null));
  }
  return parts;
}

export function explain(told) {
  say(byId("why"), ...reason(told), element("button", { type: "button", class: "quiet close", "aria-label": "Close", onclick: unexplained }, "×"));
  byId("why").scrollIntoView({ block: "nearest" });
}

export function unexplained() {
  say(byId("why"));
}

game.on("refused", explain);
game.on("shown", unexplained);
game.on("trouble", (words) => say(byId("trouble"), words));
game.on("shown", () => say(byId("trouble")));
