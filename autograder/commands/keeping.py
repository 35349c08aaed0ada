"""``new-course``, ``update``, ``backup``, ``restore``, ``rename``, ``forget``: a course's data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base.text import agreeing, count, inert, listed, short
from autograder.commands.common import CourseFolder, course_at, known_people
from autograder.course import log

if TYPE_CHECKING:
    from autograder.course.course import Course


def new_course(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="a folder that is not there yet, or empty")
    ],
    name: Annotated[
        str,
        typer.Option(help="what students see in JupyterLab; default: the name of the folder"),
    ] = "",
    old: Annotated[
        Optional[Path],
        typer.Option(
            "--from",
            metavar="OLD",
            help="copy exercises and settings of this course, but no people",
        ),
    ] = None,
) -> None:
    """Make a private folder for a course, ready for git."""
    from autograder.course import new_course as course_folder

    for line in course_folder.make(folder, old, name):
        print(line)


def join(
    names: Annotated[
        Optional[list[str]],
        typer.Argument(metavar="[EXERCISE...]", help="exercises of the kit to take along"),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="take out what this command has added")
    ] = False,
) -> None:
    """Add the kit to the nbgrader course in the working folder, and show each line it writes.

    nbgrader goes on grading the assignments that are already there, as before.
    """
    from autograder.course.keeping import join as joining

    here = Path.cwd()
    for line in joining.undo(here) if undo else joining.join(here, names or []):
        print(inert(line))
    if not undo:
        print("next: autograder new NAME begins an exercise; autograder report shows the course")


def update(
    check: Annotated[
        bool, typer.Option("--check", help="only list newer files, and what they would change")
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Copy newer exercises of the kit, and list what would be graded differently.

    Your own changes stay as they are. With --check it exits with 1 if something is
    newer.
    """
    from autograder.course.gradebook import versions
    from autograder.course.new_course import copies
    from autograder.exercises import exercise

    course = course_at(course_folder)
    found = copies.compared(course.root)
    newer = [name for name, state in found.items() if state == "newer"]
    for name in newer:
        print(f"{'newer in the kit' if check else 'updated'}: {name}")
    for name, state in found.items():
        if state == "changed in both":
            said = f"changed here and in the kit: {name}"
            print(f"{said}; yours stays, compare it with {copies.kit()}")
    if not check:
        copies.follow(course.root, found)

    loaded, problems = exercise.load_all(course.root)
    for problem in problems:
        print(f"note: {problem}", file=sys.stderr)
    for built in loaded:
        for when, what, number in versions.since(course, built):
            of_whom = f" for {count(number, 'student')}" if number else ""
            is_again = f"; autograder grade {built.name} grades them again" if number else ""
            print(
                f"{built.name}: the {listed(what)} {agreeing(len(what), 'has', 'have')} changed "
                f"since it was {when}{of_whom}{is_again}"
            )
    if not newer:
        print("nothing is newer in the kit")
    raise typer.Exit(1 if check and newer else 0)


def backup(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="such as course-2026-12-01.tar.gz")],
    course_folder: CourseFolder = None,
) -> None:
    """Write the whole course into one file, secret included."""
    from autograder.course.keeping import backup as backups

    course = course_at(course_folder)
    notes = backups.write(course, path)
    print(f"wrote {short(path)}: {backups.size(path)}; keep it as safe as the secret in it")
    for note in notes:
        print(f"note: {note}")
    log.write(course, f"backup {path.name}")


def restore(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="a file that autograder backup wrote")
    ],
    course_folder: CourseFolder = None,
) -> None:
    """Restore a course from a backup, into a place that has no course yet."""
    from autograder.course.course import find
    from autograder.course.keeping import backup as backups

    course = find(course_folder, new=True)
    state, *around = backups.restore(course, path)
    also = f", and {count(len(around), 'file')} around it" if around else ""
    print(f"restored {short(state)}{also}")
    log.write(course, f"restore {path.name}")


def rename(
    old: Annotated[str, typer.Argument(metavar="OLD", help="the student's current id")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="the new id")],
    course_folder: CourseFolder = None,
) -> None:
    """Change a student's id, in marks, submissions, results and gradebook."""
    from autograder.course.keeping import people

    course = course_at(course_folder)
    done = people.rename(course, old, new)
    _say("renamed", done.places)
    _say("left", done.left)
    again = "run autograder report, feedback and export again"
    print(inert(f"left: earlier pages and exports, which name {old}; {again}"))
    log.write(course, "rename")


def forget(
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="the id")],
    yes: Annotated[
        bool,
        typer.Option("--yes", help="do not ask for confirmation (never asked outside a terminal)"),
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Delete a student from everywhere in the course, and list what was deleted."""
    from autograder.course.keeping import people

    course = course_at(course_folder)
    if not yes and not _is_meant(course, student):
        print(inert(f"nothing was removed of {student}"))
        raise typer.Exit(1)
    done = people.forget(course, student)
    _say("removed", done.places)
    _say("left", done.left)
    print("left: backups, and everything uploaded or sent from here; these are out of reach")
    log.write(course, "forget")


def _say(what: str, places: list[str]) -> None:
    for place in places:
        print(inert(f"{what}: {' '.join(place.split())}"))


def has_terminal() -> bool:
    """Whether somebody sits there who reads a question and can answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _is_meant(course: Course, student: str) -> bool:
    """Ask once on a terminal, with what would go; scripts have nobody to ask."""
    people = known_people(course)
    if student not in people or not has_terminal():
        return True
    handed_in = count(len(list(course.submitted.glob(f"{student}/*/"))), "submission")
    graded = count(len(list(course.results.glob(f"*/{student}.json"))), "result")
    who = f"{student} ({people[student]})" if people[student] else student
    what = f"{handed_in}, {graded}, marks, pages, and their line of the class list"
    try:
        answer = input(inert(f"forget {who} for good, with {what}? [yes/no] "))
    except EOFError:
        return False
    return answer.strip().casefold() in ("y", "yes")
