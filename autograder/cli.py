"""The command line. A command's docstring is its help; what a command needs it imports when it runs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from autograder.errors import Fault, Stopped, Unusable, with_repair
from autograder.output import put, short, writable
from autograder.plain_text import inert

if TYPE_CHECKING:
    from autograder.course import Course
    from autograder.exercise import Exercise
    from autograder.result import Outcome, Result

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Build, release and grade exercises in which people learn by writing the code.",
)

# The base of all that typer says of a command line; where it lies differs between versions.
UsageError: Any = typer.BadParameter.__bases__[0]

ExerciseName = Annotated[str, typer.Argument(metavar="EXERCISE", help="its name, for example attention")]
CourseFolder = Annotated[
    Optional[Path], typer.Option("--course", metavar="DIR", help="where the course's state lies; default: course/")
]
Isolation = Annotated[
    Optional[str], typer.Option(metavar="LEVEL", help="bubblewrap, landlock or process; default: the best that works")
]
Notebook = Annotated[Path, typer.Argument(metavar="NOTEBOOK", help="a submitted .ipynb or percent .py")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command: exit 0 done, 1 not good enough, 2 unusable input, 3 the grader's fault, 128 + n signal n."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Pipes of Windows may know no ✓, and no file can hold half a character of a student's text.
            stream.reconfigure(errors="replace")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stopped)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(given or ["--help"], prog_name="autograder", standalone_mode=False)
    except Unusable as error:
        _stop(str(error), 2)
    except UsageError as error:
        message = error.format_message().rstrip(".")
        command = error.ctx.command_path if error.ctx else "autograder"
        _stop(f"{message[:1].lower()}{message[1:]}; see {command} --help", 2)
    except OSError as error:
        if error.filename is None:
            raise
        _stop(f"{error.filename}: {(error.strerror or 'cannot be used').lower()}; check the path and who may use it", 2)
    except ModuleNotFoundError as error:
        if (error.name or "autograder").startswith("autograder"):
            raise
        _stop(f"{error.name}: not installed; run make setup, or pip install 'autograder-kit[teacher]'", 2)
    except Fault as fault:
        _stop(str(fault), 3)
    except Stopped as stopped:
        _stop(str(stopped), 128 + stopped.number)
    sys.exit(code)


def _stopped(number: int, _: object) -> None:
    raise Stopped(number)


def _stop(line: str, code: int) -> None:
    line = inert(" ".join(line.split()))
    print(f"autograder: {line}", file=sys.stderr)
    if os.environ.get("GITHUB_ACTIONS"):
        from autograder import github

        print(github.command("error", line, title="autograder"), file=sys.stderr)
    sys.exit(code)


@app.callback()
def common(course: CourseFolder = None) -> None:
    if course is not None:
        os.environ["AUTOGRADER_COURSE"] = str(course)


@app.command()
def build(
    exercises: Annotated[Optional[list[str]], typer.Argument(metavar="[EXERCISE...]", help="default: all")] = None,
    check: Annotated[bool, typer.Option("--check", help="only say whether the notebooks are up to date")] = False,
    course: CourseFolder = None,
) -> None:
    """Write the full notebook and the students' one from solutions/EXERCISE.py."""
    from autograder import exercise
    from autograder.authoring import build as building

    root = _course(course).root
    stale = 0
    for name in exercises or building.names(root):
        if not check:
            print(f"{name}: trying every check on the solution and on the blank stub", flush=True)
        paths = building.build(root, name, check=check)
        for path in paths:
            print(f"{'out of date' if check else 'wrote'}: {short(path)}")
        if not paths:
            print(f"up to date: {name}")
        if not check:
            built = exercise.load(root, name)
            print(f"{name}: {len(built.steps)} steps, {len(built.checks)} checks, {built.max_score:g} points")
        stale += len(paths)
    if check and stale:
        print("run: autograder build", file=sys.stderr)
        raise typer.Exit(1)


