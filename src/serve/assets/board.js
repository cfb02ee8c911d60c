// The board: the server's picture with sites that can be clicked, and gone over with arrow keys.

const SVG = "http://www.w3.org/2000/svg";
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export class Board {
  #root;
  #onsite;
  #sites = new Map();
  #current = null;
  #sheet = new CSSStyleSheet();

  /** `onsite` is told the name of a site that is clicked or entered. */
  constructor(root, onsite) {
    this.#root = root;
    this.#onsite = onsite;
    document.adoptedStyleSheets.push(this.#sheet);
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("focusin", (event) => this.#ring(event.target.closest(".site")));
    root.addEventListener("focusout", () => this.#ring(null));
  }

  /** Shows a picture. What is focused stays so. */
  draw(text) {
    // Styles within a page are forbidden to all, so that no rule file can bring its own: they are taken out first.
    const [, before, style, after] = text.match(/^([^]*?)<style>([^]*?)<\/style>([^]*)$/) ?? [null, text, "", ""];
    const svg = new DOMParser().parseFromString(before + after, "image/svg+xml").documentElement;
    if (svg.localName !== "svg") return;
    this.#sheet.replaceSync(style);
    const title = svg.querySelector(":scope > title");
    // What lies in a picture cannot be reached; what lies in a group can.
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", title?.textContent ?? "Board");
    title?.remove();
    const focused = this.#root.contains(document.activeElement);
    this.#sites.clear();
    for (const node of svg.querySelectorAll(".site")) {
      const place = (node.getAttribute("transform") ?? "").match(/-?[\d.]+/g) ?? [0, 0];
      const words = node.querySelector("title")?.textContent ?? node.dataset.site;
      this.#sites.set(node.dataset.site, { node, x: Number(place[0]), y: Number(place[1]), words });
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", words);
      node.setAttribute("tabindex", "-1");
    }
    this.#root.replaceChildren(document.importNode(svg, true));
    for (const node of this.#root.querySelectorAll(".site")) this.#sites.get(node.dataset.site).node = node;
    if (!this.#sites.has(this.#current)) this.#current = this.#sites.keys().next().value ?? null;
    this.#sites.get(this.#current)?.node.setAttribute("tabindex", "0");
    if (focused) this.#sites.get(this.#current)?.node.focus({ preventScroll: true });
  }

  /** Lights up the sites that may be chosen, those that have been, and those of a hint. */
  mark({ open = [], chosen = [], hint = [], first = true }) {
    const [opened, taken, hinted] = [open, chosen, hint].map((names) => new Set(names));
    for (const [name, { node, words }] of this.#sites) {
      for (const old of node.querySelectorAll(".mark")) old.remove();
      const can = opened.has(name);
      node.classList.toggle("can", can);
      node.setAttribute("aria-label", can ? `${words}, can be chosen` : taken.has(name) ? `${words}, chosen` : words);
      if (taken.has(name)) this.#outline(node, "chosen");
      if (hinted.has(name)) this.#outline(node, "chosen hint");
      if (can && node.querySelector(".content .piece, .pit")) this.#outline(node, "source");
      else if (can) this.#dot(node, first);
    }
  }

  focus() {
    this.#sites.get(this.#current)?.node.focus();
  }

  #add(node, mark, classes) {
    mark.setAttribute("class", `mark ${classes}`);
    node.insertBefore(mark, node.querySelector(":scope > .content"));
  }

  #outline(node, classes) {
    const shape = node.querySelector(".cell, .pit, .area")?.cloneNode(false);
    if (!shape) return;
    shape.setAttribute("transform", "scale(.92)");
    this.#add(node, shape, classes);
  }

  /** Shows where the keyboard is: over the whole board, since what lies beside a site covers its border. */
  #ring(node) {
    for (const old of this.#root.querySelectorAll(".focus")) old.remove();
    const shape = node?.matches(":focus-visible") && node.querySelector(".cell, .pit, .area")?.cloneNode(false);
    if (!shape) return;
    shape.setAttribute("class", "focus");
    shape.setAttribute("transform", node.getAttribute("transform") ?? "");
    node.ownerSVGElement.append(shape);
  }

  #dot(node, faint) {
    const dot = document.createElementNS(SVG, "circle");
    dot.setAttribute("r", faint ? "4" : "6.5");
    this.#add(node, dot, faint ? "target faint" : "target");
  }

  #click(event) {
    const name = event.target.closest?.(".site")?.dataset.site;
    if (name === undefined) return;
    this.#step(name);
    this.#onsite(name);
  }

  #step(name) {
    this.#sites.get(this.#current)?.node.setAttribute("tabindex", "-1");
    this.#current = name;
    const node = this.#sites.get(name)?.node;
    node?.setAttribute("tabindex", "0");
    node?.focus({ preventScroll: true });
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if ((event.key === "Enter" || event.key === " ") && this.#current !== null) {
      event.preventDefault();
      this.#onsite(this.#current);
      return;
    }
    const way = ARROWS[event.key];
    const from = this.#sites.get(this.#current);
    if (!way || !from) return;
    event.preventDefault();
    // The next site is the one that lies furthest in this direction and least beside it.
    let best = null;
    for (const [name, site] of this.#sites) {
      const [dx, dy] = [site.x - from.x, site.y - from.y];
      const along = dx * way[0] + dy * way[1];
      const beside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      const far = along + 2 * beside;
      if (along > 1 && (best === null || far < best.far)) best = { name, far };
    }
    if (best) this.#step(best.name);
  }
}
