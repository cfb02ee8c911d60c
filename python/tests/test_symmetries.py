"""A game that is turned or mirrored is the same game."""

import random

import numpy as np
import pytest

import ludwright as lw

# Directions are remembered, so planes change places.
WAYS = """
game "Ways"
players Black, White
board square(3)
piece stone of each player
track way(player) : direction
move put "{cell} {d}" { cell : empty; d : directions; cell becomes stone of mover; way(mover) becomes d }
turn { put }
end { mover wins when line(3, own, directions) "three in a row"; draw when stuck }
"""
GAMES = [
    (lw.load("tic_tac_toe"), 8),
    (lw.load("hex", size=4), 2),
    (lw.load("connect_four"), 2),
    (lw.load_text(WAYS), 8),
]


@pytest.mark.parametrize(("game", "count"), GAMES)
def test_observations_and_masks_are_permuted(game: lw.Game, count: int) -> None:
    symmetries = [one for one in game.symmetries() if not one[3]]
    assert len(symmetries) == count
    cells, dice = game.site_cells(), random.Random(1)
    for sites, actions, planes, _ in symmetries:
        one, image = game.new_initial_state(), game.new_initial_state()
        while not one.is_terminal():
            mask = np.zeros_like(one.legal_actions_mask())
            mask[actions] = one.legal_actions_mask()
            assert np.array_equal(mask, image.legal_actions_mask())
            seen = one.observation().reshape(len(planes), -1)
            turned = np.zeros_like(seen)
            turned[planes[:, None], cells[sites][None, :]] = seen[:, cells]
            assert np.array_equal(turned, image.observation().reshape(len(planes), -1))
            nodes = np.zeros_like(one.observation("graph"))
            nodes[sites[:, None], planes[None, :]] = one.observation("graph")
            assert np.array_equal(nodes, image.observation("graph"))
            action = dice.choice(one.legal_actions())
            one.apply_action(action)
            image.apply_action(int(actions[action]))
        assert one.returns() == image.returns() and image.is_terminal()


def test_symmetries_are_permutations_and_the_first_changes_nothing() -> None:
    for game, count in GAMES:
        symmetries = game.symmetries()
        assert len(symmetries) == 2 * count and [one[3] for one in symmetries] == count * [False] + count * [True]
        assert all(np.array_equal(one, np.arange(len(one))) for one in symmetries[0][:3])
        for *permutations, _ in symmetries:
            for numbers in permutations:
                assert np.array_equal(np.sort(numbers), np.arange(len(numbers)))
    assert any(planes.tolist() != sorted(planes) for _, _, planes, _ in GAMES[-1][0].symmetries())
