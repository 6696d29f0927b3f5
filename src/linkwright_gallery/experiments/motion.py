"""The experiments' motions: Runge–Kutta of order four around any method's kernel, recorded and timed as a whole."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.kernel import compile
from linkwright.dynamics import configuration
from linkwright.model.tree import Model
from linkwright.simulation.integrators.methods import METHODS, Tableau, increments, inverse_exponential_rate
from linkwright.spatial.arrays import Array
from linkwright_gallery.experiments.contenders import CompiledMethod


class TimedMotion(NamedTuple):
    """A motion without efforts, and how long it took to compute."""

    q: Array
    """(steps + 1, nq)"""
    v: Array
    """(steps + 1, nv)"""
    seconds: Array
    """(parts,), processor time of each part of :data:`PART` steps"""


PART = 100
"""Steps that are timed together. Each part has its own minimum over the rounds, so that one undisturbed round of the
whole motion is not needed."""


class Runner:
    """The integrator around the accelerations, compiled once for a mechanism: the same for every method.

    A step evaluates accelerations four times; everything else, with Python's eight calls, takes some microseconds.
    """

    def __init__(self, model: Model, step: float):
        self.model, self.step = model, step
        tableau = METHODS["rk4"]
        assert isinstance(tableau, Tableau)
        self._rows = [row[-1] for row in tableau.stages[1:]]  # of its rows nothing but the last entry differs from zero

        def next_point(q: Any, v: Any, u_rate: Any, w_rate: Any, h: Any) -> tuple[Any, Any, Any]:
            u, velocity = h[0] * u_rate, v + h[0] * w_rate
            return configuration.integrate(model, q, u), velocity, inverse_exponential_rate(model, u, velocity)

        def end(q: Any, v: Any, rates: Any) -> tuple[Any, Any]:
            u, w = increments(tableau.weights, step, [(pair[0], pair[1]) for pair in rates])
            return configuration.integrate(model, q, u), v + w

        nq, nv = model.nq, model.nv
        self._next = compile(next_point, q=nq, v=nv, u_rate=nv, w_rate=nv, h=1)
        self._end = compile(end, q=nq, v=nv, rates=(len(tableau.weights), 2, nv))

    def run(self, one: CompiledMethod, q: Array, v: Array, duration: float) -> TimedMotion:
        """The motion from q (nq,), v (nv,), every step of it."""
        steps = round(duration / self.step)
        accelerations, constants, tau = one.kernel, one.constants, np.zeros(self.model.nv)
        point, end = self._next, self._end
        lengths = [np.array([self.step * c]) for c in self._rows]
        rates = np.zeros((len(lengths) + 1, 2, self.model.nv))
        qs, vs = np.empty((steps + 1, *q.shape)), np.empty((steps + 1, *v.shape))
        qs[0], vs[0] = q, v
        q_stage, v_stage = q.copy(), v.copy()
        (u_0, w_0), others = (
            rates[0],
            [(*rates[k], h, rates[k + 1, 1], (q_stage, v_stage, rates[k + 1, 0])) for k, h in enumerate(lengths)],
        )
        q_k, v_k = qs[0], vs[0]
        seconds = []
        for first in range(1, steps + 1, PART):
            part = slice(first, first + PART)
            began = time.process_time()
            for following in zip(qs[part], vs[part], strict=True):
                u_0[:] = v_k
                accelerations(q_k, v_k, tau, *constants, out=w_0)
                for u_rate, w_rate, h, w_next, reached in others:
                    point(q_k, v_k, u_rate, w_rate, h, out=reached)
                    accelerations(q_stage, v_stage, tau, *constants, out=w_next)
                end(q_k, v_k, rates, out=following)
                q_k, v_k = following
            seconds.append(time.process_time() - began)
        return TimedMotion(qs, vs, np.array(seconds))
