"""Games that are learnt."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import ludwright as lw

THREE = """
game "Three"
players Black, White, Grey
board square(3)
piece stone of each player
move put "{cell}" { cell : empty; cell becomes stone of mover }
turn { put }
end { mover wins when line(3, own, directions) "three in a row"; draw when stuck }
"""


def test_what_was_learnt_sits_at_a_seat(tmp_path: Path) -> None:
    # Others of the tests learn other games in this process.
    game = lw.load("wild_tic_tac_toe")
    with pytest.raises(ValueError, match="there are no weights for `learned`"):
        lw.arena(game, ["learned:20", "random"], games=2)
    seen: list[dict[str, Any]] = []
    trainer = lw.train(game, games=320, seed=3, progress=seen.append)
    assert trainer.facts()["games"] == 320 and [now["games"] for now in seen] == list(range(32, 321, 32))
    strong, weak = lw.arena(game, ["learned:20", "random"], games=40, seed=1)["standings"]
    assert strong["points"] > 1.5 * weak["points"]
    thought = lw.suggest(game.new_initial_state(), "learned:20")
    assert thought is not None and thought["move"] in game.new_initial_state().moves()
    path = tmp_path / "t.weights"
    trainer.save(path)
    again = lw.train(game, games=320, seed=3, threads=2)
    assert again.weights() == path.read_bytes() == trainer.weights()
    lw.use_weights(game, path)
    further = lw.Trainer(game, weights=trainer.weights())
    further.run(games=32)
    assert further.facts()["games"] == 352 and further.weights() != trainer.weights()
    assert all({"weight", "player", "sites", "picture"} <= set(one) for one in trainer.explain(3))


def test_weights_fit_their_own_game() -> None:
    weights = lw.Trainer(lw.load("tic_tac_toe")).weights()
    with pytest.raises(ValueError, match="it was trained for tic_tac_toe"):
        lw.use_weights(lw.load("hex", size=3), weights)
    with pytest.raises(ValueError, match="it is damaged|no file of weights"):
        lw.Trainer(lw.load("tic_tac_toe"), weights=weights[:-3])
    with pytest.raises(ValueError, match="two players"):
        lw.Trainer(lw.load_text(THREE))
    with pytest.raises(ValueError, match="not both"):
        lw.train(lw.load("tic_tac_toe"), games=3, minutes=1)


def test_ctrl_c_ends_a_training_and_keeps_what_was_learnt() -> None:
    trainer = lw.Trainer(lw.load("tic_tac_toe"))

    seen = list[int]()

    def interrupts(now: dict[str, Any]) -> None:
        # Once: what comes later would hit whatever is done then.
        if not seen:
            os.kill(os.getpid(), signal.SIGINT)
        seen.append(now["games"])

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            trainer.run(games=10**8, progress=interrupts)
    finally:
        signal.signal(signal.SIGINT, before)
    assert trainer.facts()["games"] > 0

    def fails(now: dict[str, Any]) -> None:
        raise LookupError(now["games"])

    with pytest.raises(LookupError):
        trainer.run(games=10**8, progress=fails)
