"""Games and states: what is legal, what is refused, and what is kept."""

import copy
import multiprocessing
import pickle
import random
import threading
from pathlib import Path

import numpy as np
import pytest

import ludwright as lw
from ludwright import distributed

ROW = """
game "Row"
players Black, White
board square(3)
piece stone of each player
move put "{cell}" { cell : empty; cell becomes stone of mover }
turn { put }
end { mover wins when line(3, own, directions) "three in a row"; draw when stuck }
"""


def played(game: lw.Game, seed: int, plies: int) -> lw.State:
    state, dice = game.new_initial_state(), random.Random(seed)
    while not state.is_terminal() and state.move_number() < plies:
        state.apply_action(dice.choice(state.legal_actions()))
    return state


def test_a_game_is_played_by_actions_and_by_words() -> None:
    game = lw.load("hex", size=3)
    assert (game.num_actions, game.num_players, game.players) == (9, 2, ["Red", "Blue"])
    assert game.actions()[4] == "put b2" and game.options["size"] == 3
    state = game.new_initial_state()
    assert state.play("b2") == "b2"
    assert state.history() == [4] and state.current_player() == 1
    assert state.legal_actions() == [0, 1, 2, 3, 5, 6, 7, 8]
    assert state.legal_actions_mask().tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert [state.action_to_string(action) for action in state.legal_actions()] == state.moves()
    assert state.string_to_action("c3") == state.string_to_action("put c3") == 8
    for move in ["a1", "b1", "a3", "b3"]:
        state.play(move)
    assert state.is_terminal() and state.current_player() == -4
    assert state.returns() == [1.0, -1.0] and state.legal_actions() == []
    assert state.result() == "Red wins: a chain from side to side"
    assert state.moves_played() == ["b2", "a1", "b1", "a3", "b3"]


def test_what_is_illegal_raises_and_changes_nothing() -> None:
    state = lw.load("hex", size=3).new_initial_state()
    state.play("b2")
    before = (state.history(), state.legal_actions(), str(state))
    for wrong in [4, 9, -1, 2**40]:
        with pytest.raises(lw.IllegalMove):
            state.apply_action(wrong)
    with pytest.raises(lw.IllegalMove, match="which is not in `empty`"):
        state.play("b2")
    assert (state.history(), state.legal_actions(), str(state)) == before
    assert "cell : empty" in state.why("b2")
    assert "is legal" in state.why("a1")


def test_mistakes_in_rules_are_shown_as_in_the_terminal() -> None:
    with pytest.raises(lw.RulesError) as caught:
        lw.load_text(ROW.replace("cell : empty", "cell : emty"), name="row.game")
    assert "unknown word `emty`" in str(caught.value) and "row.game:6" in str(caught.value)
    assert "did you mean `empty`?" in str(caught.value) and caught.value.codes == ["LW201"]
    with pytest.raises(ValueError, match="did you mean `hex`"):
        lw.load("hxe")
    with pytest.raises(ValueError, match="it goes from 2 to 22"):
        lw.load("hex", size=99)
    with pytest.raises(FileNotFoundError):
        lw.load_file("nowhere.game")


def test_files_extend_files_beside_them(tmp_path: Path) -> None:
    (tmp_path / "row.game").write_text(ROW)
    (tmp_path / "wide.game").write_text('game "Wide" extends "row.game"\nboard square(4)\n')
    assert lw.load_file(tmp_path / "wide.game").num_actions == 16


@pytest.mark.parametrize("name", ["hex", "chess", "backgammon", "push_and_pull", "amazons"])
def test_copies_and_pickles_go_on_alike(name: str) -> None:
    game = lw.load(name)
    state = played(game, 1, 12)
    others = [state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))]
    for other in others:
        assert other.history() == state.history() and other.game == game
        assert other.legal_actions() == state.legal_actions()
        assert np.array_equal(other.observation(), state.observation())
        if not other.is_terminal():
            other.apply_action(other.legal_actions()[0])
            assert other.history() != state.history()


def test_a_pickle_of_other_rules_is_refused() -> None:
    game = lw.load_text(ROW)
    assert pickle.loads(pickle.dumps(game)) == game
    with pytest.raises(RuntimeError, match="have changed since this was saved"):
        lw.Game._again("row", ROW.replace("line(3", "line(2"), None, [], game.rules_hash)


