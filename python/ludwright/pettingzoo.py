"""PettingZoo: every player is an agent. Needs `pip install pettingzoo`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ._ludwright import Game, State


class RawEnv(AECEnv[str, dict[str, Any], int]):
    """One game. Observations are `{"observation": uint8[...], "action_mask": int8[actions]}`."""

    metadata = {"name": "ludwright", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, game: Game, layout: str = "CHW", render_mode: str | None = None) -> None:
        super().__init__()
        self.game, self.layout, self.render_mode = game, layout, render_mode
        self.metadata = {**RawEnv.metadata, "name": f"{game.name}_{game.rules_hash}"}
        self.possible_agents = list(game.players)
        self.agents: list[str] = []
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, game.observation_shape(layout), np.uint8),
                "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
            }
        )
        self.observation_spaces = {agent: seen for agent in self.possible_agents}
        self.action_spaces = {
            agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents
        }
        self.state_of_game: State = game.new_initial_state()
        self.dice = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def _roll_on(self) -> None:
        state = self.state_of_game
        while state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(self.dice.choice(actions, p=chances)))
        if not state.is_terminal():
            self.agent_selection = self.possible_agents[state.current_player()]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self.dice = np.random.default_rng(seed)
        self.state_of_game = self.game.new_initial_state()
        self.agents = list(self.possible_agents)
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._roll_on()

    def observe(self, agent: str) -> dict[str, Any]:
        state = self.state_of_game
        mask = state.legal_actions_mask()
        if agent != self.agent_selection:
            mask = np.zeros_like(mask)
        return {"observation": state.observation(self.layout, seat=self.possible_agents.index(agent)), "action_mask": mask}

    def step(self, action: int) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        mover, state = self.agent_selection, self.state_of_game
        state.apply_action(int(action))
        self._roll_on()
        self._cumulative_rewards[mover] = 0.0
        if state.is_terminal():
            self.rewards = dict(zip(self.possible_agents, state.returns(), strict=True))
            self.terminations = {agent: True for agent in self.agents}
            at = self.possible_agents.index(mover) + 1
            self.agent_selection = self.possible_agents[at % len(self.possible_agents)]
        self._accumulate_rewards()

    def render(self) -> str | None:
        return str(self.state_of_game) if self.render_mode == "ansi" else None


def env(game: Game, **settings: Any) -> AECEnv[str, dict[str, Any], int]:
    """A game as a PettingZoo environment, with the usual checks around it."""
    return wrappers.OrderEnforcingWrapper(RawEnv(game, **settings))
