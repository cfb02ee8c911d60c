"""What Ray costs: to start it, for a task, in memory, and beside threads in pieces of some seconds.

    pip install "./python[ray]"
    python python/bench/ray_cost.py --piece 5
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import ludwright as lw
from ludwright import distributed


def held(name: str) -> float:
    """Megabytes that all processes hold whose command line begins so; Linux tells them."""
    total = 0.0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            status = (process / "status").read_text()
        except OSError:
            continue
        if name in line and "VmRSS" in status:
            total += int(status.split("VmRSS:")[1].split()[0]) / 1024
    return total


def processor(pids: set[int]) -> float:
    """Seconds of processor time that processes have had; Linux tells them in hundredths."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(all_of_them[11]) + int(all_of_them[12]) for all_of_them in fields) / 100


def main() -> None:
    """Prints what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--piece", type=float, default=5, help="seconds of a piece")
    parser.add_argument("--games", type=int, default=2_000)
    parser.add_argument("--player", default="mcts:400")
    parser.add_argument("--repeats", type=int, default=3)
    settings = parser.parse_args()
    distributed.PIECE = settings.piece
    began = time.monotonic()
    import ray

    loaded = time.monotonic()
    workers = distributed.Ray(num_cpus=2, object_store_memory=100_000_000)
    print(f"import {loaded - began:.1f} s, start {time.monotonic() - loaded:.1f} s, {held('ray'):.0f} MB")

    @ray.remote(num_cpus=1)
    def nothing() -> None:
        return None

    ray.get([nothing.remote() for _ in range(100)])
    began = time.monotonic()
    ray.get([nothing.remote() for _ in range(1_000)])
    print(f"{time.monotonic() - began:.2f} ms a task")
    game = lw.load("hex", size=7)
    play: dict[str, Any] = {"games": settings.games, "seed": 1}
    players = [settings.player, settings.player]
    seen: list[distributed.Progress] = []
    distributed.arena(game, players, games=40, on=workers, progress=seen.append)
    processes = {now.worker for now in seen}
    for _ in range(settings.repeats):
        took, idle, used = [], [], []
        for on in (distributed.Threads(2), workers):
            began, before = time.monotonic(), processor(processes | {os.getpid()})
            told = distributed.arena(game, players, on=on, progress=seen.append, **play)
            took.append(time.monotonic() - began)
            idle.append(1 - seen[-1].worked / (2 * took[-1]))
            used.append(processor(processes | {os.getpid()}) - before)
        print(
            f"threads {took[0]:.1f} s, {used[0]:.1f} s of processor time, {idle[0]:.1%} idle; "
            f"Ray {took[1]:.1f} s, {used[1]:.1f} s of processor time, {idle[1]:.1%} idle; "
            f"{seen[-1].pieces} pieces; {told['fingerprint']}",
            flush=True,
        )


if __name__ == "__main__":
    main()
