"""The shape of OpenSpiel's Python API, for code that was written against it: `load_game("hex(size=9)")`.

States are `ludwright.State`, which has OpenSpiel's names already; what differs there is added here.
"""

from __future__ import annotations

import re

from ._ludwright import Game, State, load


class SpielState:
    """A state that gives observations as OpenSpiel does, as lists of floats. All else is that of `ludwright.State`."""

    def __init__(self, state: State) -> None:
        self.state = state

    def __getattr__(self, name: str) -> object:
        return getattr(self.state, name)

    def __str__(self) -> str:
        return str(self.state)

    def clone(self) -> SpielState:
        return SpielState(self.state.clone())

    def child(self, action: int) -> SpielState:
        after = self.clone()
        after.state.apply_action(action)
        return after

    def legal_actions(self, player: int | None = None) -> list[int]:
        if player is not None and player != self.state.current_player():
            return []
        return self.state.legal_actions()

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        mask: list[int] = self.state.legal_actions_mask().tolist()
        return mask

    def observation_tensor(self, player: int | None = None) -> list[float]:
        seen: list[float] = self.state.observation(seat=player).astype(float).ravel().tolist()
        return seen

    def observation_string(self, player: int | None = None) -> str:
        if self.state.game.has_hidden_information:
            return self.state.view(self._seat(player))
        return str(self.state)

    def information_state_string(self, player: int | None = None) -> str:
        return self.state.information_state(self._seat(player))

    def _seat(self, player: int | None) -> int:
        return max(self.state.current_player(), 0) if player is None else player

    def history_str(self) -> str:
        return ", ".join(str(action) for action in self.state.history())

    def player_return(self, player: int) -> float:
        return self.state.returns()[player]


class SpielGame:
    """A game as OpenSpiel has it."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def new_initial_state(self) -> SpielState:
        return SpielState(self.game.new_initial_state())

    def num_distinct_actions(self) -> int:
        return self.game.num_actions

    def num_players(self) -> int:
        return self.game.num_players

    def observation_tensor_shape(self) -> list[int]:
        return list(self.game.observation_shape())

    def min_utility(self) -> float:
        return -1.0

    def max_utility(self) -> float:
        return 1.0


def load_game(text: str) -> SpielGame:
    """A game of the library, with options in brackets: `hex(size=9)`."""
    found = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if found is None:
        raise ValueError(f"`{text}` is no game: write `hex` or `hex(size=9)`")
    options = [option.split("=", 1) for option in (found[2] or "").split(",") if option.strip()]
    return SpielGame(load(found[1], **{name.strip(): value.strip() for name, value in options}))
