"""Many games at once: the same games as one by one, for one seed on any number of threads."""

import multiprocessing
import threading

import numpy as np
import pytest

import ludwright as lw


def run(game: lw.Game, threads: int, steps: int = 60, n: int = 7, **settings: object) -> list[bytes]:
    env = lw.vector_env(game, n, threads=threads, seed=3, **settings)  # type: ignore[arg-type]
    told = []
    for _ in range(steps):
        arrays = env.step(env.sample())[:4]
        told.append(b"".join(array.tobytes() for array in (*arrays, env.masks, env.players)))
    return told


@pytest.mark.parametrize("name", ["tic_tac_toe", "backgammon", "breakthrough", "chess", "push_and_pull"])
def test_one_seed_gives_the_same_games_on_any_number_of_threads(name: str) -> None:
    game = lw.load(name)
    assert run(game, 1) == run(game, 2) == run(game, 3)
    assert run(game, 1, autoreset="same_step") == run(game, 2, autoreset="same_step")


@pytest.mark.parametrize("name", ["hex", "breakthrough", "chess", "reversi"])
def test_vectors_say_what_states_say(name: str) -> None:
    game = lw.load(name)
    env = lw.vector_env(game, 3)
    states = [game.new_initial_state() for _ in range(3)]
    over = [False] * 3
    for _ in range(150):
        actions = env.sample().copy()
        _, rewards, terminated, truncated, info = env.step(actions)
        for at, state in enumerate(states):
            if over[at]:
                states[at] = state = game.new_initial_state()
                over[at] = False
                assert not rewards[at].any() and not terminated[at]
            else:
                state.apply_action(int(actions[at]))
            assert np.array_equal(env.observations[at], state.observation())
            assert np.array_equal(info["action_mask"][at], state.legal_actions_mask().astype(bool))
            assert rewards[at].tolist() == state.returns()
            assert terminated[at] == state.is_terminal() and not truncated[at]
            over[at] = state.is_terminal()
            if not over[at]:
                assert info["current_player"][at] == state.current_player()


@pytest.mark.parametrize("name", ["connect_four", "chess", "push_and_pull", "backgammon"])
def test_successors_are_what_actions_lead_to(name: str) -> None:
    game = lw.load(name)
    env = lw.vector_env(game, 5, threads=2, seed=4, autoreset="disabled", layout="HWC")
    alone = lw.vector_env(game, 5, seed=4, autoreset="disabled", layout="HWC")
    for _ in range(12):
        before = env.observations.copy()
        after, same = env.successors(), alone.successors()
        assert np.array_equal(env.observations, before)
        assert after.observations.tobytes() == same.observations.tobytes()
        wanted = [(at, action) for at in range(5) for action in np.flatnonzero(env.masks[at])]
        assert list(zip(after.games.tolist(), after.actions.tolist(), strict=True)) == wanted
        assert len(after) == len(wanted) == len(after.rewards) == len(after.players)
        for at in range(0, len(after), 7):
            state = game.new_initial_state()
            state.apply_actions(env.history(int(after.games[at])))
            if not np.array_equal(state.observation("HWC"), before[after.games[at]]):
                continue  # A history leaves out the choices of a ply that has not come to its end.
            of_state = state.successors("HWC")
            index = of_state.actions.tolist().index(after.actions[at])
            assert np.array_equal(of_state.observations[index], after.observations[at])
            state.apply_action(int(after.actions[at]))
            assert np.array_equal(state.observation("HWC"), after.observations[at])
            assert state.returns() == after.rewards[at].tolist() == of_state.rewards[index].tolist()
            assert state.is_terminal() == after.terminated[at] == of_state.terminated[index]
            if state.current_player() >= 0:
                assert state.current_player() == after.players[at]
        actions = env.sample().copy()
        env.step(actions)
        alone.step(actions)


def test_games_that_are_over_have_no_successors() -> None:
    env = lw.vector_env(lw.load("tic_tac_toe"), 4, autoreset="disabled")
    steps = 0
    while len(after := env.successors()):
        ended = after.terminated.copy()
        rewards = {(int(game), int(action)): row for game, action, row in zip(after.games, after.actions, after.rewards, strict=True)}
        actions = env.sample().copy()
        _, _, terminated, _, _ = env.step(actions)
        for game in np.flatnonzero(terminated):
            assert np.array_equal(rewards[int(game), int(actions[game])], env.rewards[game])
        assert ended.any() or not terminated.any()
        steps += 1
    assert 5 <= steps <= 9


