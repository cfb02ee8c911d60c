"""Many games stepped together, in the manner of Gymnasium's `VectorEnv`, which it does not need."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._ludwright import Game, Successors, Vector

Arrays = tuple[
    NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
]


class VectorEnv:
    """`n` games of which every one is stepped at once, by `threads` threads.

    All arrays belong to the environment and are written again at every step: copy what is to stay. The same seed gives the same
    games on any number of threads, as long as the actions are the same. `torch.from_dlpack(env.observations)` shares them.
    """

    #: uint8[n, *game.observation_shape(layout)], as the player to move sees the position
    observations: NDArray[np.uint8]
    #: bool[n, actions]
    masks: NDArray[np.bool_]
    #: float32[n, players]: -1 to 1 when a game has ended, else 0
    rewards: NDArray[np.float32]
    #: bool[n]
    terminated: NDArray[np.bool_]
    #: bool[n]: cut after `max_plies`
    truncated: NDArray[np.bool_]
    #: int32[n]: the seat to move
    players: NDArray[np.int32]

    def __init__(
        self,
        game: Game,
        n: int,
        *,
        threads: int = 1,
        seed: int = 0,
        autoreset: str = "next_step",
        layout: str = "CHW",
        max_plies: int | None = None,
    ) -> None:
        self.game = game
        self.num_envs = n
        self.num_actions = game.num_actions
        self.autoreset = autoreset
        self._vector: Vector = game.vector(
            n, threads=threads, seed=seed, autoreset=autoreset, layout=layout, max_plies=max_plies
        )
        self.observations = self._vector.observations
        self.last_observations = self._vector.last_observations
        self.masks = self._vector.masks.view(np.bool_)
        self.rewards = self._vector.rewards
        self.terminated = self._vector.terminated.view(np.bool_)
        self.truncated = self._vector.truncated.view(np.bool_)
        self.players = self._vector.players
        self._info: dict[str, Any] = {"action_mask": self.masks, "current_player": self.players}
        if autoreset == "same_step":
            self._info["final_obs"] = self.last_observations
        self._vector.reset()

    def reset(
        self, *, seed: int | None = None, mask: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begins all games anew, or those of `mask`; observations and infos."""
        self._vector.reset(seed, None if mask is None else mask.tolist())
        return self.observations, self._info

    def step(self, actions: NDArray[np.int64]) -> Arrays:
        """Plays an action in every game: observations, rewards, terminated, truncated, infos.

        An action that is not legal raises `IllegalMove`, and no game is changed. With `autoreset="next_step"` the action of a
        game that is over does not count: the game begins anew.
        """
        self._vector.step(np.ascontiguousarray(actions, dtype=np.int64))
        return self.observations, self.rewards, self.terminated, self.truncated, self._info

    def sample(self) -> NDArray[np.int64]:
        """A legal action of every game, each as likely as any other: int64[n], written again at every call."""
        return self._vector.sample()

    def successors(self) -> Successors:
        """What every legal action of all games leads to, in arrays that are made anew; no game is changed.

        Games that are over have none. Chance that follows an action is not played.
        """
        return self._vector.successors()

    def history(self, number: int) -> list[int]:
        """The actions of one game up to now."""
        return self._vector.history(number)


def vector_env(
    game: Game,
    n: int,
    *,
    threads: int = 1,
    seed: int = 0,
    autoreset: str = "next_step",
    layout: str = "CHW",
    max_plies: int | None = None,
) -> VectorEnv:
    """`n` games stepped together; see `VectorEnv`. `ludwright.gym.vector_env` gives a `gymnasium.vector.VectorEnv`."""
    return VectorEnv(
        game, n, threads=threads, seed=seed, autoreset=autoreset, layout=layout, max_plies=max_plies
    )
