"""A player that learns Connect Four from games against itself, with numpy alone.

    python examples/train_connect_four.py --minutes 4

What a position is worth to who has just moved is a sum of numbers, one for what stands on each of some groups of cells (an
n-tuple network); each ply of a thousand games at once moves the sum towards what the next ply says. Nothing here but
`tuples` knows which game it is, as long as a move puts one stone on the board.
"""

from __future__ import annotations

import argparse
import os
import time

# Products this small are slower on several threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

import ludwright as lw  # noqa: E402

CELLS = 8  # of a group


class Learner:
    """The numbers, and the positions of many games as indices into them."""

    def __init__(self, game: lw.Game, groups: int, seed: int) -> None:
        self.dice = np.random.default_rng(seed)
        _, height, width = game.observation_shape()
        self.size = height * width
        sites = {name: cell for name, cell in zip(game.sites, game.site_cells(), strict=True)}
        self.cell_of_action = np.array([sites[text.split()[1]] for text in game.actions()])
        cells = self.tuples(groups, height, width)
        mirrored = cells // width * width + (width - 1 - cells % width)
        self.power = np.zeros((self.size, 2 * groups), np.int32)
        for group, (one, other) in enumerate(zip(cells, mirrored, strict=True)):
            for place in range(CELLS):
                self.power[one[place], group] = 3**place
                self.power[other[place], groups + group] = 3**place
        # A group and its mirror image share their numbers.
        self.first = np.tile(np.arange(groups, dtype=np.int32) * 3**CELLS, 2)
        self.weights = np.zeros(groups * 3**CELLS, np.float32)

    def tuples(self, groups: int, height: int, width: int) -> NDArray[np.int64]:
        """Groups of cells that hang together, found by walks at random."""
        found: list[list[int]] = []
        while len(found) < groups:
            cells = [int(self.dice.integers(height * width))]
            for _ in range(200):
                row, column = divmod(cells[int(self.dice.integers(len(cells)))], width)
                row += int(self.dice.integers(-1, 2))
                column += int(self.dice.integers(-1, 2))
                if 0 <= row < height and 0 <= column < width and row * width + column not in cells:
                    cells.append(row * width + column)
                if len(cells) == CELLS:
                    found.append(sorted(cells))
                    break
        return np.array(found)

    def indices(self, seen: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Where the numbers of positions stand, seen by who is to move: int32[n, 2 * groups]."""
        pieces = seen[:, 0].reshape(-1, self.size) + 2 * seen[:, 1].reshape(-1, self.size)
        found: NDArray[np.int32] = (pieces.astype(np.float32) @ self.power).astype(np.int32) + self.first
        return found

    def after(
        self, indices: NDArray[np.int32], rows: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """The same after actions of who is to move."""
        moved: NDArray[np.int32] = indices[rows] + self.power[self.cell_of_action[actions]]
        return moved

    def worth(self, indices: NDArray[np.int32]) -> NDArray[np.float32]:
        """From -1 to 1 to who has just moved."""
        worth: NDArray[np.float32] = np.tanh(self.weights[indices].sum(axis=1))
        return worth

    def learn(
        self, indices: NDArray[np.int32], goal: NDArray[np.float32], rate: float
    ) -> None:
        """Moves the worth of positions towards a goal."""
        worth = self.worth(indices)
        change = rate * (goal - worth) * (1 - worth**2)
        moved = np.bincount(
            indices.ravel(),
            np.repeat(change, indices.shape[1]),
            minlength=len(self.weights),
        )
        self.weights += moved.astype(np.float32)

    def choices(
        self, seen: NDArray[np.uint8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """All legal actions of all games: which game, which action, what comes after it and what that is worth."""
        rows, actions = np.nonzero(masks)
        after = self.after(self.indices(seen), rows, actions)
        return rows, actions, after, self.worth(after)


def train(game: lw.Game, minutes: float, games: int = 512, groups: int = 70, seed: int = 0) -> Learner:
    """Plays against itself for some minutes."""
    learner, dice = Learner(game, groups, seed), np.random.default_rng(seed + 1)
    env = lw.vector_env(game, games, seed=seed, autoreset="same_step")
    before = np.zeros((games, 2 * groups), np.int32)
    has_before = np.zeros(games, bool)
    began, told, plies, ended = time.monotonic(), 0.0, 0, 0
    while (used := time.monotonic() - began) < 60 * minutes:
        rate = 0.004 * (1 - 0.8 * used / (60 * minutes))
        rows, actions, after, worth = learner.choices(env.observations, env.masks)
        starts = np.searchsorted(rows, np.arange(games))
        counts = np.diff(np.append(starts, len(rows)))
        best = np.maximum.reduceat(worth, starts)
        # What the player before has reached is worth the opposite of what can be made of it.
        learner.learn(before[has_before], -best[has_before], rate)
        greedy = np.where(worth == best[rows], dice.random(len(rows), np.float32), -1)
        chosen = np.lexsort((greedy, rows))[starts + counts - 1]
        at_random = dice.random(games) < 0.1
        chosen = np.where(at_random, starts + dice.integers(0, counts), chosen)
        movers = env.players.copy()
        _, rewards, terminated, _, _ = env.step(actions[chosen])
        before, has_before = after[chosen], ~terminated
        if terminated.any():
            own = rewards[np.arange(games), movers]
            learner.learn(before[terminated], own[terminated], rate)
        plies, ended = plies + games, ended + int(terminated.sum())
        if used - told > 20:
            told = used
            print(f"{used:5.0f} s: {ended:7d} games, {plies / used:,.0f} plies a second", flush=True)
    return learner


def look_ahead(learner: Learner, state: lw.State, depth: int, low: float = -2, high: float = 2) -> tuple[float, int]:
    """What a state is worth to who is to move, and the best action: alpha-beta on what was learned."""
    seen, mask = state.observation()[None], state.legal_actions_mask()[None].astype(bool)
    _, actions, _, worth = learner.choices(seen, mask)
    order = np.argsort(-worth)
    if depth == 1 and not any(ends(state, int(action)) for action in actions):
        return float(worth[order[0]]), int(actions[order[0]])
    mover, found, best = state.current_player(), -2.0, int(actions[order[0]])
    for action in actions[order]:
        after = state.clone()
        after.apply_action(int(action))
        if after.is_terminal():
            value = after.returns()[mover]
        elif depth == 1:
            value = float(worth[actions == action][0])
        else:
            value = -look_ahead(learner, after, depth - 1, -high, -low)[0]
        if value > found:
            found, best = value, int(action)
        low = max(low, found)
        if low >= high:
            break
    return found, best


def ends(state: lw.State, action: int) -> bool:
    """Whether an action ends the game."""
    after = state.clone()
    after.apply_action(action)
    return after.is_terminal()


def match(game: lw.Game, learner: Learner, opponent: str, games: int, depth: int, seed: int = 0) -> float:
    """The share of points against a program, from both seats; the first two plies are played at random."""
    points, dice = 0.0, np.random.default_rng(seed)
    for number in range(games):
        state, seat = game.new_initial_state(), number % 2
        if seat == 0:
            opening = [int(action) for action in dice.integers(0, 7, 2)]
        for action in opening:
            legal = state.legal_actions()
            state.apply_action(legal[action % len(legal)])
        while not state.is_terminal():
            if state.current_player() == seat:
                state.apply_action(look_ahead(learner, state, depth)[1])
            else:
                thought = lw.suggest(state, opponent, seed=number)
                state.apply_action(thought["action"] if thought else state.legal_actions()[0])
        points += (state.returns()[seat] + 1) / 2
    return points / games


def main() -> None:
    """Trains, and plays against programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--games", type=int, default=40, help="against each program")
    parser.add_argument("--depth", type=int, default=6, help="plies that the learned player looks ahead")
    settings = parser.parse_args()
    game = lw.load("connect_four")
    learner = train(game, settings.minutes)
    for opponent in ("random", "medium"):
        share = match(game, learner, opponent, settings.games, settings.depth)
        print(f"against {opponent}: {share:.0%} of the points in {settings.games} games")


if __name__ == "__main__":
    main()
