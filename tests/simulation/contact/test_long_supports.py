"""Rows of contacts that many coordinates move: in loops the same as in straight-line code."""

import numpy as np

import linkwright as lw
from linkwright.dynamics.impulses import factor_rows


def snake(links):
    """A floating chain, whose last links have spheres on the ground and next to each other."""
    made = lw.Builder("snake").body("link0", 1.0, inertia=0.01).shape("link0", "sphere", radius=0.05)
    for k in range(1, links):
        made.body(f"link{k}", 1.0, (0.1, 0.0, 0.0), 0.01)
        axis = (0.0, 1.0, 0.0) if k % 2 else (0.0, 0.0, 1.0)
        made.joint(f"hinge{k}", "revolute", f"link{k - 1}", f"link{k}", xyz=(0.2, 0.0, 0.0), axis=axis)
    for place in range(12):
        made.shape(f"link{links - 1}", "sphere", radius=0.03, xyz=(0.1, 0.1 * place - 0.6, 0.0))
    return made.build(root="free").with_ground()


def test_loops_have_the_results_of_straight_line_code(monkeypatch):
    found, q = [], None
    for long in (factor_rows.LONG, 1000):
        monkeypatch.setattr(factor_rows, "LONG", long)
        model = snake(12)
        assert model.nv >= factor_rows.LONG or long == 1000
        rng = np.random.default_rng(0)
        q = lw.integrate(model, model.neutral(), 0.1 * rng.normal(size=(40, model.nv)))
        q = lw.standing_configuration(model, q)
        found.append(lw.rollout(model, q, np.zeros(model.nv), 20, 1e-3).q[-1])
        alone = lw.rollout(model, q[5], np.zeros(model.nv), 20, 1e-3).q[-1]
        np.testing.assert_array_equal(alone, found[-1][5])
    assert np.abs(found[0] - q).max() > 1e-3
    np.testing.assert_allclose(found[0], found[1], atol=1e-11)
