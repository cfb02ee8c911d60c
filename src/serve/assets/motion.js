// What has changed on the board, shown as a motion: pieces that went somewhere go there, others come and fade.

const TIME = 150;
/** More at once is another position, not a move. */
const MANY = 60;

const still = matchMedia("(prefers-reduced-motion: reduce)");
const SVG = "http://www.w3.org/2000/svg";

/** The pieces on the board by site, as they are drawn. */
export function standing(sites) {
  const pieces = new Map();
  for (const [name, { node, x, y }] of sites) {
    const drawn = [...node.querySelectorAll(".content .piece")].map((piece) => piece.outerHTML).join("");
    pieces.set(name, { drawn, x, y, node });
  }
  return pieces;
}

/** Shows how one position became the next; `svg` already shows the new one. */
export function move(svg, before, after) {
  if (still.matches || document.hidden || before.size !== after.size) return;
  const gone = [...before].filter(([name, { drawn }]) => drawn && after.get(name)?.drawn !== drawn);
  const come = [...after].filter(([name, { drawn }]) => drawn && before.get(name)?.drawn !== drawn);
  if (gone.length + come.length === 0 || gone.length + come.length > MANY) return;
  const layer = document.createElementNS(SVG, "g");
  layer.setAttribute("class", "motion");
  svg.append(layer);
  const left = new Set(gone);
  for (const [, to] of come) {
    const content = to.node.querySelector(".content");
    const far = ([, from]) => Math.hypot(from.x - to.x, from.y - to.y);
    const from = [...left].filter(([, { drawn }]) => drawn === to.drawn).sort((a, b) => far(a) - far(b))[0];
    if (from) {
      left.delete(from);
      const clone = put(layer, to, content.cloneNode(true));
      content.classList.add("away");
      const back = `translate(${from[1].x - to.x}px, ${from[1].y - to.y}px)`;
      clone.animate([{ transform: back }, { transform: "none" }], { duration: TIME, easing: "ease-out" })
        .finished.catch(() => {}).then(() => content.classList.remove("away"));
    } else {
      content.animate([{ opacity: 0, transform: "scale(.6)" }, { opacity: 1, transform: "none" }], { duration: TIME, easing: "ease-out" });
    }
  }
  for (const [, from] of left) {
    const clone = put(layer, from, from.node.querySelector(".content").cloneNode(true));
    clone.animate([{ opacity: 1 }, { opacity: 0 }], { duration: TIME, fill: "forwards" });
  }
  setTimeout(() => layer.remove(), TIME);
}

function put(layer, { x, y }, content) {
  const place = document.createElementNS(SVG, "g");
  place.setAttribute("transform", `translate(${x} ${y})`);
  for (const mark of content.querySelectorAll(".last, .source, .target")) mark.remove();
  content.classList.remove("away");
  place.append(content);
  layer.append(place);
  return content;
}
