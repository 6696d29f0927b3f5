"""As fast as limits allow along a path that is given.

``planning`` is the way from the question to the answer, a ``motion``; ``grid`` divides the path, ``limits`` says what
is allowed on an interval, ``speed`` finds the fastest, ``infeasible`` why there is none; ``pictures`` shows it.
"""