@app.command()
def check(notebook: Notebook, course: CourseFolder = None) -> None:
    """Run the visible checks of a student's notebook.

    Needs nothing but the notebook. Exits with 1 while a check fails.
    """
    from autograder.engine import isolation

    isolation.begin("process")
    from autograder import github, handout, scorecard
    from autograder.engine.core import stay_here
    from autograder.screen import console, say

    given = handout.read(_read(notebook), str(notebook), notebook.stem)
    stay_here()
    result = given.checked()
    screen = console()
    scorecard.show(screen, result)
    scorecard.next_for_student(screen, result)
    say(screen, f"{given.waiting}.")
    github.publish(result, given.waiting, notebook, sys.stdout)
    raise typer.Exit(0 if all(check.status == "passed" for check in result.checks) else 1)


@app.command()
def score(
    notebook: Notebook,
    json: Annotated[Optional[str], typer.Option(metavar="FILE", help="the result as JSON; - is stdout")] = None,
    min_score: Annotated[Optional[float], typer.Option(metavar="P", help="exit with 1 below so many points")] = None,
    isolation: Isolation = None,
    course: CourseFolder = None,
) -> None:
    """Run all checks on one submission."""
    import secrets

    from autograder.engine.isolation import begin

    where = _isolated(_course(course), isolation)
    writable(json)
    begin(where.settings.isolation)
    from autograder import github, scorecard
    from autograder.engine.core import stay_here
    from autograder.engine.grading import Grader
    from autograder.intake.raw import Rejected, read
    from autograder.screen import console, say

    try:
        data, unreadable = read(notebook), None
    except Rejected as rejected:
        data, unreadable = b"", str(rejected)
    exercise = _exercise_of(where, notebook, data)
    secret = where.secret() if where.has_secret() else secrets.token_bytes(32)
    with Grader(exercise, secret, where.settings) as grader:
        stay_here()
        result = grader.rejected(data, None, unreadable) if unreadable else grader.grade(data, None).result
    out = sys.stderr if json == "-" else sys.stdout
    put(json, [result.to_json() + "\n"], out)
    if result.status == "rejected":
        raise Unusable(f"{notebook}: {with_repair(str(result.reason), 'ask the student for it again')}")
    if result.status == "error":
        _stop(str(result.reason), 3)
    screen = console(out)
    scorecard.show(screen, result)
    scorecard.total(screen, result)
    hidden = sum(check.hidden for check in result.checks)
    github.publish(result, f"What became of the {hidden} hidden checks is not shown here", notebook, out)
    if not where.has_secret():
        say(console(sys.stderr), "note: the next run draws other random inputs; AUTOGRADER_SECRET=… keeps them")
    if min_score is not None and (result.score or 0) < min_score:
        print(f"below {min_score:g} points", file=out)
        raise typer.Exit(1)


@app.command()
def grade(
    exercise: ExerciseName,
    jobs: Annotated[Optional[int], typer.Option(min=1, metavar="N", help="processes; default: all cores")] = None,
    submitted: Annotated[Optional[Path], typer.Option(metavar="DIR", help="default: the course's submitted/")] = None,
    json: Annotated[Optional[str], typer.Option(metavar="FILE", help="one result a line; - is standard output")] = None,
    force: Annotated[bool, typer.Option("--force", help="also grade again what has not changed")] = False,
    scheduler: Annotated[
        Optional[str], typer.Option(metavar="ADDRESS", help="grade on this Dask cluster, such as tcp://host:8786")
    ] = None,
    isolation: Isolation = None,
    course: CourseFolder = None,
) -> None:
    """Grade the class, into the gradebook."""
    from autograder import classroom, tables

    where, what = _open(course, exercise)
    where = _isolated(where, isolation)
    writable(json)
    if submitted is not None and not submitted.is_dir():
        raise Unusable(f"{submitted}: no such folder; name the folder with one folder a student")
    out = sys.stderr if json == "-" else sys.stdout
    folder = submitted or where.submitted
    size = len(classroom.students_in(folder, exercise))
    strangers = classroom.strangers_in(folder, exercise)
    if not size and not strangers and not where.class_list():
        raise Unusable(
            f"{short(folder)}: no submissions, which are looked for as <student>/{exercise}/{exercise}.ipynb; "
            f"run autograder collect {exercise}, or name another folder with --submitted"
        )
    with tables.class_progress(f"grading {exercise}", size, out) as tick:
        outcomes = classroom.grade_class(
            where,
            what,
            submitted=submitted,
            jobs=jobs or os.cpu_count() or 1,
            scheduler=scheduler,
            force=force,
            progress=tick,
        )
    put(json, classroom.stored_lines(where, exercise, outcomes), out)
    tables.scores(outcomes, out, _missing(where, outcomes))
    for name in strangers:
        print(f"left out: {name!r} is no student id; rename the folder", file=out)
    if outcomes:
        print(f"wrote {short(where.results / exercise)}, {short(where.autograded)} and the gradebook", file=out)
    if any(outcome.status == "error" for outcome in outcomes):
        _stop("some submissions could not be graded: see reason", 3)


