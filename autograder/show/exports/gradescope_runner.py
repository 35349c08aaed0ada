"""Grades one submission where Gradescope runs its autograders.

``run_autograder`` in the bundle starts it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from autograder.base import files
from autograder.base.errors import Fault, Unusable
from autograder.course.course import find
from autograder.exercises import exercise
from autograder.grader.apart import apart
from autograder.grader.grader import Grader
from autograder.show.exports import gradescope
from autograder.submissions.notebook import Rejected, read

SUFFIXES = (".ipynb", ".py")
"""What a submission's name ends with, the better kind first."""


def main(home: Path) -> int:
    """Grade ``submission/`` into ``results/results.json``.

    Args:
        home: ``/autograder``; the bundle lies unpacked in ``source/``, which is the working
            directory.

    Returns:
        The exit code, 0 exactly when the result was written.
    """
    try:
        # The bundle's own, wherever else it was unpacked or whatever the environment says.
        course = find(home / "source" / "course")
        (name,) = exercise.built_names(course.root)
        bundled = exercise.load(course.root, name)

        with Grader(bundled, course.secret(), course.settings) as grader:
            try:
                data = read(_notebook(home / "submission", name))
                result = apart(lambda: grader.grade(data, None).result)
            except Rejected as rejected:
                result = grader.rejected(b"", None, str(rejected))
    except Unusable as error:
        print(f"autograder: {error}")
        return 2
    except Fault as fault:
        print(f"autograder: {fault}")
        return 3

    print(f"isolation level: {result.isolation}")
    if result.status == "error":
        print(f"autograder: {result.reason}")
        return 3

    shown = gradescope.results(bundled, result, course.settings.feedback_hidden)
    files.write(home / "results" / "results.json", gradescope.encoded(shown))
    return 0


def _notebook(folder: Path, name: str) -> Path:
    """What was handed in: the file called as the exercise, else the only one of its kind.

    What ``collect`` overlooks is overlooked here, too.

    Raises:
        Rejected: there is none, or several.
    """
    handed_in: list[Path] = []
    for path in sorted(folder.rglob("*")):
        is_noise = any(map(files.is_noise, path.relative_to(folder).parts))
        if path.is_file() and not path.is_symlink() and not is_noise:
            handed_in.append(path)

    for suffix in SUFFIXES:
        own = folder / f"{name}{suffix}"
        if own in handed_in:
            return own

    for suffix in SUFFIXES:
        candidates = [path for path in handed_in if path.suffix == suffix]
        candidates = [path for path in candidates if path.stem == name] or candidates
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            repair = f"call the one that counts {name}{suffix}"
            raise Rejected(f"there are {len(candidates)} files {suffix}", repair)
    raise Rejected("no notebook was handed in", f"its name is {name}.ipynb")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