@pytest.mark.parametrize("name", lw.catalogue())
def test_every_game_is_played_to_an_end_or_far(name: str) -> None:
    game = lw.load(name)
    state = played(game, 2, 60)
    shape = game.observation_shape()
    assert len(game.plane_names()) == shape[0]
    assert state.observation().shape == shape and state.observation().dtype == np.uint8
    assert state.legal_actions_mask().sum() == len(state.legal_actions())
    height_first = np.moveaxis(state.observation("HWC"), -1, 0)
    assert np.array_equal(height_first, state.observation())
    nodes = state.observation("graph")
    assert nodes.shape == (len(game.sites), shape[0])
    flat = state.observation().reshape(shape[0], -1)
    assert np.array_equal(flat[:, game.site_cells()].T, nodes)
    edges, kinds = game.graph()
    assert edges.shape == (2, len(kinds)) and edges.max(initial=0) < len(game.sites)


def test_chance_is_a_player_of_its_own() -> None:
    state = lw.load("backgammon").new_initial_state()
    dice = random.Random(1)
    seen = 0
    while not state.is_terminal() and seen < 20:
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert state.current_player() == -1
            assert sum(chance for _, chance in outcomes) == pytest.approx(1)
            assert [action for action, _ in sorted(outcomes)] == state.legal_actions()
            seen += 1
        else:
            assert state.chance_outcomes() == []
        state.apply_action(dice.choice(state.legal_actions()))
    assert seen == 20


def test_a_mask_and_an_observation_are_written_where_it_is_wanted() -> None:
    game = lw.load("hex", size=4)
    state = game.new_initial_state()
    mask, seen = np.zeros(16, np.uint8), np.zeros(game.observation_shape(), np.uint8)
    assert state.legal_actions_mask(mask).base is not None and mask.all()
    assert state.observation(out=seen) is seen and seen.any()
    with pytest.raises(ValueError, match="has the shape"):
        state.observation(out=np.zeros((1, 2, 3), np.uint8))


