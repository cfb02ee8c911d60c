"""Board games as text, and as learning environments.

    >>> import ludwright as lw
    >>> game = lw.load("hex", size=3)
    >>> state = game.new_initial_state()
    >>> state.play("b2")
    'b2'
    >>> state.current_player(), len(state.legal_actions())
    (1, 8)

`load`, `load_text` and `load_file` give a `Game`, which makes a `State` (`new_initial_state`) or many of them stepped together
(`vector_env`). `ludwright.gym`, `ludwright.pettingzoo` and `ludwright.openspiel` speak as these libraries do.
"""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from ._ludwright import (
    AmbiguousMove,
    Game,
    GivenUp,
    IllegalMove,
    Job,
    RulesError,
    State,
    Stop,
    Successors,
    Sums,
    Trainer,
    Vector,
    __version__,
    arena,
    catalogue,
    load,
    load_file,
    load_text,
    measure,
    perft,
    playouts,
    solve,
    suggest,
)

from ._ludwright import use_weights as _use_weights

search = suggest


def train(
    game: Game,
    *,
    minutes: float | None = None,
    games: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> Trainer:
    """Learns a game of two players by playing against itself: five minutes unless told otherwise, or so many games.

    From then on the seat `learned` plays it in this process; `Trainer.save` keeps what was learnt. Whoever wants to press Ctrl-C
    and keep it begins with `Trainer(game)`.
    """
    trainer = Trainer(game, seed=seed)
    trainer.run(minutes=minutes, games=games, threads=threads, progress=progress)
    return trainer


def use_weights(game: Game, weights: bytes | str | PathLike[str]) -> None:
    """From now on the seat `learned` plays this game by these weights, or those in a file."""
    _use_weights(game, weights if isinstance(weights, bytes) else Path(weights).read_bytes())


def _game_again(
    name: str,
    text: str,
    ruleset: str | None,
    options: list[tuple[str, str]],
    rules_hash: str,
    steps: int | None = None,
) -> Game:
    """A pickled game."""
    return Game._again(name, text, ruleset, options, rules_hash, steps)


def _state_again(game: Game, history: list[int]) -> State:
    """A pickled state."""
    return State._again(game, history)


from . import distributed  # noqa: E402
from .vector import VectorEnv, vector_env  # noqa: E402

__all__ = [
    "AmbiguousMove",
    "Game",
    "GivenUp",
    "IllegalMove",
    "Job",
    "RulesError",
    "State",
    "Stop",
    "Successors",
    "Sums",
    "Trainer",
    "Vector",
    "VectorEnv",
    "__version__",
    "arena",
    "catalogue",
    "distributed",
    "load",
    "load_file",
    "load_text",
    "measure",
    "perft",
    "playouts",
    "search",
    "solve",
    "suggest",
    "train",
    "use_weights",
    "vector_env",
]
