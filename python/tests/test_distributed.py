"""Long runs in pieces: whoever plays them, and whatever happens to them, the same comes out."""

import json
import os
import pickle
import signal
import threading
from typing import Any

import pytest

import ludwright as lw
from ludwright import distributed as lwd


class Unreliable(lwd.Threads):
    """Threads of which some die with their piece, and some do not bring it before they are freed."""

    def __init__(self, count: int, lost: set[int] = frozenset(), slow: set[int] = frozenset()) -> None:  # type: ignore[assignment]
        super().__init__(count)
        self.lost, self.slow, self.number = lost, slow, 0
        self.lock, self.freed = threading.Lock(), threading.Event()

    def _play(self, number: int, first: int, last: int) -> lwd.Done:
        with self.lock:
            self.number += 1
            mine = self.number
        if mine in self.lost:
            raise lwd.Lost("killed")
        done = super()._play(number, first, last)
        if mine in self.slow:
            self.freed.wait(60)
        return done


def test_pieces_add_up_to_one_run() -> None:
    game, seen = lw.load("hex", size=5), list[lwd.Progress]()
    told = lwd.playouts(game, 3_000, seed=7, on=lwd.Threads(2), progress=seen.append)
    assert json.dumps(told) == json.dumps(lw.playouts(game, 3_000, seed=7))
    assert seen[-1].blocks == seen[-1].of == 1_000 and seen[-1].pieces == len(seen) > 3
    assert [now.blocks for now in seen] == sorted(now.blocks for now in seen)
    row = lw.load("tic_tac_toe")
    match = lwd.arena(row, ["mcts:20", "random"], games=30, on=lwd.Threads(3))
    assert match == lw.arena(row, ["mcts:20", "random"], games=30)


def test_what_is_lost_is_played_again_and_counts_once() -> None:
    game, seen = lw.load("hex", size=5), list[lwd.Progress]()
    workers = Unreliable(2, lost={1, 3, 6})
    told = lwd.playouts(game, 3_000, seed=7, on=workers, progress=seen.append)
    assert told == lw.playouts(game, 3_000, seed=7) and seen[-1].lost == 3
    with pytest.raises(lwd.Lost):
        lwd.playouts(game, 10, on=Unreliable(1, lost=set(range(100))))


def test_who_is_slow_is_overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lwd, "PIECE", 0.1)
    game, seen = lw.load("hex", size=5), list[lwd.Progress]()
    workers, waited = Unreliable(2, slow={3}), list[bool]()
    wait = workers.freed.wait

    def waits(seconds: float | None = None) -> bool:
        waited.append(wait(seconds))
        return waited[-1]

    monkeypatch.setattr(workers.freed, "wait", waits)
    told = lwd.playouts(game, 3_000, seed=7, on=workers, progress=seen.append)
    # The run is over while the slow one still waits.
    assert seen[-1].twice >= 1 and not waited
    workers.freed.set()
    assert told == lw.playouts(game, 3_000, seed=7)


def test_parts_may_come_in_any_order_and_twice_but_must_agree() -> None:
    job = lw.Job.playouts(lw.load("hex", size=4), 100, seed=1)
    sums = lw.Sums(job)
    assert job.blocks == 100 and sums.missing() == [(0, 100)]
    last, first = job.run(40, 100), job.run(0, 60, threads=2)
    sums.add(last)
    assert sums.missing() == [(0, 40)] and sums.games == 60 and sums.told()["games"] == 60
    sums.add(first)
    assert sums.missing() == [] and sums.told() == lw.playouts(lw.load("hex", size=4), 100, seed=1)
    # The last bytes belong to the sums of block 59, which are there already.
    with pytest.raises(RuntimeError, match="block 59 came out differently"):
        sums.add(first[:-1] + b"?")
    with pytest.raises(ValueError, match="damaged"):
        sums.add(first[:-1])


def test_parts_of_another_job_are_refused_where_nothing_overlaps() -> None:
    game = lw.load("hex", size=4)
    job = lw.Job.playouts(game, 100, seed=1)
    sums = lw.Sums(job)
    sums.add(job.run(0, 10))
    others = [
        lw.Job.playouts(game, 100, seed=2),
        lw.Job.playouts(game, 2_000, seed=1),
        lw.Job.playouts(lw.load("hex", size=5), 100, seed=1),
        lw.Job.arena(game, ["random", "random"], games=100, seed=1),
    ]
    for other in others:
        with pytest.raises(ValueError, match="belongs to another job"):
            sums.add(other.run(50, 60))
    # A block that the job has not.
    part = job.run(20, 21)
    with pytest.raises(ValueError, match="damaged"):
        sums.add(part[:8] + (100).to_bytes(8, "little") + part[16:])
    with pytest.raises(ValueError, match="damaged"):
        sums.add(b"")
    assert sums.missing() == [(10, 100)]
    sums.add(pickle.loads(pickle.dumps(job)).run(10, 100))
    assert sums.missing() == []


def test_workers_are_in_one_run_at_a_time() -> None:
    game, workers, refused = lw.load("hex", size=4), lwd.Threads(1), list[str]()

    def progress(now: lwd.Progress) -> None:
        if not refused:
            with pytest.raises(RuntimeError, match="in another run") as told:
                lwd.playouts(game, 10, on=workers)
            refused.append(str(told.value))

    told = lwd.playouts(game, 2_000, seed=1, on=workers, progress=progress)
    assert refused and told == lw.playouts(game, 2_000, seed=1)
    # Whoever is done with one run may begin another.
    assert lwd.playouts(game, 10, on=workers)["games"] == 10


