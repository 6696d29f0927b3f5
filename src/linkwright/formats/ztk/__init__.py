"""ZTK, RoKi's robot files."""

from linkwright.formats.ztk.reading import parse_ztk, read_ztk

__all__ = ["parse_ztk", "read_ztk"]
