"""``make demo`` for any exercise: a class from its banks, and what must become of everybody."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

from autograder.authoring.proving import sample
from autograder.course import results as stored
from autograder.course.course import Course
from autograder.course.troubles import Troubles
from autograder.exercises import exercise
from demo.stage import ROOT, environment, point_at, run, say
from tests.support import bank_class


def main(name: str, state: Path = ROOT / "build" / "demo", root: Path = ROOT) -> None:
    """Run the demonstration of an exercise with its state in ``state``, which is emptied first;
    exit with 1 if a grade is wrong."""
    began = time.monotonic()
    shutil.rmtree(state, ignore_errors=True)
    # Other random inputs than in the proof, and the same every time.
    os.environ.update(environment(state), AUTOGRADER_SECRET="the demonstration's")
    course = Course(root, state)

    say("A teacher builds the exercise, and hands it out.")
    run(state, "build", name, "--check", root=root)
    run(state, "release", name, root=root)

    say("Students hand in: everybody has made one known mistake, or is right in an own way.")
    run(state, "sample", name, "--output", str(course.inbox), root=root)

    say("After the deadline the teacher collects, grades, and explains.")
    for command in ("collect", "grade", "feedback", "report"):
        run(state, command, name, root=root)

    known = exercise.load(root, name)
    troubles = Troubles()
    stored_results = stored.stored_results(course, name, troubles)
    results = {result.student: result for result in stored_results}
    everybody = list(sample.students(root, known))
    wrong = troubles.lines
    for student in everybody:
        for line in bank_class.differences(student, known, results.get(student.id)):
            wrong.append(f"{student.id}: {line}")
    print("\n".join(["", *(wrong or ["Every grade is the one that the banks expect."])]))

    say("Where to look next: three pages to open")
    erring = next((one for one in everybody if one.loses_first), everybody[0])
    page = course.feedback / erring.id / name / f"{name}.html"
    point_at(page, f"a student's page: {erring.about}")
    point_at(course.reports / f"{name}.html", "the teacher's page: what to do next, who, and why")
    point_at(root / "assignments" / name / f"{name}.ipynb", "the notebook, in Jupyter or VS Code")
    print(f"\n{time.monotonic() - began:.0f} seconds.")
    sys.exit(1 if wrong else 0)
