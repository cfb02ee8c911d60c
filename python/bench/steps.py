"""Steps a second with random legal play, observations and masks written at each step, beside other libraries in one run.

    pip install open_spiel pettingzoo gymnasium
    python bench/steps.py --seconds 2
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ludwright as lw

GAMES = ["tic_tac_toe", "connect_four", "hex", "reversi", "breakthrough", "gomoku", "go", "chess"]
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


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("-n", type=int, default=256, help="games stepped together")
    settings = parser.parse_args()
    columns = ["vector", "scalar", "bare", "pyspiel bare", "pyspiel", "pettingzoo"]
    print(f"{'steps/s':16}" + "".join(f"{column:>14}" for column in columns))
    for name in settings.games:
        game = lw.load(name)
        makers: list[Callable[[], int] | None] = [
            vector(game, settings.n),
            scalar(game, True),
            bare(game),
            openspiel(name, False),
            openspiel(name, True),
            pettingzoo(name),
        ]
        cells = [f"{timed(make, settings.seconds):14,.0f}" if make else f"{'-':>14}" for make in makers]
        print(f"{name:16}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
