// The rule text: a text area over a coloured copy of it, with what the checker says.
import { Assist } from "./assist.js";
import { linkTo } from "./link.js";
import { byId, element, get, post, say, trouble } from "./api.js";

const SOON = 120;
const LATER = 900;

/** A line that begins a test or a recorded game, with its name. */
const SCRIPT = /^(?:test|record)\s+"([^"\n]*)"/;

export class Editor {
  session = null;
  /** What the page does for the editor: `play` a text, `show` a position with words, or none. */
  #page;
  #area;
  #paint;
  /** Buttons beside the tests. */
  #margin;
  #list;
  #all;
  /** How tests have gone, by name, until the text changes. */
  #results = new Map();
  /** The name of the shipped game that is shown, if it is one. */
  #game = null;
  /** The text as it was opened. */
  #opened = "";
  /** Whether tests are being run; one at a time. */
  #testing = false;
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

  constructor(root, page) {
    this.#page = page;
    this.#paint = element("div", { class: "paint", "aria-hidden": "true" });
    this.#margin = element("div", { class: "margin" });
    this.#area = element("textarea", {
      id: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "soft", "aria-label": "Rule text",
    });
    this.#list = element("ul", { class: "diagnostics", id: "diagnostics", "aria-label": "What is wrong" });
    this.#under = element("ul", { class: "under", id: "under", "aria-label": "What is wrong in this line", hidden: true });
    this.#state = element("p", { class: "state", id: "state", role: "status" });
    const file = element("input", { type: "file", accept: ".game,text/plain", hidden: true, onchange: () => this.#upload(file) });
    const button = (id, name, act, kind = "") => element("button", { type: "button", id, class: kind, onclick: act }, name);
    const layers = element("div", { class: "layers" }, this.#paint, this.#area, this.#margin, this.#under);
    this.#all = element("details", { class: "all", id: "all", hidden: true }, element("summary", {}, ""), this.#list);
    root.replaceChildren(
      element("div", { class: "buttons", role: "group", "aria-label": "Text" },
        button("play-this", "Play this", () => this.#playThis(), "primary"),
        button("run-tests", "Run tests", () => this.#test()),
        button("format", "Format", () => this.#format()),
        button("derive", "New from this", () => this.#derive()),
        button("share", "Copy link", () => this.#share()),
        button("download", "Download", () => this.#download()),
        button("upload", "Upload", () => file.click()), file),
      this.#state,
      element("div", { class: "text" }, layers),
      this.#all,
    );
    new Assist(this.#area, layers, this);
    new ResizeObserver(() => this.#fit()).observe(this.#area);
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
    this.#game = game.shipped ? game.name : null;
    this.#area.value = await get(`sessions/${id}/text`);
    this.#opened = this.#area.value;
    this.#area.setSelectionRange(0, 0);
    this.#changed();
    await this.#check(false);
  }

  /** Shows the rules of a session, unless that would throw away what somebody has written. */
  async renew(id, game) {
    if (this.#area.value === this.#opened) return this.open(id, game);
    this.session = id;
    this.#state.textContent = "The game is played by the file; your text has been kept as it is";
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
    const row = this.#paint.children[line];
    this.#area.scrollTop = Math.max(0, (row?.offsetTop ?? 0) - this.#area.clientHeight / 3);
    this.#scrolled();
  }

  #scrolled() {
    const { scrollTop } = this.#area;
    for (const layer of [this.#paint, this.#margin]) layer.style.transform = `translateY(${-scrollTop}px)`;
    this.#putUnder();
  }

  /** The coloured copy breaks its lines where the text does: it is as wide, without the scroll bar. */
  #fit() {
    this.#paint.style.width = `${this.#area.clientWidth}px`;
    this.#putMargin();
    this.#scrolled();
  }

  /** Where a place is seen, from the left upper corner of the text; lines and columns from 0. */
  where(line, column) {
    const row = this.#paint.children[line] ?? this.#paint.lastElementChild;
    const height = parseFloat(getComputedStyle(this.#area).lineHeight);
    const box = letter(row, column)?.getBoundingClientRect();
    const corner = this.#area.getBoundingClientRect();
    if (box) return { x: box.left - corner.left, y: box.top - corner.top, height };
    return { x: parseFloat(getComputedStyle(this.#area).paddingLeft), y: (row?.offsetTop ?? 0) - this.#area.scrollTop, height };
  }

  /** The line and column at a point of the window; none beside the text. */
  at(x, y) {
    const hit = ({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom;
    const line = [...this.#paint.children].findIndex((row) => hit(row.getBoundingClientRect()));
    if (line < 0) return null;
    const length = this.#area.value.split("\n")[line]?.length ?? 0;
    for (let column = 0; column < length; column += 1) {
      const box = letter(this.#paint.children[line], column)?.getBoundingClientRect();
      if (box && x >= box.left && x < box.right && y >= box.top - 3 && y < box.bottom + 3) return { line, column };
    }
    return null;
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
    const line = this.#caretLine();
    // What stands below the line need not stand behind it, too.
    [...this.#paint.children].forEach((row, index) => row.classList.toggle("told", index === line && !this.#under.hidden));
    const row = this.#paint.children[line];
    if (this.#under.hidden || !row) return;
    this.#under.style.top = `${row.offsetTop + row.offsetHeight - this.#area.scrollTop}px`;
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
    this.#results.clear();
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
    // How the tests of this very text went is not talked over.
    if (this.#results.size === 0) {
      this.#state.textContent = errors + warnings > 0
        ? `${many(errors, "error")}, ${many(warnings, "warning")}`
        : whole ? "No mistakes, with every ruleset and option" : "No mistakes";
    }
    this.#list.replaceChildren(...diagnostics.map((found) => this.#diagnostic(found)));
    this.#all.hidden = diagnostics.length === 0;
    this.#all.firstElementChild.textContent = `All messages (${diagnostics.length})`;
    // What has no place in this text is said nowhere else.
    if (diagnostics.some(({ units }) => !units)) this.#all.open = true;
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
      const row = element("div", { class: "row" });
      this.#line(row, text, start, wordsOf(line));
      const first = this.#found.find(({ units }) => units && units.start >= start && units.start <= start + text.length);
      if (first) row.append(element("span", { class: `tip ${first.severity}` }, first.message));
      if (text === "") row.append("\u200b");
      painted.append(row);
      start += text.length + 1;
    });
    this.#paint.replaceChildren(painted);
    this.#putMargin();
  }

  /** A button beside each test and recorded game, which says how it has gone. */
  #putMargin() {
    const rows = this.#paint.children;
    const buttons = this.#area.value.split("\n").flatMap((text, line) => {
      const name = SCRIPT.exec(text)?.[1];
      return name === undefined || !rows[line] ? [] : [this.#marker(name, rows[line].offsetTop)];
    });
    const focused = this.#focusedTest();
    this.#margin.replaceChildren(...buttons);
    if (focused !== null) this.#focusTest(focused);
  }

  /** The name of the test whose button is focused, or null. */
  #focusedTest() {
    const button = document.activeElement;
    return this.#margin.contains(button) ? button.dataset.test ?? null : null;
  }

  #focusTest(name) {
    [...this.#margin.children].find((button) => button.dataset.test === name)?.focus({ preventScroll: true });
  }

  /** While tests are run no others can be asked for. A button that is disabled loses the focus, which then goes back to it. */
  async #test(wanted) {
    if (this.#testing) return;
    const from = document.activeElement;
    const lost = () => [null, document.body, from].includes(document.activeElement);
    this.#setTesting(true);
    try {
      await this.#runTests(wanted);
    } finally {
      this.#setTesting(false);
      if (lost() && wanted === undefined) byId("run-tests").focus({ preventScroll: true });
      else if (lost()) this.#focusTest(wanted);
    }
  }

  #setTesting(testing) {
    this.#testing = testing;
    for (const button of [byId("run-tests"), ...this.#margin.children]) button.disabled = testing;
  }

  #marker(name, top) {
    const result = this.#results.get(name);
    const [sign, word] = result === undefined ? ["▸", "Run"] : result.ok ? ["✓", "Passed"] : ["✗", "Failed"];
    const told = result?.message ? `${word}: ${name}. ${result.message}` : `${word}: ${name}`;
    const kind = result === undefined ? "run" : result.ok ? "run passed" : "run failed";
    const button = element("button", { type: "button", class: kind, title: told, "aria-label": told, "data-test": name, disabled: this.#testing, onclick: () => this.#test(name) }, sign);
    button.style.top = `${top}px`;
    return button;
  }

  /** Runs the tests; the position at the end of the one that was asked for is shown on the board. */
  async #runTests(wanted) {
    const text = this.#area.value;
    this.#state.textContent = "The tests are being run";
    try {
      const { tests, shown } = await post("test", wanted === undefined ? { text } : { text, wanted });
      if (text !== this.#area.value) return;
      for (const test of tests) this.#results.set(test.name, test);
      this.#putMargin();
      const failed = tests.filter(({ ok }) => !ok);
      const one = (test) => (test.ok ? `“${test.name}” passes` : `“${test.name}” fails at line ${test.line}: ${test.message ?? ""}`);
      const many = failed.length === 0 ? `All ${tests.length} tests pass` : `${failed.length} of ${tests.length} tests fail. ${one(failed[0])}`;
      this.#state.textContent = tests.length === 0 ? "There are no tests" : tests.length === 1 ? one(tests[0]) : many;
      if (shown) this.#page.show(shown, `The end of “${wanted}”${tests[0]?.ok ? "" : `, which fails: ${tests[0]?.message ?? ""}`}`);
      else if (failed.length > 0) this.goTo({ line: failed[0].line });
    } catch (error) {
      this.#state.textContent = trouble(error);
      if (error.code === "bad_rules") await this.#goToError();
    }
  }

  /** Checks the text and puts the cursor at the first error. */
  async #goToError() {
    await this.#check(false);
    const first = this.#found.find(({ severity, units }) => severity === "error" && units);
    if (!first) return;
    this.#quiet = -1;
    this.#select(first.units.start, first.units.end);
    this.#tellUnder();
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
      await this.#page.play(this.#area.value);
      this.#state.textContent = "A new game by these rules has begun";
      say(byId("trouble"));
    } catch (error) {
      await this.#goToError();
      this.#state.textContent = error.code === "bad_rules" ? "This cannot be played yet: mend the error first" : trouble(error);
    }
  }

  /** Another text to begin with: a variant of a shipped game, or a copy of one's own under another name. */
  #derive() {
    const text = this.#area.value;
    const title = /^game\s+"([^"\n]*)"/m.exec(text)?.[1] ?? "Mine";
    // What has been written goes into the copy.
    const fresh = this.#game && text === this.#opened && !/^game\s+"[^"\n]*"\s+extends/m.test(text)
      ? `game "My ${title}" extends ${this.#game}\nabout "A variant."\n\n// All of the base is here. Name a move, a word, an option or a section again to replace it,\n// \`drop\` it, or add one.\n`
      : text.replace(/^(game\s+)"([^"\n]*)"/m, '$1"My $2"');
    this.#name = "mine.game";
    this.#replace({ start: 0, end: text.length }, fresh);
    this.#select(0, 0);
    this.#state.textContent = `A new game: change it, and press Play this`;
  }

  /** A link that holds the whole text. */
  async #share() {
    if (this.#found.some(({ severity }) => severity === "error")) return this.#goToError();
    const link = await linkTo(this.#area.value);
    try {
      await navigator.clipboard.writeText(link);
      this.#state.textContent = "The link is copied. Whoever opens it gets these rules.";
    } catch {
      window.prompt("The link to these rules", link);
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

/** The place of a letter in a coloured line; of the end of the line, the last letter. */
function letter(row, column) {
  if (!row) return null;
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  let rest = column;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.classList.contains("tip")) break;
    if (rest < node.length) {
      const range = document.createRange();
      range.setStart(node, rest);
      range.setEnd(node, rest + 1);
      return range;
    }
    rest -= node.length;
  }
  return null;
}
