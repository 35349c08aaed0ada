"""What a score depends on is what the digest of the program that grades is made of."""

from autograder.grader import dependencies
from tests.support.processes import modules

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
    counted = [name.removesuffix(".py").replace("/", ".") for name in dependencies._ENGINE]
    own = {
        name
        for name in modules("import autograder.grader.grader")
        if name.split(".")[0] == "autograder"
    }

    forgotten = set()
    for name in own - ASIDE:
        inner = f"{name}.".removeprefix("autograder.")
        if not any(inner.startswith(f"{part}.") for part in counted):
            forgotten.add(name)
    assert len(own) > 50
    assert forgotten == set()
