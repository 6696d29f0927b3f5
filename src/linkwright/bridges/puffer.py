"""Environments of PufferLib."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from pufferlib import PufferEnv

from linkwright.spatial.arrays import Array


class PufferVectorEnv(PufferEnv):  # type: ignore[misc]
    """Vector environment of Linkwright as a ``PufferEnv``: motions that end start again in the same step.

    Results are written into the buffers of PufferLib, in float32.
    """

    def __init__(self, environment: Any, buffers: Any):
        self.environment, self.num_agents = environment, environment.num_envs
        shape = environment.single_observation_space.shape
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, shape, np.float32)
        space = environment.single_action_space
        self.single_action_space = gymnasium.spaces.Box(
            space.low.astype(np.float32), space.high.astype(np.float32), dtype=np.float32
        )
        self._returns = np.zeros(self.num_agents)
        super().__init__(buffers)

    def reset(self, seed: int | None = None) -> tuple[Array, list[dict[str, Any]]]:
        """Start new episodes and return their first observations."""
        self.environment.reset(seed=seed)
        self._returns[:] = 0.0
        self.observations[:] = self.environment.observations
        return self.observations, []

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, list[dict[str, Any]]]:
        """Return observations, rewards, ends of episodes, and a list of means over the episodes that ended."""
        space, infos = self.single_action_space, []
        given = np.clip(np.reshape(actions, (self.num_agents, *space.shape)), space.low, space.high)
        rewards, terminated, truncated = self.environment.hold(given)
        done = terminated | truncated
        self._returns += rewards
        if done.any():
            means = {"episode_return": self._returns[done], "episode_length": self.environment.ages[done]}
            means |= {f"reward/{name}": x[done] for name, x in self.environment.reward_terms.items()}
            infos.append({name: float(np.mean(x)) for name, x in means.items()})
            self._returns[done] = 0.0
            self.environment.reset(options={"reset_mask": done})
        self.observations[:], self.rewards[:] = self.environment.observations, rewards
        self.terminals[:], self.truncations[:] = terminated, truncated
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def close(self) -> None:
        """Release the pictures."""
        self.environment.close()
