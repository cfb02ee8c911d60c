// The time that people have left, counted down between what the server tells.

/** Below this many seconds tenths are shown. */
const SHORT = 20;

let left = [];
let running = null;
let heard = 0;

/** Hears how much time everybody has now; nothing where there are no clocks. */
export function hear(clock) {
  left = clock?.left ?? [];
  running = clock?.running ?? null;
  heard = performance.now();
  tick();
}

/** Milliseconds as people read them: 1:02:03, 4:05, 0:09.8. */
export function written(time) {
  const seconds = Math.floor(time / 1000);
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = `${two(seconds % 60)}${seconds < SHORT ? `.${Math.floor(time / 100) % 10}` : ""}`;
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** What everybody has in a game that is shown, as the server is asked for it; nothing without clocks. */
export const agreedIn = (view) => view?.clock ? { seconds: view.clock.seconds, increment: view.clock.increment } : undefined;

/** What everybody has for a game, in words. */
export const agreed = ({ seconds, increment }) => {
  const time = seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
  return increment > 0 ? `${time} + ${increment} s a turn` : time;
};

/** Writes the time of every seat where it stands. */
export function tick() {
  for (const node of document.querySelectorAll("[data-clock]")) {
    const seat = Number(node.dataset.clock);
    const used = seat === running ? performance.now() - heard : 0;
    const time = Math.max(0, (left[seat] ?? 0) - used);
    node.textContent = written(time);
    node.classList.toggle("short", time < SHORT * 1000);
    node.classList.toggle("running", seat === running);
  }
}

setInterval(() => { if (running !== null) tick(); }, 100);
