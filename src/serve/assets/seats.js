// Which seat this browser plays in each game. Nobody is locked out by it: whoever has the link of a game may take any seat.

const read = () => { try { return JSON.parse(localStorage.getItem("seats") ?? "{}"); } catch { return {}; } };
/** As many games are remembered. */
const MANY = 100;

export const seats = {
  /** A number as text, `watch`, or nothing for all seats of people. */
  mine(id) {
    return read()[id] ?? "";
  },
  take(id, seat) {
    const { [id]: _, ...others } = read();
    const kept = Object.fromEntries(Object.entries(others).slice(-MANY));
    if (/^(\d+|watch)$/.test(seat)) kept[id] = seat;
    try { localStorage.setItem("seats", JSON.stringify(kept)); } catch { /* all seats are this browser's */ }
  },
  /** The same seat in the next game, or one that is so much further on. */
  goOn(id, next, by, count) {
    const seat = this.mine(id);
    if (this.mine(next) === "") this.take(next, /^\d+$/.test(seat) ? String((Number(seat) + by) % count) : seat);
  },
};
