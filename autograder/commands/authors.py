"""``build``, ``new``, ``import``, ``prove``, ``sample``: for people who write an exercise."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base.errors import Unusable
from autograder.base.text import count, number, points, short
from autograder.commands.common import (
    CourseFolder,
    ExerciseName,
    Jobs,
    JsonOutput,
    course_at,
    opened,
)

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.exercises.exercise import Exercise


def build(
    exercise_names: Annotated[
        Optional[list[str]], typer.Argument(metavar="[EXERCISE...]", help="default: all")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="only say whether the notebooks are up to date")
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Write the full notebook and the students' one from solutions/EXERCISE.py."""
    from autograder.authoring import build as building
    from autograder.authoring.cells import Source
    from autograder.exercises import exercise

    course = course_at(course_folder)
    root = course.root
    names = exercise_names or building.authored_names(root)
    stale = 0

    for name in names:
        read: list[Source] = []

        def begin(authored: Source, read: list[Source] = read) -> None:
            read.append(authored)
            about = "trying every check on the solution and on the blank stub"
            print(f"{authored.exercise}: {about}", flush=True)

        paths = building.build(root, name, check, course.settings, begin)
        for path in paths:
            print(f"{'out of date' if check else 'wrote'}: {short(path)}")
        if not paths:
            print(f"up to date: {name}")
        stale += len(paths)

        for authored in read:
            built = exercise.load(root, name)
            steps, checks = count(len(built.functions), "step"), count(len(built.checks), "check")
            if built.options:
                steps += f", {count(len(built.options), 'question')}"
            by_hand = sum(cell.points or 0 for cell in authored.of("manual") if not cell.extra)
            worth = points(built.max_score + by_hand)
            if by_hand:
                worth += f", {number(by_hand)} of them by hand"
            print(f"{name}: {steps}, {checks}, {worth}")
            for note in building.notes(authored):
                print(f"note: {authored.line(note)}")

    if stale and not check:
        # Which other exercises take something from what has just changed.
        for line in exercise.load_all(root, names)[1]:
            print(f"note: {line}")
    if check and stale:
        print("run: autograder build", file=sys.stderr)
        raise typer.Exit(1)


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="letters, digits, - and _; names the files, too")
    ],
    course_folder: CourseFolder = None,
) -> None:
    """Write a small, complete exercise that you change into your own."""
    from autograder.authoring import starter
    from autograder.course.course import find

    root = find(course_folder, new=True).root
    if root != Path.cwd():
        raise Unusable(
            root,
            "is the course that contains this folder",
            "run autograder new there, or make a folder solutions here for a course of its own",
        )
    for path in starter.write(root, name):
        print(f"wrote {short(path)}")
    print(f"next: autograder build {name}, then autograder prove {name}")


def import_(
    notebook: Annotated[
        Path, typer.Argument(metavar="NOTEBOOK", help="a source notebook of nbgrader")
    ],
    course_folder: CourseFolder = None,
) -> None:
    """Turn a source notebook of nbgrader into an exercise, as far as possible."""
    from autograder.authoring import foreign
    from autograder.base import files
    from autograder.course.course import find

    root = find(course_folder, new=True).root
    name = foreign.name_of(notebook)
    taken = foreign.read(notebook.read_bytes(), notebook, name)
    folder = root / "solutions"
    paths = {files.below(folder, f"{name}{part}.py"): text for part, text in taken.texts.items()}
    for path in (*paths, files.below(folder, name)):
        if path.exists():
            raise Unusable(path, "is there already", "move it away, or rename the notebook")
    for path, text in paths.items():
        files.write(path, text.encode())
        print(f"wrote {short(path)}")
    for one in taken.left:
        print(f"not taken: {one}")
    steps, checks = count(taken.steps, "step"), count(taken.checks, "check")
    print(f"{name}: {steps}, {checks}, {count(taken.questions, 'question')}")
    print(f"next: autograder build {name}, then autograder prove {name}")


