"""Velocities and accelerations of measured positions: differences, and a filter that shifts nothing in time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import dynamics
from linkwright.bounds import positive
from linkwright.compiler.public import public
from linkwright.errors import InputError, ShapeError, warn
from linkwright.identification.measurements.record import gap_text, gaps
from linkwright.model.requirement import takes_numeric_model
from linkwright.model.tree import Model
from linkwright.spatial.arrays import Array, as_numbers

ORDER = 4
"""of the Butterworth filter"""

UNEVEN = 0.05
"""By so much of a step times may be off an even grid: the jitter of a clock."""

difference = public(dynamics.difference)


def step_of(t: Any) -> float:
    """The step of evenly spaced times (n,), s; :class:`InputError` of others."""
    t = as_numbers("t", t)
    if t.ndim != 1 or len(t) < 2:
        raise ShapeError(f"times are of shape (samples,), two at least; got {t.shape}")
    if not np.isfinite(t).all():
        raise InputError(f"times are finite; t[{int(np.argmin(np.isfinite(t)))}] is not")
    step = float((t[-1] - t[0]) / (len(t) - 1))
    if step <= 0.0:
        raise InputError(f"times grow; got {t[0]:g} … {t[-1]:g} s")
    off = np.abs(t - t[0] - step * np.arange(len(t))) / step
    if (np.diff(t) > 0.0).all() and len(gap := gaps(t)):
        raise InputError(
            f"derivatives need evenly spaced times; {gap_text(t, gap[0])}. Take what is between gaps apart: "
            "Measurements(…, t=t).parts(), a list that identify takes"
        )
    if off.max() > UNEVEN * max(1.0, np.sqrt(len(t))) or (np.diff(t) <= 0.0).any():
        k = int(off.argmax())
        raise InputError(
            f"derivatives need evenly spaced times; t[{k}] = {t[k]:g} s is {off[k]:.2g} steps off an even grid. Bring "
            "the data on one first: data.resampled(step)"
        )
    return step


def low_pass(x: Array, step: float, cutoff: float, order: int = ORDER) -> Array:
    """Samples (n, …) through a Butterworth filter forwards and backwards: gain 1/(1 + (f/cutoff)^(2 order)), no delay.

    Applied to the spectrum of the samples, which are continued at both ends by their point reflection there.
    """
    n = len(x)
    pad = min(n - 1, int(np.ceil(3.0 / (cutoff * step))))
    if pad < 1 or 2.0 * cutoff * step >= 1.0:  # all that sampling shows
        return x
    before, after = 2.0 * x[0] - x[pad:0:-1], 2.0 * x[-1] - x[-2 : -pad - 2 : -1]
    whole = np.concatenate([before, x, after])
    line = np.linspace(0.0, 1.0, len(whole)).reshape(-1, *[1] * (x.ndim - 1)) * (whole[-1] - whole[0]) + whole[0]
    spectrum = np.fft.rfft(whole - line, axis=0)  # without its line the end meets the beginning
    gain = 1.0 / (1.0 + (np.fft.rfftfreq(len(whole), step) / cutoff) ** (2 * order))
    smooth = np.fft.irfft(spectrum * gain.reshape(-1, *[1] * (x.ndim - 1)), len(whole), axis=0) + line
    return smooth[pad : pad + n]


def edge_of(step: float, cutoff: float | None) -> int:
    """Return the number of samples at each end that the filter and the differences affect."""
    return 2 if cutoff is None else 2 + int(np.ceil(1.0 / (cutoff * step)))


@takes_numeric_model()
def smooth_derivatives(
    model: Model, t: ArrayLike, q: ArrayLike, v: ArrayLike | None = None, cutoff: float | None = 10.0
) -> tuple[Array, Array]:
    """Compute velocities and accelerations from positions, by central differences and a low-pass filter.

    Differences are those of :func:`linkwright.difference`, so that quaternions are supported. Samples at both ends, for
    a time of 1/cutoff, are less accurate. Warns if the sampling rate is too low for the cutoff.

    Parameters
    ----------
    model : Model
        Mechanism.
    t : array_like, shape (n,)
        Times, s, evenly spaced.
    q : array_like, shape (n, nq)
        Configurations.
    v : array_like, shape (n, nv), optional
        Velocities, which are otherwise computed.
    cutoff : float or None, optional
        Cutoff frequency, Hz, of a Butterworth filter of order 4, applied forward and backward: well above the motion
        and below the noise. None disables the filter.

    Returns
    -------
    v : ndarray, shape (n, nv)
        Velocities.
    a : ndarray, shape (n, nv)
        Accelerations.

    Raises
    ------
    InputError
        If times are uneven or have gaps.
    """
    t, q = as_numbers("t", t), as_numbers("q", q)
    step = step_of(t)
    if q.shape != (len(t), model.nq):
        raise ShapeError(f"q has shape {q.shape}; expected ({len(t)}, {model.nq}): a row for each time")
    if len(q) < 5:
        raise InputError(f"derivatives need five samples at least; got {len(q)}")
    if cutoff is not None:
        positive("cutoff", cutoff, "Hz")
    if v is None:
        middle = difference(model, q[:-2], q[2:]) / (2.0 * step)
        v = np.concatenate(
            [difference(model, q[:1], q[1:2]) / step, middle, difference(model, q[-2:-1], q[-1:]) / step]
        )
    v = as_numbers("v", v)
    if cutoff is not None:
        if 2.0 * cutoff * step >= 1.0 - 1e-9:
            warn(
                f"cutoff={cutoff:g} Hz filters nothing: {1.0 / step:.4g} samples a second show frequencies up to half "
                "of that; a lower one does, and cutoff=None says that no filter is wanted"
            )
        v = low_pass(v, step, cutoff)
    return v, np.gradient(v, step, axis=0)
