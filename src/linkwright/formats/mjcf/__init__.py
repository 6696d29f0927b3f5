"""MJCF, MuJoCo's robot files."""

from linkwright.formats.mjcf.reading import read_mjcf, velocity_from_mujoco, velocity_to_mujoco

__all__ = ["read_mjcf", "velocity_from_mujoco", "velocity_to_mujoco"]
