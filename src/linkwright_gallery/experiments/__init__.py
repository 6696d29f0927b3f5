"""The published experiments on assembly–disassembly with symbolic blocks, run again: ``linkwright experiment``.

``contenders`` has the methods that are compared, ``motion`` the steps around them, ``run`` the measuring, ``report``
what it found, ``pictures`` the trees, models and motions; ``survey`` counts which blocks serve the robots there are.
"""

from linkwright_gallery.experiments.report import ExperimentResult, ExperimentRow
from linkwright_gallery.experiments.run import EXPERIMENTS, Experiment, experiment

__all__ = ["EXPERIMENTS", "Experiment", "ExperimentResult", "ExperimentRow", "experiment"]
