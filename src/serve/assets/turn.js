// Boards of hexagons that lie aslant are turned on narrow screens, so that their cells are as large as there is room for.

/** Turns after which an upright hexagon looks as before. */
const TURNS = [0, Math.PI / 3, -Math.PI / 3];
/** How much of the height of a window a board may take. */
const SHARE = 0.72;
const narrow = matchMedia("(max-width: 52rem) and (orientation: portrait)");

const numbers = (text) => (text?.match(/-?[\d.]+/g) ?? []).map(Number);

/** Moves all that has a place in a picture; the cells themselves stay as they are. */
export function turned(svg, root) {
  if (!narrow.matches || !isHexagons(svg)) return;
  const [left, top, width, height] = numbers(svg.getAttribute("viewBox"));
  const sites = [...svg.querySelectorAll(".site")].map((node) => [node, ...numbers(node.getAttribute("transform"))]);
  const labels = [...svg.querySelectorAll(".coordinates text")].map((node) => [node, Number(node.getAttribute("x")), Number(node.getAttribute("y"))]);
  const room = [root.clientWidth || innerWidth, innerHeight * SHARE];
  const sized = TURNS.map((angle) => ({ angle, box: box([...sites, ...labels].map(([, x, y]) => about(angle, x, y))) }));
  const scale = ({ box: [, , w, h] }) => Math.min(room[0] / w, room[1] / h);
  const best = sized.reduce((one, other) => (scale(other) > scale(one) * 1.1 ? other : one));
  if (best.angle === 0) return;
  for (const [node, x, y] of sites) node.setAttribute("transform", `translate(${about(best.angle, x, y).map(round).join(" ")})`);
  for (const [node, x, y] of labels) {
    const [a, b] = about(best.angle, x, y);
    node.setAttribute("x", String(round(a)));
    node.setAttribute("y", String(round(b)));
  }
  svg.setAttribute("viewBox", best.box.map(round).join(" "));
  svg.querySelector(".page")?.remove();
}

/** Upright hexagons that stand by themselves: nothing is drawn between them. */
function isHexagons(svg) {
  if (svg.querySelector(".lines, .plate, .bar, .point, .caption")) return false;
  const cells = [...svg.querySelectorAll(".site > .cell")];
  return cells.length > 0 && cells.every((cell) => numbers(cell.getAttribute("d")).length === 12 && /^M0 -/.test(cell.getAttribute("d")));
}

const round = (number) => Math.round(number * 100) / 100;
const about = (angle, x, y) => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];

/** The box around some middles of cells, with room for half a cell. */
function box(points) {
  const [BESIDE, ABOVE] = [25, 29];
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs) - BESIDE, Math.min(...ys) - ABOVE];
  return [x, y, Math.max(...xs) + BESIDE - x, Math.max(...ys) + ABOVE - y];
}
