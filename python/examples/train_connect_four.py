"""A player that learns Connect Four from games against itself, with numpy alone.

    python examples/train_connect_four.py --minutes 10

What a position is worth to the player to move is a sum of numbers, one for what stands on each of some groups of sites (an
n-tuple network; Thill, Koch and Konen 2012). Many games are played at once, and from the end of each back to its start every
position moves towards the best that can be made of it. Nothing here knows the rules of a game: what actions lead to, and what
that is worth at the end, comes from `env.successors()`.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable
from ctypes import Array, c_float
from dataclasses import dataclass

# Products this small are slower on several threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

import ludwright as lw  # noqa: E402

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


class Network:
    """The numbers, and where those of a position stand. Processes that are given the same `room` learn together."""

    def __init__(self, game: lw.Game, groups: int = 70, seed: int = 0, room: Array[c_float] | None = None) -> None:
        names = game.plane_names()
        # The planes of pieces come first.
        self.planes = sum(name.startswith(("mover ", "next ")) for name in names)
        states = self.planes + 1
        length = int(math.log(10_000, states))
        walks = self.walks(game, groups, length, np.random.default_rng(seed))
        images = [sites for sites, _, _, swaps in game.symmetries() if not swaps]
        # An observation times this gives, for every group and image of it, the number of what stands there.
        power = np.zeros((len(game.sites), self.planes, len(images), groups), np.float32)
        for image, sites in enumerate(images):
            for group, walk in enumerate(walks):
                for place, site in enumerate(walk):
                    power[sites[site], :, image, group] = np.arange(1, states) * states**place
        self.power = power.reshape(len(game.sites) * self.planes, -1)
        # Each seat has its own numbers; a group and its images share theirs.
        cases = states**length
        first = cases * np.tile(np.arange(groups), len(images))
        self.first = np.stack([first + seat * groups * cases for seat in range(game.num_players)])
        self.size = game.num_players * groups * cases
        kept: Floats = np.zeros(3 * self.size, np.float32) if room is None else np.ctypeslib.as_array(room)
        # What was learnt, and of every number the sum of its changes and of their sizes.
        self.weights, self.drift, self.travel = kept[: self.size], kept[self.size : -self.size], kept[-self.size :]
        self.times = np.zeros(self.size, np.float32)

    @staticmethod
    def walks(game: lw.Game, groups: int, length: int, dice: np.random.Generator) -> list[list[int]]:
        """Groups of sites that hang together, found by walks at random."""
        (begin, end), _ = game.graph()
        found: list[list[int]] = []
        while len(found) < groups:
            walk = [int(dice.integers(len(game.sites)))]
            while len(walk) < length:
                ways = end[begin == dice.choice(walk)]
                walk.extend({int(dice.choice(ways))}.difference(walk))
            found.append(walk)
        return found

    def indices(self, seen: NDArray[np.uint8], players: NDArray[np.int32]) -> Indices:
        """Where the numbers of positions stand: int64[n, groups and their images]."""
        pieces = seen[:, :, : self.planes].reshape(len(seen), -1).astype(np.float32)
        found: Indices = (pieces @ self.power).astype(np.int64)
        found += self.first[players]
        return found

    def worth(self, indices: Indices) -> Floats:
        """From -1 to 1, to the player to move."""
        worth: Floats = np.tanh(np.take(self.weights, indices, mode="clip").sum(axis=1))
        return worth

    def values(self, after: lw.Successors, movers: NDArray[np.int32]) -> tuple[Indices, Floats]:
        """The indices of what actions lead to, and what that is worth to those who have moved."""
        indices = self.indices(after.observations, after.players)
        worth = np.where(after.players == movers, 1, -1) * self.worth(indices)
        return indices, np.where(after.terminated, after.rewards[np.arange(len(movers)), movers], worth)

    def learn(self, indices: Indices, goals: Floats, rate: float) -> None:
        """Moves the worth of positions towards goals.

        A number that is told the same again and again moves fast, one that is told opposite things slowly (temporal
        coherence; Bagheri, Thill, Koch and Konen 2016).
        """
        worth = self.worth(indices)
        flat = indices.ravel()
        self.times[flat] = 0
        np.add.at(self.times, flat, np.float32(1))
        # What several positions say of a number counts as one: their mean.
        change = np.repeat((goals - worth) * (1 - worth**2), indices.shape[1]) / self.times[flat]
        travel = self.travel[flat]
        pace = np.where(travel > 0, np.abs(self.drift[flat]) / np.maximum(travel, 1e-30), 1)
        np.add.at(self.weights, flat, np.float32(rate / indices.shape[1]) * pace * change)
        np.add.at(self.drift, flat, change)
        np.add.at(self.travel, flat, np.abs(change))


@dataclass
class Ply:
    """What is kept of a ply of many games: which are not over, and for each where its numbers stand, the best that can be made
    of it, whether that was played, and 1 if the same player goes on, -1 if another does."""

    games: NDArray[np.int64]
    indices: Indices
    best: Floats
    followed: NDArray[np.bool_]
    sign: NDArray[np.int64]


def play(env: lw.VectorEnv, network: Network, dice: np.random.Generator) -> list[Ply]:
    """Plays games against itself to their end: some plies at random at the beginning, and a few later."""
    seen, info = env.reset()
    here = network.indices(seen, info["current_player"])
    at_random = dice.integers(0, 6, env.num_envs)
    plies: list[Ply] = []
    while len(after := env.successors()):
        movers = env.players[after.games]
        indices, values = network.values(after, movers)
        games, begins = np.unique(after.games, return_index=True)
        best = np.maximum.reduceat(values, begins)
        free = (at_random > len(plies)) | (dice.random(env.num_envs) < 0.05)
        order = np.where(free[after.games], 2, values) + 1e-6 * dice.random(len(values))
        chosen = np.flatnonzero(order == np.repeat(np.maximum.reduceat(order, begins), np.diff([*begins, len(order)])))
        followed = (values[chosen] >= best) & ~after.terminated[chosen]
        sign = np.where(after.players == movers, 1, -1)[chosen]
        plies.append(Ply(games, here[games], best, followed, sign))
        here[games] = indices[chosen]
        actions = np.zeros(env.num_envs, np.int64)
        actions[games] = after.actions[chosen]
        env.step(actions)
    return plies


def lesson(env: lw.VectorEnv, network: Network, dice: np.random.Generator, rate: float) -> None:
    """Plays games and learns from them, from their ends back to their starts."""
    goals = np.zeros(env.num_envs, np.float32)
    for ply in reversed(play(env, network, dice)):
        # Partly the best that can be made of a position, partly what came of it.
        came = 0.7 * ply.followed * (ply.sign * goals[ply.games] - ply.best)
        goals[ply.games] = ply.best + came
        network.learn(ply.indices, goals[ply.games], rate)


def train(name: str, room: Array[c_float], minutes: float, number: int, games: int = 256) -> None:
    """Plays and learns for some minutes of processor time."""
    game = lw.load(name)
    network, dice = Network(game, room=room), np.random.default_rng(number)
    env = lw.vector_env(game, games, seed=number, autoreset="disabled", layout="graph")
    told, played = 0.0, 0
    while (used := time.process_time() / 60) < minutes:
        lesson(env, network, dice, 1 - 0.9 * used / minutes)
        played += games
        if number == 0 and used > told + 0.5:
            told = used
            print(f"{60 * used:4.0f} s: {played:,} games in each process", flush=True)


class Node:
    """A position that was looked at: what each action is worth to the player to move, and whether that is certain."""

    def __init__(self, state: lw.State, network: Network) -> None:
        after = state.successors("graph")
        self.state = state
        self.seat = state.current_player()
        _, values = network.values(after, np.full(len(after), self.seat, np.int32))
        self.actions = after.actions.tolist()
        self.values = values.tolist()
        self.certain = after.terminated.tolist()
        self.visits = [0] * len(values)
        # Moves into each other's places come to one node.
        self.keys = [(state.move_number(), seen.tobytes()) for seen in after.observations]

    def pick(self) -> int:
        """The action to play: a certain win, else what was looked at most that is no certain loss."""

        def rank(at: int) -> tuple[bool, bool, int, float]:
            sure, value = self.certain[at], self.values[at]
            return sure and value >= 1, not (sure and value <= -1), self.visits[at], value

        return int(self.actions[max(range(len(self.actions)), key=rank)])

    def solved(self) -> bool:
        """Whether nothing can be better than the best."""
        return all(self.certain) or (True, 1) in zip(self.certain, self.values, strict=True)


class Player:
    """Looks ahead where play would go (best-first minimax; Korf and Chickering 1996)."""

    def __init__(self, network: Network, seconds: float) -> None:
        self.network, self.seconds = network, seconds
        self.nodes: dict[tuple[int, bytes], Node] = {}

    def descend(self, node: Node) -> None:
        """Follows the best actions to a position that is new, looks at it, and passes up what it is worth."""
        at = max((at for at, sure in enumerate(node.certain) if not sure), key=node.values.__getitem__)
        node.visits[at] += 1
        key = node.keys[at]
        child = self.nodes.get(key)
        if child is None:
            state = node.state.clone()
            state.apply_action(node.actions[at])
            child = self.nodes[key] = Node(state, self.network)
        elif not child.solved():
            self.descend(child)
        value = max(child.values)
        node.values[at] = value if child.seat == node.seat else -value
        node.certain[at] = child.solved()

    def choose(self, state: lw.State) -> int:
        """An action, after some time by the clock, which is how the programs of the terminal think."""
        self.nodes.clear()
        root, end = Node(state.clone(), self.network), time.monotonic() + self.seconds
        while not root.solved() and time.monotonic() < end:
            self.descend(root)
        return root.pick()


def played(game: lw.Game, player: Player, opponent: str, number: int) -> float:
    """The points of a game against a program; every beginning, two plies at random, is played from both seats."""
    state, seat = game.new_initial_state(), number % 2
    for chance in np.random.default_rng(number // 2).random(2):
        state.apply_action(state.legal_actions()[int(chance * state.num_legal_actions())])
    while not state.is_terminal():
        if state.current_player() == seat:
            state.apply_action(player.choose(state))
        else:
            thought = lw.suggest(state, opponent, seed=number)
            state.apply_action(thought["action"] if thought else state.legal_actions()[0])
    return (state.returns()[seat] + 1) / 2


def match(name: str, room: Array[c_float], seconds: float, opponent: str, share: slice, points: Array[c_float]) -> None:
    """Plays a share of many games against a program, and notes their points."""
    game = lw.load(name)
    player = Player(Network(game, room=room), seconds)
    for number in range(*share.indices(len(points))):
        points[number] = played(game, player, opponent, number)


def together(work: Callable[..., None], arguments: Iterable[tuple[object, ...]]) -> None:
    """Does the same in several processes at once, each with arguments of its own."""
    workers = [multiprocessing.Process(target=work, args=own) for own in arguments]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise SystemExit("a process has failed")


def main() -> None:
    """Trains, and plays against programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect_four", help="any of two players without chance")
    parser.add_argument("--minutes", type=float, default=10, help="that each process learns")
    parser.add_argument("--processes", type=int, default=2, help="that learn together, and share the games of a match")
    parser.add_argument("--games", type=int, default=100, help="against each program")
    parser.add_argument("--seconds", type=float, default=0.3, help="that the learned player thinks about a move")
    settings = parser.parse_args()
    game = lw.load(settings.game)
    room = multiprocessing.RawArray(c_float, 3 * Network(game).size)
    numbers = range(settings.processes)
    together(train, [(settings.game, room, settings.minutes, number) for number in numbers])
    for opponent in ("random", "medium"):
        points = multiprocessing.RawArray(c_float, settings.games)
        shares = [slice(number, None, settings.processes) for number in numbers]
        together(match, [(settings.game, room, settings.seconds, opponent, share, points) for share in shares])
        came = np.ctypeslib.as_array(points)
        share, spread = np.mean(came), 1.96 * np.std(came) / math.sqrt(len(came))
        print(f"against {opponent}: {share:.0%} of the points in {len(came)} games, give or take {spread:.0%}", flush=True)


if __name__ == "__main__":
    main()
