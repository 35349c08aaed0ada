"""What a score depends on is what the digest of the program that grades is made of."""

import subprocess
import sys

from autograder.grader import dependencies

ASIDE = {
    "autograder",
    "autograder.base",
    "autograder.base.errors",  # how a fault is said
    "autograder.base.files",  # how bytes are read
    "autograder.base.settings",  # has a digest of its own
    "autograder.base.times",  # when something was graded
}
"""What the grader loads, and no score or feedback depends on."""


def test_all_that_a_grader_loads_counts():
    program = "import sys, autograder.grader.grader; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    counted = [name.removesuffix(".py").replace("/", ".") for name in dependencies._ENGINE]
    own = {name for name in loaded.stdout.split() if name.split(".")[0] == "autograder"}

    forgotten = set()
    for name in own - ASIDE:
        inner = f"{name}.".removeprefix("autograder.")
        if not any(inner.startswith(f"{part}.") for part in counted):
            forgotten.add(name)
    assert len(own) > 50
    assert forgotten == set()
