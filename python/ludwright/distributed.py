"""Long runs in pieces of a few seconds: on the threads of this machine, or on a Ray cluster. What comes out is the same.

    >>> import ludwright as lw
    >>> from ludwright import distributed
    >>> told = distributed.playouts(lw.load("hex", size=5), 1000, seed=1)
    >>> told == lw.playouts(lw.load("hex", size=5), 1000, seed=1)
    True

`on=Threads()` is meant unless said otherwise; `on=Ray()` starts Ray on this machine, `on=Ray("ray://head:10001")` uses a
cluster (`pip install "./python[ray]"`).
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import os
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._ludwright import Game, Job, Stop, Sums, compared, load, measure

#: A piece of work takes about so many seconds: less is lost to handing it out, more when a worker dies.
PIECE = 2.0
#: So often a piece is tried before the run is given up.
TRIES = 4
#: A piece that takes so many times what it should is played by another worker too.
SLOW = 2.0


class Lost(Exception):
    """A worker has died with its piece, which another one can play."""


class Work(Protocol):
    """What is cut into blocks: a `Job`, or anything that runs blocks and pickles."""

    @property
    def blocks(self) -> int: ...
    def run(self, first: int, last: int, *, stop: Stop | None = None) -> bytes: ...


class Collected(Protocol):
    """What blocks came to, in any order, as often as they come."""

    def add(self, part: bytes) -> None: ...
    def missing(self) -> list[tuple[int, int]]: ...


@dataclass(frozen=True)
class Done:
    """A piece that was played: what it came to, how long it took, and the process that played it."""

    part: bytes
    seconds: float
    worker: int


class Workers(Protocol):
    """Who plays pieces. `slots` of them are played at once."""

    slots: int

    def begin(self, works: Sequence[Work]) -> None: ...
    def submit(self, number: int, first: int, last: int) -> Any: ...
    def wait(self, handles: Sequence[Any], seconds: float) -> Sequence[Any]: ...
    def result(self, handle: Any) -> Done: ...
    def drop(self, handles: Sequence[Any]) -> None: ...


class Threads:
    """The threads of this process: as many as the machine has, unless `count` says otherwise."""

    def __init__(self, count: int | None = None) -> None:
        self.slots = count or os.cpu_count() or 1

    def begin(self, works: Sequence[Work]) -> None:
        self.works, self.stop = works, Stop()
        self.pool = futures.ThreadPoolExecutor(self.slots)

    def submit(self, number: int, first: int, last: int) -> futures.Future[Done]:
        return self.pool.submit(self._play, number, first, last)

    def _play(self, number: int, first: int, last: int) -> Done:
        began = time.monotonic()
        part = self.works[number].run(first, last, stop=self.stop)
        return Done(part, time.monotonic() - began, os.getpid())

    def wait(self, handles: Sequence[Any], seconds: float) -> Sequence[Any]:
        return list(futures.wait(handles, seconds, futures.FIRST_COMPLETED).done)

    def result(self, handle: Any) -> Done:
        done: Done = handle.result()
        return done

    def drop(self, handles: Sequence[Any]) -> None:
        self.stop.set()
        self.pool.shutdown(wait=False, cancel_futures=True)


class Ray:
    """A Ray cluster: that of `address`, or one that is started on this machine with as many workers as it has cores.

    Where Ray runs in this process already, that one is used. `settings` are those of `ray.init`. Every machine needs this
    version of the package; the rules are sent. `close()`, or the end of `with Ray() as on:`, ends what was started here.
    """

    def __init__(self, address: str | None = None, **settings: Any) -> None:
        try:
            ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise ImportError('Ray is not installed: pip install "./python[ray]"') from error
        self.ray = ray
        self.started = not ray.is_initialized()
        if self.started:
            usual: dict[str, Any] = {"log_to_driver": False}
            if address is None:
                os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
                # Its workers are as urgent as the threads of this process would be, and not the last ones served.
                os.environ.setdefault("RAY_worker_niceness", "0")
                usual |= {"include_dashboard": False}
            ray.init(address, **usual | settings)
        self.slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
        # What is lost is handed out again by `_Run`, which knows how far all are.
        self.play = ray.remote(num_cpus=1, max_retries=0)(_play_there)

    def close(self) -> None:
        """Ends Ray, or leaves the cluster, if this object has begun it."""
        if self.started:
            self.started = False
            self.ray.shutdown()

    def __enter__(self) -> Ray:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def begin(self, works: Sequence[Work]) -> None:
        key = f"{os.getpid()}:{time.monotonic_ns()}"
        packed = [self.ray.put(pickle.dumps(work)) for work in works]
        self.works = [(f"{key}:{at}", one) for at, one in enumerate(packed)]

    def submit(self, number: int, first: int, last: int) -> Any:
        return self.play.remote(*self.works[number], first, last)

    def wait(self, handles: Sequence[Any], seconds: float) -> Sequence[Any]:
        done: Sequence[Any] = self.ray.wait(list(handles), num_returns=1, timeout=seconds)[0]
        return done

    def result(self, handle: Any) -> Done:
        try:
            done: Done = self.ray.get(handle)
            return done
        except self.ray.exceptions.RayTaskError as error:
            # What the work itself says is as true on any other worker.
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except self.ray.exceptions.RayError as error:
            raise Lost(str(error)) from error

    def drop(self, handles: Sequence[Any]) -> None:
        for handle in handles:
            # A cluster that is gone plays nothing any more, and why it is gone is what is to be told.
            with contextlib.suppress(Exception):
                self.ray.cancel(handle)


_KNOWN: dict[str, Work] = {}


def _play_there(key: str, packed: bytes, first: int, last: int) -> Done:
    """Plays a piece in a worker of Ray, which keeps the games it has read."""
    work = _KNOWN.get(key)
    if work is None:
        while len(_KNOWN) >= 32:
            del _KNOWN[next(iter(_KNOWN))]
        work = _KNOWN[key] = pickle.loads(packed)
    began = time.monotonic()
    part = work.run(first, last)
    return Done(part, time.monotonic() - began, os.getpid())


@dataclass(frozen=True)
class Progress:
    """How far a run is, told after each piece."""

    #: Of all blocks, how many are there.
    blocks: int
    of: int
    #: Pieces that came, that were lost and handed out again, and that were handed out twice because somebody was slow.
    pieces: int
    lost: int
    twice: int
    #: Seconds since the beginning, those that workers have played in all, and the process that played the last piece.
    seconds: float
    worked: float
    worker: int
    #: What everything that is there comes to, as the run will tell it in the end.
    so_far: Callable[[], Any]


Told = Callable[[Progress], None] | None


@dataclass
class _Piece:
    work: int
    first: int
    last: int
    tries: int = 0
    began: float = field(default_factory=time.monotonic)


#: Workers that are in a run, by `id`.
_TAKEN: set[int] = set()
_TAKING = threading.Lock()


@contextlib.contextmanager
def _taken(workers: Workers) -> Iterator[None]:
    """Workers for one run alone: another run would change what they play, and end it."""
    with _TAKING:
        if id(workers) in _TAKEN:
            raise RuntimeError("these workers are in another run; give each run that goes on at once an `on=` of its own")
        _TAKEN.add(id(workers))
    try:
        yield
    finally:
        with _TAKING:
            _TAKEN.discard(id(workers))


class _Run:
    """Hands out pieces until all blocks are there."""

    def __init__(self, works: Sequence[Work], sums: Sequence[Collected], workers: Workers) -> None:
        self.works, self.sums, self.workers = works, sums, workers
        self.next = [0] * len(works)
        self.again: deque[_Piece] = deque()
        # Blocks a second of one worker, and how many a piece may have at most by now.
        self.pace = [0.0] * len(works)
        self.most = [1] * len(works)
        self.busy: dict[Any, _Piece] = {}
        self.pieces = self.lost = self.twice = 0
        self.worked = 0.0

    def _fresh(self) -> _Piece | None:
        """The next piece that nobody has had."""
        for at, work in enumerate(self.works):
            left = work.blocks - self.next[at]
            if left <= 0:
                continue
            size = min(left, self.most[at], max(1, int(self.pace[at] * PIECE)))
            if at + 1 == len(self.works):
                # Towards the end pieces get smaller, so that nobody waits long for the last one.
                size = min(size, -(-left // self.workers.slots))
            first = self.next[at]
            self.next[at] = first + size
            return _Piece(at, first, first + size)
        return None

    def _slow(self) -> _Piece | None:
        """A piece that takes much longer than it should, and that only one worker has."""
        now = time.monotonic()
        alone = [piece for piece in self.busy.values() if list(self.busy.values()).count(piece) == 1]
        for piece in sorted(alone, key=lambda piece: piece.began):
            usual = (piece.last - piece.first) / self.pace[piece.work] if self.pace[piece.work] else PIECE
            if now - piece.began > SLOW * max(usual, PIECE / 2):
                self.twice += 1
                return piece
        return None

    def _hand_out(self) -> None:
        while len(self.busy) < self.workers.slots:
            piece = self.again.popleft() if self.again else self._fresh() or self._slow()
            if piece is None:
                return
            if piece not in self.busy.values():
                piece.began = time.monotonic()
            self.busy[self.workers.submit(piece.work, piece.first, piece.last)] = piece

    def _take(self, handle: Any) -> Done | None:
        piece = self.busy.pop(handle)
        try:
            done = self.workers.result(handle)
        except Lost:
            self.lost += 1
            piece.tries += 1
            if piece.tries >= TRIES:
                raise
            if piece not in self.busy.values():
                self.again.append(piece)
            return None
        self.sums[piece.work].add(done.part)
        self.pieces += 1
        self.worked += done.seconds
        blocks = piece.last - piece.first
        self.pace[piece.work] = blocks / max(done.seconds, 1e-4)
        self.most[piece.work] = max(self.most[piece.work], 8 * blocks)
        return done

    def _left(self) -> int:
        return sum(last - first for sums in self.sums for first, last in sums.missing())

    def play(self, told: Told, so_far: Callable[[], Any]) -> None:
        """Plays everything, and tells about it."""
        with _taken(self.workers):
            self._play(told, so_far)

    def _play(self, told: Told, so_far: Callable[[], Any]) -> None:
        began, all_blocks = time.monotonic(), sum(work.blocks for work in self.works)
        self.workers.begin(self.works)
        try:
            while left := self._left():
                self._hand_out()
                # Where nothing is under way there is nothing to wait for.
                for handle in self.workers.wait(list(self.busy), 0.25) if self.busy else ():
                    done = self._take(handle)
                    if done is not None and told is not None:
                        seconds, there = time.monotonic() - began, all_blocks - self._left()
                        counts = (self.pieces, self.lost, self.twice)
                        told(Progress(there, all_blocks, *counts, seconds, self.worked, done.worker, so_far))
                if not self.busy and not self.again and self._left() == left and self._is_all_out():
                    raise RuntimeError("a worker has left out games of its piece")
        finally:
            self.workers.drop(list(self.busy))

    def _is_all_out(self) -> bool:
        return all(work.blocks <= first for work, first in zip(self.works, self.next, strict=True))


def _run(jobs: Sequence[Job], on: Workers | None, told: Told, finish: Callable[[list[Sums]], Any]) -> Any:
    sums = [Sums(job) for job in jobs]
    _Run(jobs, sums, on or Threads()).play(told, lambda: finish(sums))
    return finish(sums)


def run(job: Job, *, on: Workers | None = None, progress: Told = None) -> dict[str, Any]:
    """Plays a job, as `Job.read` has read it from a file of `ludwright playout --job`, or as it was made here."""
    told: dict[str, Any] = _run([job], on, progress, lambda sums: sums[0].told())
    return told


def playouts(
    game: Game,
    games: int,
    *,
    seed: int = 0,
    max_plies: int | None = 10_000,
    on: Workers | None = None,
    progress: Told = None,
) -> dict[str, Any]:
    """Random games: what `ludwright.playouts` tells."""
    return run(Job.playouts(game, games, seed=seed, max_plies=max_plies), on=on, progress=progress)


def arena(
    game: Game,
    players: list[str],
    *,
    games: int = 100,
    seed: int = 0,
    max_plies: int | None = 2_000,
    opening: int = 0,
    on: Workers | None = None,
    progress: Told = None,
) -> dict[str, Any]:
    """Games between programs: what `ludwright.arena` tells. Programs think in rounds (`mcts:400`), not by the clock."""
    job = Job.arena(game, players, games=games, seed=seed, max_plies=max_plies, opening=opening)
    return run(job, on=on, progress=progress)


def tournament(
    game: Game,
    players: list[str],
    *,
    pairs: int = 100,
    seed: int = 0,
    max_plies: int | None = 2_000,
    opening: int = 2,
    on: Workers | None = None,
    progress: Told = None,
) -> dict[str, Any]:
    """Everybody against everybody, in pairs of games that begin alike with seats exchanged: a table with Elo."""
    job = Job.tournament(game, players, pairs=pairs, seed=seed, max_plies=max_plies, opening=opening)
    return run(job, on=on, progress=progress)


def variants(name: str, *, ruleset: str | None = None, **options: Iterable[int | str | bool]) -> list[Game]:
    """A shipped game with every combination of options: `variants("hex", size=range(4, 8), pie=[False, True])`."""
    ways = itertools.product(*options.values())
    return [load(name, ruleset=ruleset, **dict(zip(options, way, strict=True))) for way in ways]


def sweep(
    games: Sequence[Game],
    *,
    measures: Sequence[str] = ("first_seat", "draws", "plies", "branching"),
    player: str = "mcts:32",
    count: int = 200,
    seed: int = 0,
    max_plies: int = 2_000,
    on: Workers | None = None,
    progress: Told = None,
) -> list[dict[str, Any]]:
    """Variants side by side, `count` games of each with the same seeds: a row for each, compared with the first.

    The numbers are those of `ludwright sweep --games COUNT`.
    """
    jobs = [Job.series(game, player, games=count, seed=seed, max_plies=max_plies) for game in games]
    rows: list[dict[str, Any]] = _run(jobs, on, progress, lambda sums: compared(sums, list(measures)))
    return rows


class _Measured:
    """Games that are measured: each is one block, since what is played next depends on what was."""

    def __init__(self, games: Sequence[Game], settings: dict[str, Any]) -> None:
        self.games, self.settings = list(games), settings
        self.blocks = len(self.games)

    def run(self, first: int, last: int, *, stop: Stop | None = None) -> bytes:
        pages = {}
        for at in range(first, last):
            page = measure(self.games[at], threads=1, stop=stop, **self.settings)
            # What was stopped is told of too few games.
            if stop is None or not stop.is_set():
                pages[at] = page
        return json.dumps(pages).encode()


class _Pages:
    """What was measured by now."""

    def __init__(self, count: int) -> None:
        self.count, self.pages = count, dict[int, Any]()

    def add(self, part: bytes) -> None:
        for at, page in json.loads(part).items():
            if self.pages.setdefault(int(at), page) != page:
                raise RuntimeError(f"game {at} was measured twice, with different numbers")

    def missing(self) -> list[tuple[int, int]]:
        return [(at, at + 1) for at in range(self.count) if at not in self.pages]

    def told(self) -> list[dict[str, Any] | None]:
        return [self.pages.get(at) for at in range(self.count)]


def measure_all(
    games: Sequence[Game],
    *,
    count: int = 200,
    seed: int = 0,
    max_plies: int = 2_000,
    on: Workers | None = None,
    progress: Told = None,
) -> list[dict[str, dict[str, Any]]]:
    """`ludwright.measure` of many games, `count` games in each series. One game is measured by one worker."""
    work = _Measured(games, {"games": count, "seed": seed, "max_plies": max_plies})
    pages = _Pages(len(games))
    _Run([work], [pages], on or Threads()).play(progress, pages.told)
    return [page for page in pages.told() if page is not None]
