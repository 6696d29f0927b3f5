"""Studies: a function for very many sets of parameters, to arrays on disk, resumable."""

from linkwright.study import samples
from linkwright.study.result import Study
from linkwright.study.run import study

__all__ = ["Study", "samples", "study"]
