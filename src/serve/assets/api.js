// Questions to the server, and small helpers to build a page from its answers.

/** What the server refuses: its code, sentence, way out, and details. */
export class Refused extends Error {
  constructor(error, status) {
    super(error.message);
    this.code = error.code;
    this.help = error.help;
    this.detail = error.detail;
    this.status = status;
  }
}

async function ask(path, init) {
  let response;
  try {
    response = await fetch(`/api/${path}`, init);
  } catch {
    throw new Refused({ code: "gone", message: "The server does not answer." }, 0);
  }
  const kind = response.headers.get("content-type") ?? "";
  const body = kind.includes("json") ? await response.json() : await response.text();
  if (!response.ok) {
    throw new Refused(body.error ?? { code: "bad", message: `The server answers ${response.status}.` }, response.status);
  }
  return body;
}

export const get = (path) => ask(path);
export const post = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** An element with attributes and children; text stays text. */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") node.className = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (typeof value === "boolean") node.toggleAttribute(key, value);
    else if (value !== undefined && value !== null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const byId = (id) => document.getElementById(id);

/** A sentence in an element that is hidden while there is nothing to say. */
export function say(node, ...content) {
  node.replaceChildren(...content.filter(Boolean));
  node.hidden = node.childNodes.length === 0;
}

/** A text as a sentence begins. */
export const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** What goes wrong, with its way out. */
export const trouble = (error) => (error.help ? `${error.message} (${error.help})` : error.message);

export const isDark = () => document.documentElement.dataset.theme === "dark";
export const theme = () => (isDark() ? "dark" : "light");

/** The sessions that this browser has seen, the newest first. */
export const recent = {
  all() {
    try { return JSON.parse(localStorage.getItem("recent") ?? "[]"); } catch { return []; }
  },
  add(id, title) {
    const others = this.all().filter((one) => one.id !== id);
    try { localStorage.setItem("recent", JSON.stringify([{ id, title }, ...others].slice(0, 8))); } catch { /* none kept */ }
  },
};