@app.command()
def release(
    exercise: ExerciseName,
    due: Annotated[Optional[str], typer.Option(metavar="TIME", help='such as "2026-12-01 18:00 Europe/Berlin"')] = None,
    course: CourseFolder = None,
) -> None:
    """Hand out the students' notebook through nbgrader's exchange."""
    from autograder.nbgrader import exchange

    where, what = _open(course, exercise)
    for line in exchange.release(where, what, due):
        print(inert(line))


@app.command()
def collect(exercise: ExerciseName, course: CourseFolder = None) -> None:
    """Collect submissions from the exchange, and from downloads in the course's inbox/."""
    from autograder.nbgrader import exchange

    where, what = _open(course, exercise)
    for line in exchange.collect(where, what):
        print(inert(line))


@app.command()
def feedback(
    exercise: ExerciseName,
    archive: Annotated[
        Optional[Path], typer.Option("--zip", metavar="FILE", help="also all pages, to upload to Moodle or Canvas")
    ] = None,
    course: CourseFolder = None,
) -> None:
    """Write a page for each student."""
    from autograder.pages import feedback as pages
    from autograder.pages import hand_back

    where, what = _open(course, exercise)
    paths = pages.write_class(where, what)
    if not paths:
        raise Unusable(f"{where.results / exercise}: no results yet; run autograder grade {exercise}")
    print(f"wrote {len(paths)} pages, as {short(where.feedback)}/<student>/{exercise}/{exercise}.html")
    if archive is not None:
        named = hand_back.write(where, what, paths, archive)
        print(f"wrote {short(archive)}: {', '.join(f'{number} {kind}' for kind, number in named.items())}")


@app.command()
def report(
    exercise: ExerciseName,
    json: Annotated[Optional[str], typer.Option(metavar="FILE", help="all numbers as JSON; - is stdout")] = None,
    course: CourseFolder = None,
) -> None:
    """Show the class, and write its page: scores, checks, shared mistakes, who needs a look."""
    from autograder import tables
    from autograder.exports import standing
    from autograder.pages import report as pages
    from autograder.reporting import report as reporting

    where, what = _open(course, exercise)
    writable(json)
    known = standing.of_class(where, what)
    found = reporting.of_class(where, known)
    out = sys.stderr if json == "-" else sys.stdout
    put(json, found.to_json() + "\n", out)
    path = pages.write(where, found)
    tables.checks(what, [one.result for one in known.standings if one.result], out)
    print(file=out)
    tables.standings(found, out)
    print(f"wrote {short(path)}", file=out)


@app.command(context_settings={"ignore_unknown_options": True})
def lab(
    options: Annotated[Optional[list[str]], typer.Argument(metavar="[JUPYTER...]", help="for jupyter lab")] = None,
    course: CourseFolder = None,
) -> None:
    """Open JupyterLab with nbgrader's formgrader on the course."""
    from autograder.nbgrader import lab as jupyterlab

    jupyterlab.serve(_course(course), options or [])