def prove(
    exercise_name: ExerciseName,
    cover: Annotated[
        bool,
        typer.Option("--cover", help="show which checks use each input that a docstring allows"),
    ] = False,
    answers: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="grade the wrong and right answers in this file instead"),
    ] = None,
    keys: Annotated[
        int, typer.Option(min=1, metavar="N", help="how often to draw the random inputs")
    ] = 20,
    jobs: Jobs = None,
    json: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="the same as JSON; - is standard output"),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Try the checks on misconceptions, unusual right answers, and the docstrings' promises."""
    with JsonOutput(json) as output:
        if cover and answers is not None:
            raise Unusable("--cover and --answers", "cannot be combined", "use one of them")
        course, exercise = opened(course_folder, exercise_name)
        if cover:
            problems = _cover(course, exercise, keys, output)
        elif answers is not None:
            problems = _answers(course, exercise, answers, output)
        else:
            problems = _prove(course, exercise, keys, jobs or os.cpu_count() or 1, output)
    raise typer.Exit(1 if problems else 0)


def _prove(
    course: Course, exercise: Exercise, keys: int, jobs: int, output: JsonOutput
) -> list[str]:
    from autograder.authoring import grading
    from autograder.authoring.proving import coverage, proof
    from autograder.show.terminal import class_tables, proof_tables

    size = proof.size(course.root, exercise)
    covered = coverage.measure(course.root, exercise, range(keys))
    with class_tables.progress(f"proving {exercise.name}", size, output.out) as tick:
        proved = proof.prove(course.root, exercise, range(keys), jobs, tick)
    right = [trial.answer for trial in proved.right]
    refused = grading.refused(exercise, right, course.settings)
    proved = replace(proved, refused=tuple(refused), coverage=covered)

    output.put([proved.to_json()])
    proof_tables.show_proof(proved, output.out)
    return proved.problems()


def _cover(course: Course, exercise: Exercise, keys: int, output: JsonOutput) -> list[str]:
    from autograder.authoring.proving import coverage
    from autograder.exercises.sources import authored_at
    from autograder.show.terminal import proof_tables

    covered = coverage.measure(course.root, exercise, range(keys))
    if covered is None:
        path = authored_at(course.root, exercise.name)
        raise Unusable(
            path,
            f"no {coverage.PROMISES}",
            "declare in its oracles which inputs the docstrings allow, as in docs/authoring.md",
        )
    output.put([covered.to_json()])
    proof_tables.show_coverage(covered, output.out)
    return covered.problems()


def _answers(course: Course, exercise: Exercise, file: Path, output: JsonOutput) -> list[str]:
    from autograder.authoring import grading
    from autograder.show.terminal import class_tables, proof_tables

    found = grading.read_answers(file, exercise)
    with class_tables.progress(f"grading {file.name}", len(found), output.out) as tick:
        graded = grading.grade_answers(exercise, found, course.settings, tick)
    output.put([graded.to_json()])
    proof_tables.show_answers(graded, output.out)
    return graded.problems()


def sample(
    exercise_name: ExerciseName,
    output: Annotated[
        Optional[Path],
        typer.Option(metavar="DIR", help="default: build/sample/EXERCISE; replaces the last one"),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Write a sample class, made from the known answers to an exercise.

    One student is right, one blank, one half done; each of the others has one known mistake or
    one unusual right answer. The output says which is which.
    """
    from autograder.authoring.proving import sample as making

    course, exercise = opened(course_folder, exercise_name)
    folder = output or course.root / "build" / "sample" / exercise.name
    people = making.write_class(course.root, exercise, folder)

    width = max(len(student.id) for student in people)
    for student in people:
        print(f"{student.id:<{width}}  {student.about}")
    pattern = f"{short(folder)}/<student>/{exercise.name}/{exercise.name}.ipynb"
    print(f"wrote {count(len(people), 'notebook')}, as {pattern}")
