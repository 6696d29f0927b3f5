"""SDF, Gazebo's robot files."""

from linkwright.formats.sdf.reading import parse_sdf, read_sdf

__all__ = ["parse_sdf", "read_sdf"]
