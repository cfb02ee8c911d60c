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

from ._ludwright import (
    AmbiguousMove,
    Game,
    IllegalMove,
    RulesError,
    State,
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

search = suggest


def _game_again(
    name: str, text: str, ruleset: str | None, options: list[tuple[str, str]], rules_hash: str
) -> Game:
    """A pickled game."""
    return Game._again(name, text, ruleset, options, rules_hash)


def _state_again(game: Game, history: list[int]) -> State:
    """A pickled state."""
    return State._again(game, history)


from .vector import VectorEnv, vector_env  # noqa: E402

__all__ = [
    "AmbiguousMove",
    "Game",
    "IllegalMove",
    "RulesError",
    "State",
    "Vector",
    "VectorEnv",
    "__version__",
    "arena",
    "catalogue",
    "load",
    "load_file",
    "load_text",
    "measure",
    "perft",
    "playouts",
    "search",
    "solve",
    "suggest",
    "vector_env",
]
