"""Environments of RSL-RL."""

from __future__ import annotations

from typing import Any

import torch
from rsl_rl.env import VecEnv
from tensordict import TensorDict

from linkwright.errors import InputError

ENDLESS = 10**9
"""Length of episodes without a limit."""


class RslEnv(VecEnv):  # type: ignore[misc]
    """Vector environment of Linkwright as a ``VecEnv``: motions that end start again in the same step."""

    def __init__(self, environment: Any, group: str):
        shape = environment.single_action_space.shape
        if len(shape) != 1:
            raise InputError(f"RSL-RL takes actions of one dimension; the environment has shape {shape}")
        self.environment, self.group = environment, group
        self.num_envs, self.num_actions = environment.num_envs, shape[0]
        self.max_episode_length = environment.limit or ENDLESS
        self.device = "cpu"
        self.cfg: dict[str, Any] = {}
        environment.reset()

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """Numbers of actions of the present episodes, the memory of the environment."""
        return torch.from_numpy(self.environment.ages)

    @episode_length_buf.setter
    def episode_length_buf(self, ages: torch.Tensor) -> None:
        self.environment.ages[:] = ages.numpy()

    def get_observations(self) -> TensorDict:
        """Return the present observations."""
        observed = torch.tensor(self.environment.observations, dtype=torch.float32)
        return TensorDict({self.group: observed}, batch_size=[self.num_envs])

    def step(self, actions: torch.Tensor) -> tuple[TensorDict, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Return observations, rewards, ends of episodes, and extras."""
        rewards, terminated, truncated = self.environment.hold(torch.as_tensor(actions).detach().cpu().numpy())
        done = terminated | truncated
        extras: dict[str, Any] = {"time_outs": torch.from_numpy(truncated)}
        if done.any():
            for name, sums in self.environment.reward_terms.items():
                extras.setdefault("log", {})[f"Episode_Reward/{name}"] = float(sums[done].mean())
            self.environment.reset(options={"reset_mask": done})
        return (
            self.get_observations(),
            torch.tensor(rewards, dtype=torch.float32),
            torch.from_numpy(done).long(),
            extras,
        )
