"""Gymnasium: one player against a program, and many games stepped together. Needs `pip install gymnasium`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ._ludwright import Game, suggest
from .vector import VectorEnv

Observation = NDArray[np.uint8]
MODES = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


class SingleAgent(gymnasium.Env[Observation, np.int64]):
    """One seat of a game; `opponent` plays the others: `random`, `medium`, `mcts:400`, as in the terminal.

    Observations are uint8 of `game.observation_shape(layout)`. `info["action_mask"]` is int8[actions], 1 where legal. An action
    that is not legal loses the game at once, unless `illegal="raise"`.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: Game,
        opponent: str = "random",
        seat: int = 0,
        layout: str = "CHW",
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        self.game, self.opponent, self.seat = game, opponent, seat
        self.layout, self.illegal, self.render_mode = layout, illegal, render_mode
        self.observation_space = spaces.Box(0, 255, game.observation_shape(layout), np.uint8)
        self.action_space = spaces.Discrete(game.num_actions)
        self.state = game.new_initial_state()

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        info = {"action_mask": self.state.legal_actions_mask(), "current_player": self.seat}
        return self.state.observation(self.layout, seat=self.seat), info

    def _others_play(self) -> None:
        state = self.state
        while not state.is_terminal() and state.current_player() != self.seat:
            seed = int(self.np_random.integers(2**31))
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(self.np_random.choice(actions, p=chances)))
            elif self.opponent == "random":
                state.apply_action(int(self.np_random.choice(state.legal_actions())))
            else:
                thought = suggest(state, self.opponent, seed=seed)
                state.play(thought["move"] if thought else state.moves()[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        self.state = self.game.new_initial_state()
        self._others_play()
        return self._seen()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if self.illegal == "lose" and int(action) not in self.state.legal_actions():
            observation, info = self._seen()
            return observation, -1.0, True, False, info
        self.state.apply_action(int(action))
        self._others_play()
        observation, info = self._seen()
        reward = float(self.state.returns()[self.seat])
        return observation, reward, self.state.is_terminal(), False, info

    def render(self) -> str | None:
        return str(self.state) if self.render_mode == "ansi" else None


class GymVectorEnv(gymnasium.vector.VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """`ludwright.VectorEnv` as Gymnasium has it: each step is made by whoever is to move, and rewarded with its own result."""

    def __init__(self, game: Game, num_envs: int, **settings: Any) -> None:
        self.env = VectorEnv(game, num_envs, **settings)
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": MODES[self.env.autoreset]}
        shape = self.env.observations.shape[1:]
        self.single_observation_space = spaces.Box(0, 255, shape, np.uint8)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        first = seed[0] if isinstance(seed, list) else seed
        mask = (options or {}).get("reset_mask")
        return self.env.reset(seed=first, mask=mask)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        movers = self.env.players.copy()
        seen, rewards, terminated, truncated, info = self.env.step(actions)
        info["rewards"] = rewards
        return seen, rewards[np.arange(self.num_envs), movers], terminated, truncated, info


def vector_env(game: Game, num_envs: int, **settings: Any) -> GymVectorEnv:
    """`num_envs` games as a `gymnasium.vector.VectorEnv`; the settings are those of `ludwright.vector_env`."""
    return GymVectorEnv(game, num_envs, **settings)
