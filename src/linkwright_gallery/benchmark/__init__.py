"""Benchmarks against installed libraries: interleaved, in one run, as ratios."""

from linkwright_gallery.benchmark.run import FUNCTIONS, BenchmarkResult, bench

__all__ = ["FUNCTIONS", "BenchmarkResult", "bench"]
