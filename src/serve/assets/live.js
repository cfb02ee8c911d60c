// What happens in a game, heard while it happens: one stream for every page that is seen. Pages behind others ask now and
// then instead, since a browser opens few connections to one server.
import { get } from "./api.js";

const HIDDEN = 10_000;
const FALLBACK = 1_500;
const AGAIN = 15_000;
/** A stream that has nothing to tell may also have lost something. */
const CHECK = 3_000;

export class Live {
  #id = null;
  #version = () => 0;
  #seat = () => null;
  #path = () => "";
  #tell;
  #source = null;
  #timer = 0;
  #failed = 0;

  /** `tell` is given what came: `{ view }`, `{ status }`, or `{ trouble }`. */
  constructor(tell) {
    this.#tell = tell;
    document.addEventListener("visibilitychange", () => this.#begin());
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", (event) => { if (event.persisted) this.#begin(); });
  }

  /** Listens to a game; `version` and `seat` say what is shown and who looks, `path` what its addresses are. */
  open(id, version, seat, path) {
    [this.#id, this.#version, this.#seat, this.#path] = [id, version, seat, path];
    this.#failed = 0;
    this.#begin();
  }

  #close() {
    this.#source?.close();
    this.#source = null;
    clearTimeout(this.#timer);
  }

  #begin() {
    this.#close();
    if (this.#id === null) return;
    if (document.hidden || Date.now() - this.#failed < AGAIN) return this.#ask();
    const seat = this.#seat();
    const source = new EventSource(`/api/${this.#path(`events?version=${this.#version()}${seat === null ? "" : `&seat=${seat}`}`)}`);
    source.addEventListener("view", (event) => this.#tell({ view: JSON.parse(event.data) }));
    source.addEventListener("status", (event) => this.#tell({ status: JSON.parse(event.data) }));
    source.addEventListener("error", () => {
      // A browser comes back by itself unless it was refused.
      if (source.readyState !== EventSource.CLOSED || this.#source !== source) return;
      this.#failed = Date.now();
      this.#begin();
    });
    this.#source = source;
    this.#timer = setTimeout(() => this.#check(source), CHECK);
  }

  /** Asks whether what is shown is the newest. */
  async #check(source) {
    try {
      const status = await get(this.#path("status"));
      if (status.version > this.#version() && this.#source === source) this.#tell({ view: await get(this.#path()) });
    } catch {
      // The stream itself tells what is wrong.
    }
    if (this.#source === source) this.#timer = setTimeout(() => this.#check(source), CHECK);
  }

  /** Asks in the old way while there is no stream. */
  async #ask() {
    const id = this.#id;
    try {
      const status = await get(this.#path("status"));
      if (id !== this.#id || this.#source) return;
      if (status.version !== this.#version()) this.#tell({ view: await get(this.#path()) });
      this.#tell({ status });
    } catch (error) {
      this.#tell({ trouble: error });
    }
    this.#timer = setTimeout(() => this.#begin(), document.hidden ? HIDDEN : FALLBACK);
  }
}