@app.command()
def export(
    exercise: ExerciseName,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT", help="csv, json, canvas, moodle, gradescope, gradescope-zip, classroom50 or sources"
        ),
    ] = "csv",
    output: Annotated[
        Optional[str], typer.Option(metavar="PATH", help="default: exports/ of the course; - is standard output")
    ] = None,
    fill: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="moodle, canvas: what you downloaded there, to be filled in")
    ] = None,
    column: Annotated[
        Optional[str], typer.Option(metavar="TITLE", help='canvas: the assignment, such as "Attention (4711)"')
    ] = None,
    classroom: Annotated[
        Optional[str], typer.Option(metavar="[ORG/]NAME", help="classroom50: the classroom; default: the course's id")
    ] = None,
    missing_as_zero: Annotated[
        bool, typer.Option("--missing-as-zero", help="0 points for who handed in nothing; rejected ones stay empty")
    ] = False,
    isolation: Annotated[
        Optional[str], typer.Option(metavar="LEVEL", help="gradescope-zip: only this level grades there")
    ] = None,
    course: CourseFolder = None,
) -> None:
    """Write the final scores, or what was handed in, for another system."""
    from autograder.exports import formats, product

    options = {"fill": fill, "column": column, "classroom": classroom, "isolation": isolation}
    given = [name for name, value in options.items() if value is not None]
    format = formats.find(to, [*given, *["missing_as_zero"] * missing_as_zero])
    product.refuse(output, format.is_folder)
    where, what = _open(course, exercise)
    request = product.Request(where, what, fill, column, classroom, isolation)
    made = formats.make(to, request, missing_as_zero)
    path = product.put(made, output, where.state / "exports" / exercise / format.file)
    for note in made.notes:
        print(inert(" ".join(note.split())), file=sys.stderr)
    if path is not None:
        print(f"wrote {short(path)}")


@app.command()
def prove(
    exercise: ExerciseName,
    keys: Annotated[int, typer.Option(min=1, metavar="N", help="draw the random inputs so many times")] = 20,
    jobs: Annotated[Optional[int], typer.Option(min=1, metavar="N", help="processes; default: all cores")] = None,
    json: Annotated[Optional[str], typer.Option(metavar="FILE", help="the same as JSON; - is standard output")] = None,
    course: CourseFolder = None,
) -> None:
    """Try the checks on known misconceptions and unusual right answers."""
    from autograder import tables
    from autograder.proving import matrix, proof

    writable(json)
    where, what = _open(course, exercise)
    out = sys.stderr if json == "-" else sys.stdout
    with tables.progress(f"proving {exercise}", proof.size(where.root, what), out) as tick:
        found = proof.prove(where.root, what, range(keys), jobs or os.cpu_count() or 1, tick)
    put(json, [found.to_json()], out)
    matrix.show(found, out)
    raise typer.Exit(1 if found.problems() else 0)


@app.command()
def doctor(course: CourseFolder = None) -> None:
    """Say what this machine can do: isolation level, versions, paths."""
    from autograder import doctor as examination

    examination.examine(_course(course))


def _course(folder: Path | None) -> Course:
    from autograder.course import find

    return find(folder)


def _missing(course: Course, results: Sequence[Result | Outcome]) -> list[str]:
    """Who is on the class list and has no result."""
    return sorted((course.class_list() or {}).keys() - {result.student for result in results})


def _isolated(course: Course, level: str | None) -> Course:
    """The course, graded at the isolation level that the command line asks for."""
    from dataclasses import replace

    return course if level is None else replace(course, settings=replace(course.settings, isolation=level))


def _open(folder: Path | None, name: str) -> tuple[Course, Exercise]:
    from autograder import exercise

    course = _course(folder)
    return course, exercise.load(course.root, name)


def _exercise_of(course: Course, notebook: Path, data: bytes) -> Exercise:
    """The exercise that a submission belongs to: the one it fits; where it fits none, the one its name says."""
    from autograder import exercise
    from autograder.intake import submission
    from autograder.intake.raw import Rejected

    known = exercise.names(course.root)
    if not known:
        raise Unusable(f"{course.root / 'solutions'}: no built exercise; run autograder build in the course's folder")
    first = sorted(known, key=lambda name: not notebook.stem.startswith(name))
    exercises = [exercise.load(course.root, name) for name in first]
    for one in exercises:
        try:
            submission.parse(data, one)
            return one
        except Rejected:
            continue
    return exercises[0]


def _read(notebook: Path) -> bytes:
    from autograder.intake.raw import Rejected, read

    try:
        return read(notebook)
    except Rejected as rejected:
        raise Unusable(f"{notebook}: {with_repair(str(rejected), 'check the path')}") from None


# The list of commands shows the first line of each docstring, whole.
for _command in app.registered_commands:
    _command.short_help = (_command.callback.__doc__ or "").partition("\n")[0] if _command.callback else None
