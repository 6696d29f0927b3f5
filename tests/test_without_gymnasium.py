"""Without Gymnasium, environments say what is missing; all else does not need it."""

import subprocess
import sys

WITHOUT = """
import sys
sys.modules["gymnasium"] = None
import linkwright as lw, linkwright.gymnasium as environments
for kind in (environments.VectorEnv, environments.Env):
    try:
        kind(lw.load("pendulum"), episode=lw.Episode(reward=lambda model, t, q, v, tau: 0.0))
    except lw.errors.MissingExtraError as error:
        print(error)
"""


def test_what_is_missing_is_reported():
    result = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True).stdout
    assert result.count("pip install 'linkwright[gymnasium]'") == 2