def test_a_measure_that_is_stopped_tells_nothing() -> None:
    stop = lw.Stop()
    work = lwd._Measured([lw.load("hex")], {"games": 10**6, "seed": 0, "max_plies": 2_000})
    threading.Timer(0.1, stop.set).start()
    assert json.loads(work.run(0, 1, stop=stop)) == {} and stop.is_set()


def test_a_job_is_text_that_names_its_rules() -> None:
    job = lw.Job.arena(lw.load("hex", size=4), ["mcts:9", "random"], games=4, seed=3)
    again = pickle.loads(pickle.dumps(job))
    assert again.run(0, 4) == job.run(0, 4) and lwd.run(again)["games"] == 4
    text = job.to_json()
    with pytest.raises(ValueError, match="its rules are not those"):
        lw.Job.read(text.replace(lw.load("hex", size=4).rules_hash, "0" * 16))
    with pytest.raises(ValueError, match="written by Ludwright 0.0.0"):
        lw.Job.read(json.dumps(json.loads(text) | {"ludwright": "0.0.0"}))
    with pytest.raises(ValueError, match="does not play the same games again"):
        lwd.arena(lw.load("hex", size=4), ["mcts:1s", "random"])
    with pytest.raises(ValueError, match="needs weights"):
        lwd.arena(lw.load("hex", size=4), ["learned", "random"])
    with pytest.raises(ValueError, match="2 seats"):
        lwd.arena(lw.load("hex", size=4), ["random"])


def test_variants_are_compared_however_they_were_played() -> None:
    games = lwd.variants("hex", size=[3, 4], pie=[False, True])
    told = [lwd.sweep(games, player="random", count=60, on=lwd.Threads(count)) for count in (1, 3)]
    assert json.dumps(told[0]) == json.dumps(told[1])
    first, *others = told[0]
    assert first["options"] == {**first["options"], "size": 3} and "difference" not in first["measures"]["plies"]
    longer = [row["measures"]["plies"]["difference"] for row in others if row["options"]["size"] == 4]
    assert all(one["value"] > 0 and one["sure"] for one in longer)
    with pytest.raises(ValueError, match="there is no measure `lenght`"):
        lwd.sweep(games, measures=["lenght"], player="random", count=2)


def test_tournaments_and_measures_in_pieces() -> None:
    game = lw.load("tic_tac_toe")
    told = [lwd.tournament(game, ["random", "mcts:30", "greedy"], pairs=4, on=lwd.Threads(n)) for n in (1, 2)]
    assert told[0] == told[1] and told[0]["games"] == 24
    assert [row["games"] for row in told[0]["table"]] == [16, 16, 16]
    pages = lwd.measure_all([game], count=2)
    assert pages == json.loads(json.dumps([lw.measure(game, games=2, threads=2)]))
    low, high = pages[0]["first_seat_random"]["interval"]
    assert 0.0 <= low <= pages[0]["first_seat_random"]["value"] <= high <= 1.0


def test_ctrl_c_ends_a_run_in_pieces() -> None:
    seen = list[lwd.Progress]()

    def interrupts(now: lwd.Progress) -> None:
        seen.append(now)
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            lwd.playouts(lw.load("hex"), 10**9, progress=interrupts)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(seen) == 1


needs_ray = pytest.mark.skipif(
    os.environ.get("LUDWRIGHT_RAY") != "1", reason="LUDWRIGHT_RAY=1 runs what needs Ray"
)


@needs_ray
def test_a_worker_of_ray_that_is_killed_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        workers = lwd.Ray(num_cpus=2)
    except ImportError as error:
        pytest.fail(str(error))
    games = lwd.variants("hex", size=range(3, 9), pie=[False, True])
    killed: list[int] = []
    seen: list[lwd.Progress] = []

    def progress(now: lwd.Progress) -> None:
        # Whoever did not bring this piece is in the middle of another one.
        others = {before.worker for before in seen} - {now.worker, *killed}
        seen.append(now)
        if others and now.lost == 0 and now.blocks > now.of // 4:
            killed.extend(others)
            for worker in others:
                os.kill(worker, signal.SIGKILL)

    settings: dict[str, Any] = {"player": "mcts:16", "count": 40, "seed": 5}
    monkeypatch.setattr(lwd, "PIECE", 0.5)
    with workers:
        told = lwd.sweep(games, on=workers, progress=progress, **settings)
    assert len(games) == 12 and killed and seen[-1].lost >= 1
    assert json.dumps(told) == json.dumps(lwd.sweep(games, on=lwd.Threads(2), **settings))


@needs_ray
def test_what_the_work_says_comes_through_ray() -> None:
    with lwd.Ray(num_cpus=2) as workers:
        told = lwd.playouts(lw.load("hex", size=5), 3_000, seed=7, on=workers)
        assert told == lw.playouts(lw.load("hex", size=5), 3_000, seed=7)
        pages = lwd.measure_all([lw.load("tic_tac_toe")], count=4, on=workers)
        assert pages[0]["plies"]["games"] > 0


@needs_ray
def test_what_is_dropped_ends_in_the_middle_of_a_piece() -> None:
    with lwd.Ray(num_cpus=1) as workers:
        workers.begin([lwd._Measured([lw.load("tic_tac_toe")], {"games": 10**9, "seed": 0, "max_plies": 2_000})])
        handle = workers.submit(0, 0, 1)
        assert not workers.wait([handle], 5)
        workers.drop([handle])
        assert workers.wait([handle], 60)
        with pytest.raises((lwd.Lost, workers.ray.exceptions.TaskCancelledError)):
            workers.result(handle)
    # What is dropped when all is over does no harm.
    workers.drop([handle])