def test_an_illegal_action_changes_no_game() -> None:
    env = lw.vector_env(lw.load("hex", size=3), 4)
    env.step(np.array([0, 1, 2, 3]))
    before = env.observations.copy()
    for wrong in ([1, 1, 3, 4], [1, 2, 3, -1], [1, 2, 3, 99]):
        with pytest.raises(lw.IllegalMove, match="game [13]"):
            env.step(np.array(wrong))
    with pytest.raises(ValueError, match="3 actions for 4 games"):
        env.step(np.array([1, 2, 3]))
    assert np.array_equal(env.observations, before)
    assert [env.history(at) for at in range(4)] == [[0], [1], [2], [3]]


def test_games_begin_anew_as_wanted() -> None:
    game = lw.load("tic_tac_toe")
    same = lw.vector_env(game, 2, autoreset="same_step")
    ended = 0
    for _ in range(30):
        _, rewards, terminated, _, info = same.step(same.sample())
        for at in np.flatnonzero(terminated):
            ended += 1
            assert same.history(int(at)) == [] and same.masks[at].all()
            assert info["final_obs"][at].any()
    assert ended > 2
    never = lw.vector_env(game, 2, autoreset="disabled")
    for _ in range(9):
        never.step(never.sample())
    assert not never.masks.any()
    never.reset(mask=np.array([True, False]))
    assert never.masks[0].all() and not never.masks[1].any()


def test_long_games_are_cut() -> None:
    env = lw.vector_env(lw.load("chess"), 2, max_plies=5)
    cuts = [bool(env.step(env.sample())[3][0]) for _ in range(12)]
    assert cuts == [at % 6 == 4 for at in range(12)]


def test_seeds_are_said_anew() -> None:
    env = lw.vector_env(lw.load("backgammon"), 2, seed=5)
    first = env.observations.copy()
    env.step(env.sample())
    env.reset(seed=5)
    assert np.array_equal(env.observations, first)


def test_arrays_are_shared_and_not_made_anew() -> None:
    env = lw.vector_env(lw.load("hex", size=4), 3)
    addresses = {array.ctypes.data for array in (env.observations, env.masks, env.rewards)}
    env.step(env.sample())
    assert {array.ctypes.data for array in (env.observations, env.masks, env.rewards)} == addresses
    assert np.from_dlpack(env.observations).ctypes.data == env.observations.ctypes.data


def test_memory_does_not_grow() -> None:
    resource = pytest.importorskip("resource")
    env = lw.vector_env(lw.load("tic_tac_toe"), 64)
    for _ in range(2_000):
        env.step(env.sample())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(6_000):
        env.step(env.sample())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4_096


def test_random_actions_are_legal_and_even() -> None:
    env = lw.vector_env(lw.load("hex", size=3), 900)
    counts = np.bincount(env.sample(), minlength=9)
    assert counts.min() > 60


def child(queue: "multiprocessing.Queue[bytes]", env: lw.VectorEnv) -> None:
    for _ in range(30):
        env.step(env.sample())
    queue.put(env.observations.tobytes() + env.masks.tobytes())


def test_forked_processes_step_on() -> None:
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[bytes] = context.Queue()
    env = lw.vector_env(lw.load("tic_tac_toe"), 5, threads=2, seed=3)
    env.step(env.sample())
    process = context.Process(target=child, args=(queue, env))
    process.start()
    told = queue.get(timeout=60)
    process.join()
    child(queue, env)
    assert queue.get(timeout=60) == told


def test_one_thread_at_a_time_steps_an_environment() -> None:
    env = lw.vector_env(lw.load("hex", size=5), 200, threads=2)
    refused, stepped = list[RuntimeError](), list[int]()

    def step() -> None:
        # Sooner or later one comes while another one is at it.
        while not refused and len(stepped) < 10_000:
            try:
                env.step(env.sample())
                stepped.append(1)
            except lw.IllegalMove:
                # Another thread has stepped since this one sampled.
                pass
            except RuntimeError as error:
                refused.append(error)

    threads = [threading.Thread(target=step) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stepped and refused and all("another thread" in str(error) for error in refused)
    game = env.game
    for at in (0, 199):
        state = game.new_initial_state()
        state.apply_actions(env.history(at))
        assert np.array_equal(state.legal_actions_mask().astype(bool), env.masks[at])
