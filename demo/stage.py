"""What every demonstration needs: a stage of its own, and commands as one would type them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A teacher's own settings, where Jupyter looks for them: half a point for every hour that a
# submission is late.
SETTINGS = """\
c = get_config()  # noqa: F821
c.AssignLatePenalties.plugin_class = "tests.support.latepolicy.HalfAPointAnHour"
"""


def environment(state: Path) -> dict[str, str]:
    """Nothing of this machine's Jupyter, neither read nor written."""
    jupyter = state / "jupyter"
    jupyter.mkdir(parents=True)
    (jupyter / "nbgrader_config.py").write_text(SETTINGS, encoding="utf-8")
    return {
        "AUTOGRADER_COURSE": str(state),
        "JUPYTER_CONFIG_DIR": str(jupyter),
        "JUPYTER_DATA_DIR": str(jupyter / "data"),
        "JUPYTER_NO_CONFIG": "",
        "PYTHONPATH": str(ROOT),
    }


def run(state: Path, *arguments: str, root: Path = ROOT) -> None:
    """Run one command of the kit in ``root``, shown as one would type it."""
    print(f"\n$ autograder --course {short(state)} {shlex.join(arguments)}", flush=True)
    done = subprocess.run([sys.executable, "-m", "autograder", *arguments], cwd=root, check=False)
    if done.returncode:
        sys.exit(f"stopped: that command exited with {done.returncode}")


def say(sentence: str) -> None:
    print(f"\n== {sentence}", flush=True)


def point_at(path: Path, about: str) -> None:
    """Name a file that is worth opening."""
    print(f"  {short(path)}\n      {about}")


def short(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
