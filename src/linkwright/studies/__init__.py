"""Studies: a function for very many sets of parameters, to arrays on disk, resumable."""

from linkwright.studies import samples
from linkwright.studies.result import Study
from linkwright.studies.run import study

__all__ = ["Study", "samples", "study"]
