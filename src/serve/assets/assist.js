// Help at the caret: what may stand there, and what a name means, as the language server has it.
import { element, post } from "./api.js";

const SOON = 80;
const REST = 350;
const MANY = 40;

export class Assist {
  #area;
  /** Where places of the text are seen: see `Editor.where` and `Editor.at`. */
  #sight;
  #list;
  #note;
  /** Where the word begins that the offers are for; -1 for none. */
  #from = -1;
  #offers = [];
  #shown = [];
  #chosen = 0;
  #timer = 0;
  #rest = 0;

  constructor(area, layer, sight) {
    this.#area = area;
    this.#sight = sight;
    this.#list = element("ul", { class: "offers", id: "offers", role: "listbox", "aria-label": "What may stand here", hidden: true });
    this.#note = element("div", { class: "note", id: "note", role: "status", hidden: true });
    layer.append(this.#list, this.#note);
    area.setAttribute("aria-controls", "offers");
    area.addEventListener("keydown", (event) => this.#key(event));
    area.addEventListener("input", (event) => this.#typed(event));
    area.addEventListener("mousemove", (event) => this.#pointed(event));
    for (const leaving of ["blur", "mousedown"]) area.addEventListener(leaving, () => this.close());
    // Typing scrolls, too, where the caret was out of sight.
    area.addEventListener("scroll", () => {
      this.#forget();
      if (!this.#list.hidden) this.#put(this.#list, this.#place(this.#from));
    });
    area.addEventListener("mouseleave", () => this.#forget());
  }

  close() {
    clearTimeout(this.#timer);
    this.#from = -1;
    this.#list.hidden = true;
    this.#area.removeAttribute("aria-activedescendant");
    this.#forget();
  }

  #forget() {
    clearTimeout(this.#rest);
    this.#note.hidden = true;
  }

  /** Line and column of an offset, from 0. */
  #place(offset) {
    const before = this.#area.value.slice(0, offset);
    return { line: before.split("\n").length - 1, column: before.length - before.lastIndexOf("\n") - 1 };
  }

  /** Puts a box below a place, and above it where there is no room below. */
  #put(box, { line, column }) {
    const { x, y, height } = this.#sight.where(line, column);
    const { clientWidth, clientHeight } = this.#area;
    box.hidden = false;
    const below = y + height;
    const above = below + box.offsetHeight > clientHeight && y - box.offsetHeight >= 0;
    box.style.top = `${above ? y - box.offsetHeight : below}px`;
    box.style.left = `${Math.max(0, Math.min(x, clientWidth - box.offsetWidth))}px`;
  }

  // ---- what may stand here ----

  #word() {
    const end = this.#area.selectionEnd;
    return { end, from: end - /[A-Za-z0-9_]*$/.exec(this.#area.value.slice(0, end))[0].length };
  }

  #typed(event) {
    this.#forget();
    const { from, end } = this.#word();
    if (this.#from === from && end > from) this.#show();
    else if (end > from && (event.inputType === "insertText" || event.inputType === "insertCompositionText")) {
      this.close();
      this.#timer = setTimeout(() => this.#ask(), SOON);
    } else this.close();
  }

  async #ask() {
    const { from } = this.#word();
    const text = this.#area.value;
    let items;
    try {
      ({ items } = await post("complete", { text, ...this.#place(this.#area.selectionEnd) }));
    } catch {
      return;
    }
    if (this.#word().from !== from || document.activeElement !== this.#area) return;
    this.#from = from;
    this.#offers = items;
    this.#show();
  }

  #show() {
    const { from, end } = this.#word();
    const begun = this.#area.value.slice(from, end).toLowerCase();
    this.#shown = this.#offers.filter(({ label }) => label.toLowerCase().startsWith(begun)).slice(0, MANY);
    if (this.#shown.length === 0 || (this.#shown.length === 1 && this.#shown[0].label.length === begun.length)) {
      this.#list.hidden = true;
      return;
    }
    this.#list.replaceChildren(...this.#shown.map((offer, index) => {
      const take = (event) => { event.preventDefault(); this.#take(index); };
      return element("li", { role: "option", id: `offer-${index}`, title: offer.documentation ?? null, onmousedown: take },
        offer.label, offer.detail ? element("span", { class: "detail" }, offer.detail) : null);
    }));
    this.#choose(0);
    this.#put(this.#list, this.#place(from));
  }

  #choose(index) {
    this.#chosen = (index + this.#shown.length) % this.#shown.length;
    [...this.#list.children].forEach((row, at) => row.setAttribute("aria-selected", String(at === this.#chosen)));
    this.#list.children[this.#chosen].scrollIntoView({ block: "nearest" });
    this.#area.setAttribute("aria-activedescendant", `offer-${this.#chosen}`);
  }

  #take(index) {
    const { end } = this.#word();
    const offer = this.#shown[index];
    this.#area.setSelectionRange(this.#from, end);
    // Typed, so that the browser's own undo knows it.
    document.execCommand("insertText", false, offer.insertText ?? offer.label);
    this.close();
  }

  #key(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#ask();
    } else if (event.key === "F1") {
      event.preventDefault();
      this.#tell(this.#place(this.#area.selectionEnd));
    } else if (this.#list.hidden) {
      if (event.key === "Escape") this.close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      this.#choose(this.#chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      event.preventDefault();
      this.#take(this.#chosen);
    } else if (["Escape", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) {
      this.close();
    }
  }

  // ---- what a name means ----

  #pointed({ clientX, clientY }) {
    this.#forget();
    if (!this.#list.hidden) return;
    this.#rest = setTimeout(() => {
      const place = this.#sight.at(clientX, clientY);
      const letter = place ? this.#area.value.split("\n")[place.line]?.[place.column] ?? "" : "";
      if (/\w/.test(letter)) this.#tell(place);
    }, REST);
  }

  async #tell(place) {
    const text = this.#area.value;
    let hover;
    try {
      ({ hover } = await post("hover", { text, ...place }));
    } catch {
      return;
    }
    if (!hover || text !== this.#area.value) return;
    // Fences stand around code; the rest is prose.
    const parts = hover.contents.value.split(/^```.*$/m).map((part) => part.replace(/^\n+|\n+$/g, ""));
    this.#note.replaceChildren(...parts.map((part, index) => element(index % 2 === 1 ? "pre" : "p", {}, part)).filter((part) => part.textContent));
    this.#put(this.#note, { line: place.line, column: hover.range?.start.character ?? place.column });
  }
}
