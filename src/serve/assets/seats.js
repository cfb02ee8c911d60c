// Which seat this browser plays in each game. Nobody is locked out by it: whoever has the link of a game may take any seat,
// but for games that hide something, where each seat has a key that only the first who asks for it is given.

const read = (what = "seats") => { try { return JSON.parse(localStorage.getItem(what) ?? "{}"); } catch { return {}; } };
/** Keeps something of a game, and of the games before it. */
function write(what, id, value) {
  const { [id]: _, ...others } = read(what);
  const kept = Object.fromEntries(Object.entries(others).slice(-MANY));
  if (value !== null) kept[id] = value;
  try { localStorage.setItem(what, JSON.stringify(kept)); } catch { /* all seats are this browser's */ }
}
/** As many games are remembered. */
const MANY = 100;

export const seats = {
  /** A number as text, `watch`, or nothing for all seats of people. */
  mine(id) {
    return read()[id] ?? "";
  },
  take(id, seat) {
    write("seats", id, /^(\d+|watch)$/.test(seat) ? seat : null);
  },
  /** What this browser proves the seat with that it plays; nothing where it needs no proof. */
  key(id) {
    return read("keys")[id]?.[this.mine(id)] ?? null;
  },
  keep(id, seat, key) {
    write("keys", id, { ...read("keys")[id], [seat]: key });
  },
  /** The same seat in the next game, or one that is so much further on. */
  goOn(id, next, by, count) {
    const seat = this.mine(id);
    const further = (one) => String((Number(one) + by) % count);
    if (this.mine(next) === "") this.take(next, /^\d+$/.test(seat) ? further(seat) : seat);
    for (const [one, key] of Object.entries(read("keys")[id] ?? {})) this.keep(next, further(one), key);
  },
};