def test_one_thread_at_a_time_uses_a_state() -> None:
    game = lw.load("hex", size=9)
    state, refused = game.new_initial_state(), []

    def step() -> None:
        for _ in range(300):
            try:
                legal = state.legal_actions()
                if legal:
                    state.apply_action(legal[0])
            except (RuntimeError, lw.IllegalMove) as error:
                refused.append(error)

    threads = [threading.Thread(target=step) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    history = state.history()
    again = game.new_initial_state()
    again.apply_actions(history)
    assert again.legal_actions() == state.legal_actions() and len(set(history)) == len(history)


def child(queue: "multiprocessing.Queue[list[float]]", state: lw.State) -> None:
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    queue.put(state.returns())


def test_forked_processes_play_on() -> None:
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[list[float]] = context.Queue()
    state = played(lw.load("hex", size=5), 1, 5)
    process = context.Process(target=child, args=(queue, state))
    process.start()
    told = queue.get(timeout=60)
    process.join()
    child(queue, state)
    assert queue.get(timeout=60) == told


def test_boards_are_drawn() -> None:
    state = lw.load("hex", size=3).new_initial_state()
    assert state._repr_svg_().startswith("<svg") and state.game._repr_svg_().startswith("<svg")
    assert str(state).endswith("Red to move") and "<ludwright.State of Hex" in repr(state)


# From the second turn on, what may be put depends on all that the rest of the turn may come to.
HEAVY = """
game "Heavy"
players A, B
board square(6)
piece stone of each player
move put "{cell}" { cell : empty; cell becomes stone of mover }
turn {
  put, put, put, put, put, put, put, put
  must most count corner when turn > 1
}
end {
  next loses when stuck
  mover loses when unfinished
}
"""


def test_a_ply_that_takes_too_many_steps_raises_and_changes_nothing() -> None:
    game = lw.load_text(HEAVY).with_steps(300_000)
    state = game.new_initial_state()
    for _ in range(7):
        state.apply_action(state.legal_actions()[0])
    before = (state.history(), state.legal_actions(), state.move_number(), str(state))
    with pytest.raises(lw.GivenUp, match=r"more than 300000 steps .* at text\.game:\d+:\d+\n  help: "):
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(lw.GivenUp, match="more than 300000 steps"):
        state.play(state.moves()[0])
    assert (state.history(), state.legal_actions(), state.move_number(), str(state)) == before
    again = pickle.loads(pickle.dumps(state))
    with pytest.raises(lw.GivenUp):
        again.apply_action(again.legal_actions()[0])


def test_many_games_name_the_one_that_was_given_up() -> None:
    env = lw.vector_env(lw.load_text(HEAVY).with_steps(300_000), 2)
    for _ in range(7):
        env.step(env.sample())
    before = env.history(0)
    with pytest.raises(lw.GivenUp, match="game 0: this ply was given up"):
        env.step(env.sample())
    assert env.history(0) == before and not env.terminated.any()


def test_a_start_that_takes_too_many_steps_is_told_at_once() -> None:
    game = lw.load_text(ROW).with_steps(3)
    with pytest.raises(lw.GivenUp, match="more than 3 steps"):
        game.new_initial_state()
    with pytest.raises(lw.GivenUp, match="game 0"):
        lw.vector_env(game, 2)
    with pytest.raises(lw.GivenUp):
        lw.playouts(game, 3)
    with pytest.raises(lw.GivenUp):
        lw.perft(game, 2)


def test_a_ply_that_is_given_up_is_told_of_before_it_is_played() -> None:
    env = lw.vector_env(lw.load_text(HEAVY).with_steps(300_000), 2)
    for _ in range(7):
        env.step(env.sample())
    before = env.observations.copy()
    with pytest.raises(lw.GivenUp, match="game 0: this ply was given up"):
        env.successors()
    state = env.game.new_initial_state()
    state.apply_actions(env.history(0))
    with pytest.raises(lw.GivenUp):
        state.successors()
    assert state.history() == env.history(0) and np.array_equal(env.observations, before)


def test_work_on_many_games_says_which_ply_was_given_up() -> None:
    game = lw.load_text(HEAVY).with_steps(300_000)
    told = r"^this ply was given up: it takes more than 300000 steps .* at text\.game:\d+:\d+\n  help: "
    players = ["random", "mcts:2"]
    for work in (
        lambda: lw.playouts(game, 4),
        lambda: lw.arena(game, players, games=4),
        lambda: lw.measure(game, games=4, seconds=60),
        lambda: distributed.playouts(game, 4),
        lambda: distributed.arena(game, players, games=4),
        lambda: distributed.tournament(game, players, pairs=2),
        lambda: distributed.sweep([game, game], player="random", count=4),
        lambda: distributed.measure_all([game], count=4),
    ):
        with pytest.raises(lw.GivenUp, match=told):
            work()


def test_a_seat_is_told_the_same_where_it_cannot_tell_states_apart() -> None:
    game = lw.load_file(Path(__file__).resolve().parents[2] / "examples/phantom_tic_tac_toe.game")
    assert game.has_hidden_information and not lw.load("hex").has_hidden_information
    states = [game.new_initial_state() for _ in range(2)]
    for state, first in zip(states, ["a1", "c3"], strict=True):
        state.play(first)
    (cross, nought), (other_cross, other_nought) = ([state.information_state(seat) for seat in (0, 1)] for state in states)
    assert nought == other_nought and "?" in nought
    assert cross != other_cross and cross.startswith("a1 ")
    # One of them finds the mark there, the other does not.
    for state in states:
        state.play("a1")
    assert states[0].information_state(1) != states[1].information_state(1)
    with pytest.raises(ValueError, match="no seat 2"):
        states[0].information_state(2)
    env = lw.vector_env(game, 2)
    for refused in (states[0].successors, env.successors):
        with pytest.raises(ValueError, match="hides something"):
            refused()


HIDDEN = ["dark_hex", "phantom_tic_tac_toe", "rock_paper_scissors", "small_stratego"]


def hidden(name: str) -> lw.Game:
    return lw.load_file(Path(__file__).resolve().parents[2] / f"examples/{name}.game")


@pytest.mark.parametrize("name", HIDDEN)
def test_observations_and_masks_say_no_more_than_a_seat_was_told(name: str) -> None:
    game, dice = hidden(name), np.random.default_rng(1)
    known: dict[tuple[int, str], tuple[bytes, bytes]] = {}
    wholes: dict[tuple[int, str], set[str]] = {}
    for _ in range(600):
        state = game.new_initial_state()
        for _ in range(int(dice.integers(1, 7))):
            if not state.is_terminal():
                state.apply_action(int(dice.choice(state.legal_actions())))
        for seat in range(game.num_players):
            told = (seat, state.information_state(seat))
            own = state.current_player() == seat
            seen = state.observation(seat=seat).tobytes(), state.legal_actions_mask().tobytes() if own else b""
            assert known.setdefault(told, seen) == seen, state.moves_played()
            wholes.setdefault(told, set()).add(state.to_json())
    # Seats were in states that they could not tell apart.
    assert sum(len(states) > 1 for states in wholes.values()) >= 10


def test_many_games_that_hide_something_show_what_the_player_to_move_sees() -> None:
    game = hidden("small_stratego")
    env, unknown = lw.vector_env(game, 8, seed=5, autoreset="disabled"), 0
    for _ in range(60):
        for number in range(env.num_envs):
            state = game.new_initial_state()
            state.apply_actions(env.history(number))
            if state.is_terminal():
                continue
            seat = state.current_player()
            assert env.players[number] == seat
            assert np.array_equal(env.observations[number], state.observation(seat=seat))
            assert np.array_equal(env.masks[number], state.legal_actions_mask())
            unknown += int(env.observations[number, game.plane_names().index("next unknown")].sum())
        env.step(env.sample())
    assert unknown > 0
