"""Speed, measured beside whatever peers are installed: interleaved, in one run, as ratios."""

from linkwright_gallery.benchmark.run import FUNCTIONS, BenchmarkResult, bench

__all__ = ["FUNCTIONS", "BenchmarkResult", "bench"]
