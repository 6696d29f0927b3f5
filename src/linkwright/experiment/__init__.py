"""The published experiments on assembly–disassembly with symbolic blocks, run again: ``linkwright experiment``."""

from linkwright.experiment.run import EXPERIMENTS, Experiment, Result, experiment

__all__ = ["EXPERIMENTS", "Experiment", "Result", "experiment"]
