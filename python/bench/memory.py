"""How much memory ten million steps of a vector environment take that were not taken before.

    python bench/memory.py --steps 10000000
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import ludwright as lw


def resident() -> int:
    """Kilobytes that the process holds now; Linux tells them."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def main() -> None:
    """Prints what is held after each tenth of the steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("-n", type=int, default=256)
    settings = parser.parse_args()
    env = lw.vector_env(lw.load(settings.game), settings.n)
    for _ in range(1_000):
        env.step(env.sample())
    before, began = resident(), time.monotonic()
    for tenth in range(1, 11):
        for _ in range(settings.steps // settings.n // 10):
            env.step(env.sample())
        used = time.monotonic() - began
        print(f"{tenth * 10:3} % of {settings.steps:,} steps after {used:6.1f} s: {resident() - before:+} kB", flush=True)


if __name__ == "__main__":
    main()
