"""Time-optimal trajectories along a given path.

``planning`` returns a ``motion``; ``grid`` divides the path, ``limits`` are the constraints on an interval, ``speed``
finds the fastest profile, ``infeasible`` explains failures; ``pictures`` plots.
"""
