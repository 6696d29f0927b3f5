"""Environments of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from linkwright.errors import ArgumentError
from linkwright.spatial.arrays import Array


class StableBaselinesEnv(VecEnv):  # type: ignore[misc]
    """Vector environment of Linkwright as a ``VecEnv``: motions that end start again in the same step."""

    def __init__(self, environment: Any):
        self.environment = environment
        self._actions: Any = None
        self.render_mode = environment.render_mode
        super().__init__(environment.num_envs, environment.single_observation_space, environment.single_action_space)
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def reset(self) -> Array:
        """Start new episodes and return their first observations."""
        seeds = [seed for seed in self._seeds if seed is not None]
        self._reset_seeds()
        observed, _ = self.environment.reset(seed=np.array(seeds) if len(seeds) == self.num_envs else None)
        return self._typed(observed)

    def step_async(self, actions: Array) -> None:
        """Keep the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Return observations, rewards, ends of episodes, and infos."""
        rewards, terminated, truncated = self.environment.hold(self._actions)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if done.any():
            last, terms = self._typed(self.environment.observations), self.environment.reward_terms
            for k in np.flatnonzero(done).tolist():
                infos[k] = {"terminal_observation": last[k], "TimeLimit.truncated": bool(truncated[k])}
                if terms:
                    infos[k]["reward_terms"] = {name: float(sums[k]) for name, sums in terms.items()}
            self.environment.reset(options={"reset_mask": done})
        return self._typed(self.environment.observations), rewards.astype(np.float32), done, infos

    def close(self) -> None:
        """Release the pictures."""
        self.environment.close()

    def get_images(self) -> Sequence[Array | None]:
        """Return a picture of each motion."""
        return self.environment.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector environment, once for each motion."""
        return [getattr(self.environment, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the vector environment, which all motions share."""
        if not hasattr(self.environment, attr_name):
            raise ArgumentError(f"the vector environment has no attribute {attr_name!r}")
        setattr(self.environment, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the vector environment once."""
        found = getattr(self.environment, method_name)(*method_args, **method_kwargs)
        return [found] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return False: motions have no wrappers."""
        return [False] * len(list(self._get_indices(indices)))

    def _typed(self, observed: Array) -> Array:
        return np.array(observed, dtype=self.observation_space.dtype)
