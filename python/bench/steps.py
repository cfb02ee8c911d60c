"""Steps a second with random legal play, observations and masks written at each step, beside other libraries in one run.

    python bench/steps.py --install --seconds 2 --repeats 5

`--install` fetches the others with pip; what cannot be had is a dash. Every number is steps per second of processor time of
this process: the middle one of the repeats, with the least and the most.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ludwright as lw

GAMES = ["tic_tac_toe", "connect_four", "hex", "reversi", "breakthrough", "gomoku", "go", "chess"]
ENVPOOL = {
    "tic_tac_toe": "TicTacToe-v1",
    "connect_four": "ConnectFour-v1",
    "hex": "Hex-v1",
    "reversi": "Othello-v1",
    "go": "Go9x9-v1",
    "chess": "Chess-v1",
}
SPIEL = {"reversi": "othello", "hex": "hex(board_size=11)", "go": "go(board_size=9)"}


def timed(step: Callable[[], int], seconds: float) -> float:
    """Steps per second of processor time; the first tenth warms up."""
    ends = time.process_time() + seconds / 10
    while time.process_time() < ends:
        step()
    count, begun = 0, time.process_time()
    while (used := time.process_time() - begun) < seconds:
        count += step()
    return count / used


def vector(game: lw.Game, n: int) -> Callable[[], int]:
    env = lw.vector_env(game, n)

    def step() -> int:
        env.step(env.sample())
        return n

    return step


def scalar(game: lw.Game, seen: bool) -> Callable[[], int]:
    """A game at a time, from a Python loop."""
    dice = random.Random(0).random
    mask = np.zeros(game.num_actions, np.uint8)
    room = np.zeros(game.observation_shape(), np.uint8)

    def step() -> int:
        state, count = game.new_initial_state(), 0
        apply, legal, number = state.apply_action, state.legal_action, state.num_legal_actions
        while legals := number():
            apply(legal(int(dice() * legals)))
            count += 1
            if seen:
                state.legal_actions_mask(mask)
                state.observation("CHW", room)
        return count

    return step


def bare(game: lw.Game) -> Callable[[], int]:
    """`apply_action` alone, with games that were played before."""
    histories = []
    for seed in range(50):
        state, dice = game.new_initial_state(), random.Random(seed)
        while not state.is_terminal():
            state.apply_action(dice.choice(state.legal_actions()))
        histories.append(state.history())

    def step() -> int:
        count = 0
        for history in histories:
            apply = game.new_initial_state().apply_action
            for action in history:
                apply(action)
            count += len(history)
        return count

    return step


def openspiel(name: str, seen: bool) -> Callable[[], int] | None:
    try:
        import pyspiel

        game: Any = pyspiel.load_game(SPIEL.get(name, name))
    except Exception:
        return None
    dice = random.Random(0)

    def step() -> int:
        state, count = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(dice.choice(state.legal_actions()))
            count += 1
            if seen and not state.is_terminal():
                state.observation_tensor()
                state.legal_actions_mask()
        return count

    return step


def pettingzoo(name: str) -> Callable[[], int] | None:
    try:
        from pettingzoo import classic

        kinds = {"tic_tac_toe": "tictactoe_v3", "connect_four": "connect_four_v3", "go": "go_v5", "chess": "chess_v6"}
        made: Any = getattr(classic, kinds[name])
        env = made.env(board_size=9) if name == "go" else made.env()
    except Exception:
        return None
    seeds = iter(range(10**9))

    def step() -> int:
        env.reset(seed=next(seeds))
        count = 0
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            done = terminated or truncated
            env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
            count += not done
            if count >= 2_000:
                break
        return count

    return step


def envpool(name: str, n: int) -> Callable[[], int] | None:
    """Its board games are native and stepped together, as ours are; it draws its threads from the machine, so there is one."""
    try:
        import envpool as pool

        env: Any = pool.make(ENVPOOL[name], env_type="gymnasium", num_envs=n, num_threads=1)
        _, info = env.reset()
        mask = next(key for key in info if "mask" in key)
    except Exception:
        return None
    dice = np.random.default_rng(0)
    state = {"mask": info[mask]}

    def step() -> int:
        legal = np.asarray(state["mask"]).reshape(n, -1).astype(bool)
        legal[~legal.any(axis=1)] = True
        actions = np.where(legal, dice.random(legal.shape, np.float32), -1).argmax(axis=1)
        state["mask"] = env.step(actions.astype(np.int32))[-1][mask]
        return n

    return step


def install() -> None:
    """Fetches the libraries one by one: one that cannot be had does not keep out the others."""
    for packages in (["open_spiel"], ["pettingzoo[classic]", "gymnasium"], ["envpool"]):
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", *packages], check=False)


def cell(make: Callable[[], int] | None, seconds: float, repeats: int) -> str:
    """The middle of some repeats, with the least and the most."""
    if make is None:
        return "-"
    all_of_them = [timed(make, seconds) / 1_000 for _ in range(repeats)]
    least, most = min(all_of_them), max(all_of_them)
    return f"{statistics.median(all_of_them):,.1f} k ({least:,.1f}..{most:,.1f})"


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--install", action="store_true", help="fetch the other libraries first")
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("-n", type=int, default=256, help="games stepped together")
    settings = parser.parse_args()
    if settings.install:
        install()
    columns = ["vector", "scalar", "bare", "pyspiel bare", "pyspiel", "pettingzoo", "envpool"]
    print(f"{'steps/s':14}" + "".join(f"{column:>32}" for column in columns))
    for name in settings.games:
        game = lw.load(name)
        makers: list[Callable[[], int] | None] = [
            vector(game, settings.n),
            scalar(game, True),
            bare(game),
            openspiel(name, False),
            openspiel(name, True),
            pettingzoo(name),
            envpool(name, settings.n),
        ]
        cells = [f"{cell(make, settings.seconds, settings.repeats):>32}" for make in makers]
        print(f"{name:14}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
