"""Run the main commands and a short program once: ``python tools/smoke.py``, with an installed linkwright.

Use it with the oldest versions of the dependencies (``tools/oldest.py``), or after an installation.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = (
    ["--version"],
    ["doctor"],
    ["info", "arm7"],
    ["equations", "two_link", "--explain"],
    ["equations", "two_link", "--format", "c"],
    ["simulate", "two_link", "--time", "0.5"],
    ["reach", "two_link", "--to", "1.2 0.5 0"],
    ["convert", "two_link", "two_link.urdf"],
    ["info", "two_link.urdf"],
    ["cache"],
)

PROGRAM = """
import pickle
import numpy as np
import linkwright as lw

arm = lw.load("arm7")
q, v = arm.random(5, seed=0), np.zeros((5, 7))
tau = lw.inverse_dynamics(arm, q, v, v)
assert np.allclose(lw.forward_dynamics(arm, q, v, tau), 0.0, atol=1e-8)
assert lw.derivative(lw.inverse_dynamics, "q")(arm, q, v, v).shape == (5, 7, 7)
motion = lw.simulate(arm, q[0], v[0], 0.1, callback=lambda t, q, v: lw.gravity_forces(arm, q))
assert np.allclose(motion.q[-1], q[0], atol=1e-6)
made = pickle.loads(pickle.dumps(lw.equations(lw.load("two_link"))))
assert made.same_as(made.text())
lw.draw(arm, q[0]).savefig("arm.png")
"""


def main() -> None:
    """Run everything in an empty folder; the first failure ends with its output and status 1."""
    program = shutil.which("linkwright", path=str(Path(sys.executable).parent)) or "linkwright"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LINKWRIGHT_CACHE": str(Path(folder) / "cache"), "MPLBACKEND": "Agg"}
        for command in [*([program, *one] for one in COMMANDS), [sys.executable, "-c", PROGRAM]]:
            shown = " ".join(["linkwright", *command[1:]] if command[0] == program else ["a short program"])
            run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
            if run.returncode:
                sys.exit(f"{shown} ended with status {run.returncode}\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}")
            print(f"{shown}: passed")


if __name__ == "__main__":
    main()
