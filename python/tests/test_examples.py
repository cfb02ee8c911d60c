"""The example that learns: what it has learnt from a few games is better than chance, in games it was not written for."""

import sys
from pathlib import Path

import numpy as np
import pytest

import ludwright as lw

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import train_connect_four as example  # noqa: E402


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough"])
def test_what_it_learns_is_better_than_chance(name: str) -> None:
    game = lw.load(name, width=5, height=4) if name == "connect_four" else lw.load(name)
    network = example.Network(game, groups=12)
    env = lw.vector_env(game, 32, seed=1, autoreset="disabled", layout="graph")
    dice = np.random.default_rng(1)
    for _ in range(12):
        example.lesson(env, network, dice, 1)
    # No time to look ahead: what it has learnt alone decides.
    player = example.Player(network, 0)
    points = [example.played(game, player, "random", number) for number in range(40)]
    assert np.mean(points) > 0.7
