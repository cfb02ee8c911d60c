// The rule text: a text area over a coloured copy of it, with what the checker says.
import { Assist } from "./assist.js";
import { byId, element, get, post, say, trouble } from "./api.js";

const SOON = 120;
const LATER = 900;

export class Editor {
  session = null;
  #play;
  #area;
  #paint;
  #lines;
  #list;
  /** What is wrong in the line of the caret, below it. */
  #under;
  /** A line that the reader does not want to be told about. */
  #quiet = -1;
  #before = "";
  #state;
  #timer = 0;
  #running = false;
  #again = null;
  /** Of each line: its text and its colours. */
  #coloured = [];
  #found = [];
  #name = "mine.game";

  constructor(root, play) {
    this.#play = play;
    this.#lines = element("pre", { class: "numbers", "aria-hidden": "true" });
    this.#paint = element("pre", { class: "paint", "aria-hidden": "true" });
    this.#area = element("textarea", {
      id: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off", "aria-label": "Rule text",
    });
    this.#list = element("ul", { class: "diagnostics", id: "diagnostics", "aria-label": "What is wrong" });
    this.#under = element("ul", { class: "under", id: "under", "aria-label": "What is wrong in this line", hidden: true });
    this.#state = element("p", { class: "state", id: "state", role: "status" });
    const file = element("input", { type: "file", accept: ".game,text/plain", hidden: true, onchange: () => this.#upload(file) });
    const button = (id, name, act, kind = "") => element("button", { type: "button", id, class: kind, onclick: act }, name);
    const layers = element("div", { class: "layers" }, this.#paint, this.#area, this.#under);
    root.replaceChildren(
      element("div", { class: "buttons", role: "group", "aria-label": "Text" },
        button("play-this", "Play this", () => this.#playThis(), "primary"),
        button("format", "Format", () => this.#format()),
        button("download", "Download", () => this.#download()),
        button("upload", "Upload", () => file.click()), file),
      this.#state,
      element("div", { class: "text" }, this.#lines, layers),
      this.#list,
    );
    new Assist(this.#area, layers);
    this.#area.addEventListener("input", () => this.#changed());
    this.#area.addEventListener("scroll", () => this.#scrolled());
    for (const moved of ["keyup", "click", "focus"]) this.#area.addEventListener(moved, () => this.#tellUnder());
    this.#area.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.#quiet = this.#caretLine();
        this.#tellUnder();
      }
    });
  }

  /** Shows the rules of a session. */
  async open(id, game) {
    this.session = id;
    this.#name = `${game.name ?? "mine"}.game`;
    this.#area.value = await get(`sessions/${id}/text`);
    this.#area.setSelectionRange(0, 0);
    this.#changed();
    await this.#check(false);
  }

  /** Puts the cursor at a line and column, counted from 1. */
  goTo({ line, column = 1 }) {
    const before = this.#area.value.split("\n").slice(0, line - 1).join("\n");
    const start = before.length + (line > 1 ? 1 : 0) + column - 1;
    this.#select(start, start);
  }

  #select(start, end) {
    this.#area.focus();
    this.#area.setSelectionRange(start, end);
    const line = this.#area.value.slice(0, start).split("\n").length - 1;
    const height = parseFloat(getComputedStyle(this.#area).lineHeight);
    this.#area.scrollTop = Math.max(0, line * height - this.#area.clientHeight / 3);
    this.#scrolled();
  }

  #scrolled() {
    const { scrollTop, scrollLeft } = this.#area;
    this.#paint.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    this.#lines.style.transform = `translateY(${-scrollTop}px)`;
    this.#putUnder();
  }

  #caretLine() {
    return this.#area.value.slice(0, this.#area.selectionEnd).split("\n").length - 1;
  }

  /** Shows what is wrong in the line of the caret. */
  #tellUnder() {
    const line = this.#caretLine();
    if (line !== this.#quiet) this.#quiet = -1;
    const here = this.#quiet === line ? [] : this.#found.filter((found) => found.units && this.#lineOf(found) === line);
    this.#under.replaceChildren(...here.map((found) => this.#diagnostic(found)));
    this.#under.hidden = here.length === 0;
    this.#putUnder();
  }

  #putUnder() {
    if (this.#under.hidden) return;
    const style = getComputedStyle(this.#area);
    const below = (this.#caretLine() + 1) * parseFloat(style.lineHeight) + parseFloat(style.paddingTop);
    this.#under.style.top = `${below - this.#area.scrollTop}px`;
  }

  #lineOf({ units }) {
    return this.#area.value.slice(0, units.start).split("\n").length - 1;
  }

  /** What was found stays where the text did not change, until the checker has looked at it again. */
  #keepFound() {
    const [before, now] = [this.#before, this.#area.value];
    this.#before = now;
    const shorter = Math.min(before.length, now.length);
    let head = 0;
    while (head < shorter && before[head] === now[head]) head += 1;
    let tail = 0;
    while (tail < shorter - head && before.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
    const moved = (units) => {
      if (!units || units.end < head) return units;
      const by = now.length - before.length;
      return units.start > before.length - tail ? { start: units.start + by, end: units.end + by } : null;
    };
    this.#found = this.#found.flatMap((found) => {
      const units = moved(found.units);
      const fixes = found.fixes.map((fix) => ({ ...fix, units: moved(fix.units) }));
      return units ? [{ ...found, units, fixes }] : [];
    });
  }

  #changed() {
    this.#keepFound();
    this.#colour();
    this.#tellUnder();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      await this.#check(false);
      this.#timer = setTimeout(() => this.#check(true), LATER);
    }, SOON);
  }

  /** Asks for one text at a time, and for the last one in any case. */
  async #check(whole) {
    if (this.#running) {
      this.#again = whole;
      return;
    }
    this.#running = true;
    const text = this.#area.value;
    try {
      const told = await post("check", { text, whole });
      if (text === this.#area.value) this.#told(told);
    } catch (error) {
      this.#state.textContent = trouble(error);
    } finally {
      this.#running = false;
    }
    if (this.#again !== null) {
      const next = this.#again;
      this.#again = null;
      await this.#check(next);
    }
  }

  #told({ diagnostics, errors, warnings, colours, whole }) {
    const lines = this.#area.value.split("\n").map((text) => ({ text, words: [] }));
    for (const [line, column, length, colour] of colours) lines[line]?.words.push([column, length, colour]);
    this.#coloured = lines;
    this.#found = diagnostics;
    this.#colour();
    this.#tellUnder();
    const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
    this.#state.textContent = errors + warnings > 0
      ? `${many(errors, "error")}, ${many(warnings, "warning")}`
      : whole ? "No mistakes, with every ruleset and option" : "No mistakes";
    this.#list.replaceChildren(...diagnostics.map((found) => this.#diagnostic(found)));
  }

  #diagnostic(found) {
    const there = () => found.units && this.#select(found.units.start, found.units.end);
    const labels = found.labels.map((label) => label.message).filter(Boolean).join("; ");
    const fixes = found.fixes.filter((fix) => fix.units).map((fix) =>
      element("button", { type: "button", class: "fix", onclick: () => this.#replace(fix.units, fix.replacement) }, fix.title));
    const place = found.units ? `line ${found.start.line}` : found.file;
    const code = element("a", { href: `/api/explain/${found.code}`, target: "_blank", rel: "noopener" }, found.code);
    return element("li", { class: found.severity },
      element("button", { type: "button", class: "place", onclick: there }, place), " ", code, " ", found.message,
      labels ? element("span", { class: "label" }, ` – ${labels}`) : null,
      found.help ? element("p", { class: "help" }, found.help) : null, ...fixes);
  }

  /** Replaces a part so that the browser's own undo knows it. */
  #replace({ start, end }, text) {
    this.#select(start, end);
    const done = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
    if (!done) {
      this.#area.setRangeText(text, start, end, "end");
      this.#changed();
    }
  }

  /** Colours every line that is known; those being written are plain until the checker has seen them. */
  #colour() {
    const texts = this.#area.value.split("\n");
    const known = this.#coloured;
    let head = 0;
    while (head < texts.length && known[head]?.text === texts[head]) head += 1;
    let tail = 0;
    while (tail < texts.length - head && tail < known.length - head && known.at(-1 - tail).text === texts.at(-1 - tail)) tail += 1;
    const wordsOf = (line) => {
      if (line < head) return known[line].words;
      return line >= texts.length - tail ? known[known.length - texts.length + line].words : [];
    };
    let start = 0;
    const painted = document.createDocumentFragment();
    texts.forEach((text, line) => {
      this.#line(painted, text, start, wordsOf(line));
      const first = this.#found.find(({ units }) => units && units.start >= start && units.start <= start + text.length);
      if (first) painted.append(element("span", { class: `tip ${first.severity}` }, first.message));
      painted.append("\n");
      start += text.length + 1;
    });
    this.#paint.replaceChildren(painted);
    this.#lines.textContent = texts.map((_, line) => line + 1).join("\n");
  }

  #line(out, text, start, words) {
    const wrong = this.#found.filter(({ units }) => units && units.start <= start + text.length && units.end >= start);
    const ends = new Set([0, text.length]);
    const within = (at) => Math.min(Math.max(at, 0), text.length);
    for (const [column, length] of words) ends.add(within(column)).add(within(column + length));
    for (const { units } of wrong) ends.add(within(units.start - start)).add(within(Math.max(units.end, units.start + 1) - start));
    const cuts = [...ends].sort((a, b) => a - b);
    for (let index = 0; index + 1 < cuts.length; index += 1) {
      const [from, to] = [cuts[index], cuts[index + 1]];
      const colour = words.find(([column, length]) => column <= from && to <= column + length)?.[2] ?? "";
      const bad = wrong.find(({ units }) => units.start <= start + from && start + to <= Math.max(units.end, units.start + 1));
      const classes = `${colour} ${bad ? `bad ${bad.severity}` : ""}`.trim();
      const piece = text.slice(from, to);
      out.append(classes ? element("span", { class: classes }, piece) : piece);
    }
  }

  async #format() {
    try {
      const { text } = await post("format", { text: this.#area.value });
      if (text !== this.#area.value) this.#replace({ start: 0, end: this.#area.value.length }, text);
      this.#state.textContent = "Formatted";
    } catch (error) {
      this.#state.textContent = trouble(error);
    }
  }

  async #playThis() {
    try {
      await this.#play(this.#area.value);
      this.#state.textContent = "A new game by these rules has begun";
      say(byId("trouble"));
    } catch (error) {
      this.#state.textContent = trouble(error);
      await this.#check(false);
    }
  }

  #download() {
    const url = URL.createObjectURL(new Blob([this.#area.value], { type: "text/plain" }));
    const link = element("a", { href: url, download: this.#name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  async #upload(file) {
    const [first] = file.files;
    file.value = "";
    if (!first) return;
    if (first.size > 128 * 1024) {
      this.#state.textContent = "This file is too long to be a rule text.";
      return;
    }
    this.#name = first.name;
    this.#replace({ start: 0, end: this.#area.value.length }, await first.text());
  }
}
