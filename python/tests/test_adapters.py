"""What other libraries ask of environments, by their own suites."""

import warnings
from typing import Any

import numpy as np
import pytest

import ludwright as lw
import ludwright.openspiel as spiel

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("tic_tac_toe", {}),
    ("hex", {"size": 4}),
    ("connect_four", {}),
    ("backgammon", {}),
    ("push_and_pull", {}),
]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_pettingzoo_accepts_the_environment(name: str, options: dict[str, Any]) -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, seed_test

    from ludwright.pettingzoo import env

    game = lw.load(name, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env(game), num_cycles=200)
        seed_test(lambda: env(game), num_cycles=50)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_gymnasium_accepts_the_environment(name: str, options: dict[str, Any]) -> None:
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    from ludwright.gym import SingleAgent

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(SingleAgent(lw.load(name, **options)), skip_render_check=True)


def test_a_program_plays_the_other_seats() -> None:
    pytest.importorskip("gymnasium")
    from ludwright.gym import SingleAgent

    env = SingleAgent(lw.load("tic_tac_toe"), opponent="mcts:50", seat=1, render_mode="ansi")
    _, info = env.reset(seed=1)
    assert info["action_mask"].sum() == 8 and env.state.current_player() == 1
    done, reward = False, 0.0
    while not done:
        action = np.int64(np.flatnonzero(info["action_mask"])[0])
        _, reward, done, _, info = env.step(action)
    assert reward in (-1.0, 0.0, 1.0) and "b" in (env.render() or "")
    env.reset()
    taken = np.int64(env.state.history()[0])
    assert env.step(taken)[1:3] == (-1.0, True)


def test_gymnasium_steps_many_games() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from ludwright.gym import vector_env

    env = vector_env(lw.load("tic_tac_toe"), 5, seed=1)
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    seen, info = env.reset(seed=2)
    assert seen in env.observation_space
    won = 0
    for _ in range(50):
        seen, rewards, terminated, _, info = env.step(env.env.sample())
        assert seen.shape == (5, *lw.load("tic_tac_toe").observation_shape())
        won += int((rewards[terminated] == 1).sum())
    assert won > 5 and info["rewards"].shape == (5, 2)


def test_the_shape_of_openspiel() -> None:
    game = spiel.load_game("hex(size=4)")
    assert (game.num_distinct_actions(), game.num_players()) == (16, 2)
    state = game.new_initial_state().child(5)
    assert state.legal_actions(0) == [] and 5 not in state.legal_actions(1)
    size = int(np.prod(game.observation_tensor_shape()))
    assert len(state.observation_tensor(1)) == size and state.history_str() == "5"
