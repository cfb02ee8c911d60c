// The game of this page: what is known of it, what is looked at, and what is asked of the server, one thing after the other.
// What stands on the page follows from its events: `entered`, `shown`, `looked`, `status`, `refused` and `trouble`.
import { get, post, trouble } from "./api.js";
import { Live } from "./live.js";
import { seats } from "./seats.js";

class Game extends EventTarget {
  id = location.pathname.split("/").pop();
  view = null;
  /** What can be told without a change of the game. */
  status = {};
  /** The ply that is looked at; none for the present one. */
  looking = null;
  /** A position that is no part of this game, with what is to be said of it. */
  elsewhere = null;
  #work = Promise.resolve();
  #live = new Live((news) => this.#hear(news));

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Does something whenever something has happened. */
  on(name, task) {
    this.addEventListener(name, (event) => task(event.detail));
  }

  /** An address of this game, with the key of this browser's seat where it has one. */
  path(rest = "") {
    const path = rest === "" ? `sessions/${this.id}` : `sessions/${this.id}/${rest}`;
    const key = seats.key(this.id);
    return key === null ? path : `${path}${path.includes("?") ? "&" : "?"}key=${key}`;
  }

  /** Which seat this browser plays: a number as text, `watch`, or nothing for all seats of people. */
  get as() {
    return seats.mine(this.id);
  }

  /** The seat that this browser plays alone, if it does. */
  get seat() {
    return /^\d+$/.test(this.as) ? Number(this.as) : null;
  }

  get isMine() {
    const { view } = this;
    return view !== null && !this.elsewhere && !view.over && view.decider === "human" && this.looking === null
      && (this.as === "" && !view.hides || view.chance && this.as !== "watch" || this.seat === view.to_move);
  }

  /** The ply whose position is shown. */
  get ply() {
    return this.looking ?? this.view.now;
  }

  playerOf(seat) {
    return this.view.players[seat]?.name ?? "";
  }

  /** A player with the name of the person, if that is known. */
  named(seat) {
    return this.view.names?.[seat] ? `${this.playerOf(seat)} (${this.view.names[seat]})` : this.playerOf(seat);
  }

  listen() {
    this.#live.open(this.id, () => this.view?.version ?? 0, () => this.seat, (rest) => this.path(rest));
  }

  #hear({ view: next, status, trouble: error }) {
    if (error) return this.#tell("trouble", trouble(error));
    if (next && next.id === this.id && next.version > (this.view?.version ?? 0)) this.show(next, this.looking !== null && next.now > 0);
    if (status && this.view) this.hear(status);
  }

  hear(status) {
    const before = this.status;
    this.status = status;
    this.#tell("status", before);
  }

  /** Does something, and says what goes wrong. */
  async attempt(task) {
    if (!this.view) return;
    try {
      await this.#renewing(task);
    } catch (error) {
      this.#tell("refused", error.detail?.sentence ? error.detail : { sentence: trouble(error) });
    }
  }

  /** What was asked of a position that is no more shows the present one instead. */
  async #renewing(task) {
    try {
      await task();
    } catch (error) {
      if (error.code !== "stale") throw error;
      await this.refresh();
    }
  }

  /** Does it when all that was begun before is done: news may be seen before the answer to what brought it about. */
  guarded(task) {
    this.#work = this.#work.then(() => this.attempt(task));
    return this.#work;
  }

  /** Asks for a change of the game, and shows what has become of it. */
  change(what, body = {}, moved = false) {
    return this.guarded(async () => this.answered(await post(this.path(what), body), moved));
  }

  /** Shows what a request was answered with, unless something newer has been heard meanwhile. Whoever has moved and looks
      back since, before the answer has come, stays there. */
  answered(next, moved = false) {
    const known = this.view?.version ?? 0;
    if (next.version >= known) this.show(next, moved && next.version === known && this.looking !== null);
  }

  async refresh() {
    this.show(await get(this.path()));
  }

  /** Takes a seat of a game that hides something, or the first that is free; whoever gets none watches. */
  async claim(wanted = null) {
    try {
      const { seat, key } = await post(`sessions/${this.id}/claim`, wanted === null ? {} : { seat: wanted });
      seats.keep(this.id, String(seat), key);
      seats.take(this.id, String(seat));
    } catch (error) {
      if (error.code !== "taken") throw error;
      seats.take(this.id, "watch");
      this.#tell("refused", { sentence: trouble(error) });
    }
    this.listen();
    // The version may be the one that is known, seen from elsewhere.
    this.view = null;
    await this.refresh();
  }

  /** Whether this browser sits at no seat yet where it needs a key for one. */
  get isSeatless() {
    return this.view.hides && !this.view.over && this.as !== "watch" && seats.key(this.id) === null;
  }

  show(next, keep = false) {
    if (next.id !== this.id) return;
    const past = keep ? this.looking : null;
    this.view = next;
    this.elsewhere = null;
    this.looking = null;
    this.#tell("shown");
    this.hear(this.status);
    this.lookAt(past !== null && past < next.moves.length ? past : next.now);
  }

  lookAt(ply) {
    this.elsewhere = null;
    this.looking = ply === this.view.now ? null : ply;
    this.#tell("looked");
  }

  /** Shows a position that is no part of the game, until something else is looked at. */
  lookElsewhere(position, words) {
    this.elsewhere = { ...position, words };
    this.looking = null;
    this.#tell("looked");
  }

  /** Goes on with another game. */
  enter(next) {
    this.id = next.id;
    history.pushState(null, "", `/play/${next.id}${location.hash}`);
    this.view = null;
    this.status = {};
    this.listen();
    this.#tell("entered");
    this.show(next);
  }

  async takeSeat(value) {
    seats.take(this.id, value);
    this.listen();
    if (!this.view.hides) return this.show(this.view);
    this.view = { ...this.view, version: 0 };
    await this.refresh();
  }

  /** Follows the same people to another game, where everybody sits so many seats further. */
  async follow(next, by, known = null) {
    seats.goOn(this.id, next, by, this.view.seats.length);
    this.enter(known ?? await get(`sessions/${next}${seats.key(next) === null ? "" : `?key=${seats.key(next)}`}`));
  }
}

export const game = new Game();
