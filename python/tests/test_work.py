"""Long work of the library."""

import os
import signal
import threading

import pytest

import ludwright as lw


def test_playouts_are_the_same_on_any_number_of_threads() -> None:
    game = lw.load("hex", size=5)
    one, two = (lw.playouts(game, 300, seed=7, threads=threads) for threads in (1, 2))
    assert one == two and one["games"] == 300 and sum(one["wins"].values()) == 300


def test_sequences_are_counted() -> None:
    assert lw.perft(lw.load("breakthrough"), 3) == [22, 484, 11132]


def test_programs_play_and_suggest() -> None:
    game = lw.load("tic_tac_toe")
    told = lw.arena(game, ["mcts:100", "random"], games=20)
    strong, weak = told["standings"]
    assert strong["points"] > weak["points"] and strong["points"] + weak["points"] == 20
    state = game.new_initial_state()
    for move in ["a1", "b1", "a2", "b2"]:
        state.play(move)
    thought = lw.suggest(state, "mcts:200")
    assert thought is not None and thought["move"] == "a3" and thought["value"] == 1.0
    state.apply_action(thought["action"])
    assert lw.suggest(state, "random") is None
    with pytest.raises(ValueError, match="a seat is"):
        lw.suggest(state, "deep_thought")
    with pytest.raises(ValueError, match="2 seats"):
        lw.arena(game, ["random"])


def test_small_games_are_solved() -> None:
    assert lw.solve(lw.load("tic_tac_toe").new_initial_state())["values"] == [0.0, 0.0]
    assert lw.solve(lw.load("hex", size=3).new_initial_state())["values"] == [1.0, -1.0]


def test_a_table_tells_what_all_positions_are_worth() -> None:
    start = lw.load("tic_tac_toe").new_initial_state()
    told = lw.solve(start, way="table")
    assert (told["way"], told["values"], told["missing"]) == ("table", [0.0, 0.0], None)
    # The known number of positions that can come up, turned and mirrored ones counted once.
    assert (told["positions"]["all"], told["positions"]["images"]) == (765, 8)
    assert told["positions"]["all"] == sum(told["positions"]["won"]) + told["positions"]["drawn"]
    proof = lw.solve(start, way="proof")
    assert (proof["way"], proof["values"], proof["positions"]) == ("proof", [0.0, 0.0], None)
    few = lw.solve(start, nodes=10)
    assert few["values"] is None and "more positions" in few["missing"]
    with pytest.raises(ValueError, match='"auto", "table" or "proof"'):
        lw.solve(start, way="guess")  # type: ignore[arg-type]


def test_the_interpreter_goes_on_while_work_is_done_and_ctrl_c_ends_it() -> None:
    game, begun = lw.load("hex"), threading.Event()

    def interrupts() -> None:
        # It goes on here only when the work has let go of the interpreter.
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    other = threading.Thread(target=interrupts)
    other.start()
    # Whoever started the tests may have it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            begun.set()
            lw.playouts(game, 10**9)
    finally:
        signal.signal(signal.SIGINT, before)
    other.join()
