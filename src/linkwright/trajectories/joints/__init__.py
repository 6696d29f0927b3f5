"""From configuration to configuration, and through several: what plans joints.

``polynomials``, ``trapezoids``, ``s_curves`` and ``splines`` are the planners; ``ends`` what they begin with,
``closing`` what keeps loops closed. Of S-curves ``extremes`` has the furthest motions of a time, ``least_time`` the
search for it, ``mixtures`` what lies between; ``hermite`` and ``knots`` are the polynomials of splines.
"""
