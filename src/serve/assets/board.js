// The board: the server's picture with sites that can be clicked, dragged from, and gone over with arrow keys.
import { theme } from "./api.js";
import { move, standing } from "./motion.js";
import { turned } from "./turn.js";

const SVG = "http://www.w3.org/2000/svg";
/** A pointer that has gone so far drags. */
const DRAG = 6;
/** Where more of the board can be chosen, dots would say nothing. */
const OPEN = 0.4;
/** Sites that are smaller on the screen are aimed at first, and chosen by a second touch. */
const FINGER = 32;
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export class Board {
  #root;
  #onsite;
  #sites = new Map();
  #current = null;
  /** What choosing a site would do: a list of sites with the pieces that come there. */
  #effects = new Map();
  #drag = null;
  /** The click that a drag ends with means nothing more. */
  #dragged = false;
  #sheet = new CSSStyleSheet();
  #onaim;
  /** The site that a finger has aimed at. */
  #aimed = null;
  /** How far sites lie apart in the picture. */
  #apart = Infinity;
  /** Whether most of the board can be chosen. */
  #most = false;

  /** `onsite` is told the name of a site that is clicked or entered, `onaim` of one that is to be touched once more. */
  constructor(root, onsite, onaim = () => {}) {
    this.#root = root;
    this.#onsite = onsite;
    this.#onaim = onaim;
    document.adoptedStyleSheets.push(this.#sheet);
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("focusin", (event) => {
      const site = event.target.closest(".site");
      this.#ring(site);
      if (site?.matches(":focus-visible")) this.ghost(this.#effects.get(site.dataset.site));
    });
    root.addEventListener("focusout", () => { this.#ring(null); this.ghost(null); });
    root.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse" && !this.#drag) this.ghost(this.#effects.get(event.target.closest?.(".site")?.dataset.site));
    });
    root.addEventListener("pointerleave", () => this.ghost(null));
    root.addEventListener("pointerdown", (event) => this.#grasp(event));
    addEventListener("pointermove", (event) => this.#carry(event));
    addEventListener("pointerup", (event) => this.#drop(event));
    addEventListener("pointercancel", () => this.#letGo());
  }

  /** Shows a picture with a style sheet, or with the one that it brings. What is focused stays so, and what moved is seen moving. */
  draw(text, sheet = null) {
    // Styles within a page are forbidden to all, so that no rule file can bring its own: they are taken out first.
    const [, before, style, after] = text.match(/^([^]*?)<style>([^]*?)<\/style>([^]*)$/) ?? [null, text, "", ""];
    const svg = new DOMParser().parseFromString(before + after, "image/svg+xml").documentElement;
    if (svg.localName !== "svg") return;
    this.#sheet.replaceSync(sheet ?? style);
    svg.setAttribute("class", `ludwright ${theme()}`);
    turned(svg, this.#root);
    const stood = standing(this.#sites);
    this.#letGo();
    this.#aimed = null;
    const title = svg.querySelector(":scope > title");
    // What lies in a picture cannot be reached; what lies in a group can.
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", title?.textContent ?? "Board");
    title?.remove();
    const focused = this.#root.contains(document.activeElement);
    this.#sites.clear();
    const labels = document.createElementNS(SVG, "g");
    labels.setAttribute("class", "labels");
    labels.setAttribute("aria-hidden", "true");
    for (const node of svg.querySelectorAll(".site")) {
      const place = (node.getAttribute("transform") ?? "").match(/-?[\d.]+/g) ?? [0, 0];
      const words = node.querySelector("title")?.textContent ?? node.dataset.site;
      this.#sites.set(node.dataset.site, { node, x: Number(place[0]), y: Number(place[1]), words });
      node.setAttribute("role", "button");
      node.setAttribute("aria-label", words);
      node.setAttribute("tabindex", "-1");
      // Names of sites are no part of what stands there.
      for (const text of node.querySelectorAll(":scope > text.coordinates")) {
        text.setAttribute("transform", node.getAttribute("transform") ?? "");
        labels.append(text);
      }
    }
    svg.append(labels);
    this.#root.replaceChildren(document.importNode(svg, true));
    for (const node of this.#root.querySelectorAll(".site")) this.#sites.get(node.dataset.site).node = node;
    move(this.#root.firstElementChild, stood, standing(this.#sites));
    this.#apart = apart([...this.#sites.values()]);
    if (!this.#sites.has(this.#current)) this.#current = this.#sites.keys().next().value ?? null;
    this.#sites.get(this.#current)?.node.setAttribute("tabindex", "0");
    if (focused) this.#sites.get(this.#current)?.node.focus({ preventScroll: true });
  }

  /** Lights up the sites that may be chosen, those that have been, and those of a hint. */
  mark({ open = [], chosen = [], hint = [], first = true, effects = new Map() }) {
    this.#effects = effects;
    this.#aimed = null;
    this.ghost(null);
    this.#most = open.length > this.#sites.size * OPEN && open.length > 12;
    const [opened, taken, hinted] = [open, chosen, hint].map((names) => new Set(names));
    for (const [name, { node, words }] of this.#sites) {
      for (const old of node.querySelectorAll(".mark")) old.remove();
      const can = opened.has(name);
      node.classList.toggle("can", can);
      // Tab goes through what can be chosen, unless that is most of the board.
      node.setAttribute("tabindex", name === this.#current || (can && !this.#most) ? "0" : "-1");
      node.setAttribute("aria-label", can ? `${words}, can be chosen` : taken.has(name) ? `${words}, chosen` : words);
      if (taken.has(name)) this.#outline(node, "chosen");
      if (hinted.has(name)) this.#outline(node, "chosen hint");
      const piece = node.querySelector(".content .piece, .pit");
      node.classList.toggle("carry", can && first && !!node.querySelector(".content .piece"));
      if (can && piece) this.#outline(node, "source");
      else if (can && !(first && this.#most)) this.#dot(node, first);
    }
  }

  /** Shows what a choice would do, faintly: sites with what comes there, or nothing. */
  ghost(changes) {
    const svg = this.#root.firstElementChild;
    for (const old of this.#root.querySelectorAll(".ghosts")) old.remove();
    for (const old of this.#root.querySelectorAll(".going")) old.classList.remove("going");
    if (!svg || !changes) return;
    const layer = document.createElementNS(SVG, "g");
    layer.setAttribute("class", "ghosts");
    for (const [name, drawn] of changes) {
      const site = this.#sites.get(name);
      if (!site) continue;
      site.node.classList.add("going");
      if (drawn) layer.append(piece(drawn, site));
    }
    svg.append(layer);
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

  #grasp(event) {
    const node = event.target.closest?.(".site.carry");
    if (!node || event.button !== 0 || !event.isPrimary) return;
    this.#drag = { name: node.dataset.site, x: event.clientX, y: event.clientY, clone: null, picked: null };
  }

  #carry(event) {
    const drag = this.#drag;
    if (!drag || !event.isPrimary) return;
    const svg = this.#root.firstElementChild;
    const site = this.#sites.get(drag.name);
    if (!svg || !site) return this.#letGo();
    if (!drag.clone) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG) return;
      const drawn = [...site.node.querySelectorAll(".content .piece")].map((one) => one.outerHTML).join("");
      drag.clone = piece(drawn, { x: 0, y: 0 });
      drag.clone.classList.add("carried");
      svg.append(drag.clone);
      site.node.classList.add("lifted");
      drag.picked = this.#onsite(drag.name);
    }
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    if (!drag.clone.isConnected) svg.append(drag.clone);
    drag.clone.setAttribute("transform", `translate(${at.x} ${at.y})`);
  }

  async #drop(event) {
    const drag = this.#drag;
    this.#letGo();
    if (!drag?.clone) return;
    this.#dragged = true;
    setTimeout(() => { this.#dragged = false; });
    const name = document.elementFromPoint(event.clientX, event.clientY)?.closest(".site")?.dataset.site;
    await drag.picked;
    if (name !== undefined && name !== drag.name && this.#sites.has(name)) {
      this.#step(name);
      await this.#onsite(name);
    }
  }

  #letGo() {
    this.#drag?.clone?.remove();
    this.#drag = null;
    for (const old of this.#root.querySelectorAll(".lifted")) old.classList.remove("lifted");
  }

  #click(event) {
    if (this.#dragged) return;
    const name = event.target.closest?.(".site")?.dataset.site;
    if (name === undefined) return;
    this.#step(name);
    if (event.pointerType === "touch" && this.#aims(name)) return;
    this.#onsite(name);
  }

  /** Whether a touch only aims: a finger hides small sites, so that what was hit is shown first. */
  #aims(name) {
    const svg = this.#root.firstElementChild;
    const site = this.#sites.get(name);
    if (!svg || !site?.node.classList.contains("can") || this.#apart * (svg.getScreenCTM()?.a ?? 1) >= FINGER) return false;
    for (const old of this.#root.querySelectorAll(".mark.aimed")) old.remove();
    if (this.#aimed === name) {
      this.#aimed = null;
      return false;
    }
    this.#aimed = name;
    this.#outline(site.node, "chosen aimed");
    this.ghost(this.#effects.get(name));
    this.#onaim(name);
    return true;
  }

  #step(name) {
    const before = this.#sites.get(this.#current)?.node;
    if (this.#most || !before?.classList.contains("can")) before?.setAttribute("tabindex", "-1");
    this.#current = name;
    const node = this.#sites.get(name)?.node;
    node?.setAttribute("tabindex", "0");
    node?.focus({ preventScroll: true });
  }

  /** Goes to the next site that can be chosen, round the board. */
  #next(by) {
    const names = [...this.#sites].filter(([name, { node }]) => name === this.#current || node.classList.contains("can")).map(([name]) => name);
    const next = names[(names.indexOf(this.#current) + by + names.length) % names.length];
    if (next !== undefined) this.#step(next);
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if ((event.key === "Enter" || event.key === " ") && this.#current !== null) {
      event.preventDefault();
      const focused = event.target.closest?.(".site")?.dataset.site;
      if (focused !== undefined) this.#step(focused);
      this.#onsite(this.#current);
      return;
    }
    if (event.key.toLowerCase() === "n") return this.#next(event.shiftKey ? -1 : 1);
    const way = ARROWS[event.key];
    const from = this.#sites.get(event.target.closest?.(".site")?.dataset.site ?? this.#current);
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

/** How far the two nearest of some sites lie apart. */
function apart(sites) {
  let least = Infinity;
  for (const one of sites.slice(0, 60)) {
    for (const other of sites) if (other !== one) least = Math.min(least, Math.hypot(one.x - other.x, one.y - other.y));
  }
  return least;
}

/** A piece by itself, somewhere on the board. */
export function piece(drawn, { x, y }) {
  const parsed = new DOMParser().parseFromString(`<svg xmlns="${SVG}"><g>${drawn}</g></svg>`, "image/svg+xml");
  const group = document.importNode(parsed.documentElement.firstElementChild ?? document.createElementNS(SVG, "g"), true);
  group.setAttribute("transform", `translate(${x} ${y})`);
  return group;
}
