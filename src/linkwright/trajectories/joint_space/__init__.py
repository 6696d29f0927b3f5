"""Joint-space planners.

``polynomials``, ``trapezoids``, ``s_curves`` and ``splines`` are the planners; ``ends`` are their arguments,
``closing`` keeps loops closed. S-curves: ``extremes`` has the longest displacement for a duration, ``least_time`` the
search for the duration, ``mixtures`` the motions in between; ``hermite`` and ``knots`` are the polynomials of splines.
"""
