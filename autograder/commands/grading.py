"""``score``, ``grade``, ``explain``: submissions, and why they earned what they did."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional, TextIO

import typer

from autograder.base.errors import Interrupted, Unusable
from autograder.base.text import count, either, first_of, inert, listed, meant, points, short
from autograder.commands.common import (
    CourseFolder,
    ExerciseName,
    Jobs,
    JsonOutput,
    NewFile,
    Notebook,
    OfExercise,
    Students,
    TellNew,
    course_at,
    finish,
    known_people,
    news,
    opened,
    opened_course,
    ordinary_names,
    refuse_absent,
    stop,
    tell_new,
)
from autograder.course import log
from autograder.sandbox import levels

if TYPE_CHECKING:
    from autograder.base.result import Result
    from autograder.course.course import Course
    from autograder.course.grading.grade_class import ClassRun, Scan
    from autograder.exercises.exercise import Exercise
    from autograder.grader.graded import Graded


Isolation = Annotated[
    Optional[str],
    typer.Option(metavar="LEVEL", help=f"{levels.described()}; default: the best that works"),
]


def score(
    notebook: Notebook,
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="the result as JSON; - is stdout")
    ] = None,
    min_score: Annotated[
        Optional[float], typer.Option(metavar="P", help="exit with 1 below this many points")
    ] = None,
    exercise_name: OfExercise = None,
    isolation: Isolation = None,
    course_folder: CourseFolder = None,
) -> None:
    """Run all checks on one submission."""
    from autograder.sandbox import parents

    with JsonOutput(json) as output:
        if min_score is not None and not 0 <= min_score < math.inf:
            raise Unusable(
                f"--min-score {min_score:g}",
                "is not a number of points",
                "write 0 or more, like --min-score 60",
            )
        course = _isolated(_course_for(course_folder, notebook), isolation)

        # The order matters. The parent of the workers loads NumPy, and so does this process. The
        # parent starts before the imports below, so that both load at once.
        parents.start_early(course.settings.isolation)

        from autograder.show.terminal import github_actions, score_table
        from autograder.show.terminal.console import console, say

        exercise, result = _graded(course, notebook, exercise_name)
        output.put([result.to_json() + "\n"])
        if result.status == "rejected":
            raise Unusable(notebook, result.reason or "")
    if result.status == "error":
        stop(str(result.reason), 3)

    screen = console(output.out)
    say(screen, exercise.title)
    score_table.show(screen, result)
    score_table.total(screen, result)
    hidden = count(sum(check.hidden for check in result.checks), "hidden check")
    about_hidden = f"The results of the {hidden} are not shown here"
    github_actions.publish(result, about_hidden, notebook, output.out)
    if not course.has_secret():
        note = "note: the next run draws other random inputs; AUTOGRADER_SECRET=… keeps them"
        say(console(sys.stderr), note)

    if min_score is not None and (result.score or 0) < min_score:
        print(f"below {points(min_score)}", file=output.out)
        raise typer.Exit(1)


def _graded(course: Course, notebook: Path, name: str | None) -> tuple[Exercise, Result]:
    import secrets

    from autograder.grader.apart import apart
    from autograder.grader.grader import Grader
    from autograder.sandbox.cores import stay_here
    from autograder.submissions.notebook import Rejected, read

    try:
        data, unreadable = read(notebook), None
    except Rejected as rejected:
        data, unreadable = b"", str(rejected)
    exercise = _exercise_of(course, notebook, data, name)
    if exercise.own:
        cause = "what is right in it depends on the student"
        raise Unusable(exercise.name, cause, f"run autograder grade {exercise.name}")

    secret = course.secret() if course.has_secret() else secrets.token_bytes(32)
    with Grader(exercise, secret, course.settings) as grader:
        stay_here()
        if unreadable:
            return exercise, grader.rejected(data, None, unreadable)
        return exercise, apart(lambda: grader.grade(data, None).result)


def _course_for(folder: Path | None, notebook: Path) -> Course:
    """The course to grade a notebook with: none that came with it, unless somebody has named it."""
    from autograder.exercises.exercise import built_names

    course = course_at(folder)
    is_named = folder is not None or os.environ.get("AUTOGRADER_COURSE")
    if not is_named and course.came_with(notebook):
        if not built_names(course.root):
            cause = "has no folder solutions/, where exercises come from"
            repair = "go to your course's folder, or name it with --course"
            raise Unusable(course.root, cause, repair)
        raise Unusable(
            notebook,
            f"is in {course.root}, so its checks and settings would come from there, too",
            f"go to your course's folder, or add --course {course.state} if this is it",
        )
    return course


def _exercise_of(course: Course, notebook: Path, data: bytes, name: str | None) -> Exercise:
    """The exercise of this name; without one that of which a submission says it is.

    Where it says nothing, the one that it fits; where it fits none, the one that its name says.
    """
    from autograder.exercises import exercise
    from autograder.submissions import parse
    from autograder.submissions.notebook import Rejected, marks, raw_cells

    if name is not None:
        return exercise.load(course.root, name)

    names = exercise.built_names(course.root)
    if not names:
        raise Unusable(
            course.root / "solutions",
            "no built exercise",
            "run autograder build in the course's folder",
        )

    own = marks(data).get("exercise")
    if own in names:
        return exercise.load(course.root, own)

    # Those that the notebook is called after come first.
    names.sort(key=lambda name: not notebook.stem.startswith(name))
    exercises: list[Exercise] = []
    out_of_date: list[Unusable] = []
    for name in names:
        try:
            exercises.append(exercise.load(course.root, name))
            parse.parse(data, exercises[-1])
        except Unusable as problem:
            out_of_date.append(problem)
        except Rejected:
            continue
        else:
            return exercises[-1]

    # It may be of one that cannot be loaded, if it is a notebook at all.
    try:
        raw_cells(data)
        is_readable = True
    except Rejected:
        is_readable = False
    if out_of_date and (not exercises or is_readable):
        raise out_of_date[0]
    return exercises[0]


def _isolated(course: Course, level: str | None) -> Course:
    """The course, graded at the isolation level that the command line asks for."""
    if level is None:
        return course
    return replace(course, settings=replace(course.settings, isolation=level))


def grade(
    exercise_name: ExerciseName,
    jobs: Jobs = None,
    submitted: Annotated[
        Optional[Path], typer.Option(metavar="DIR", help="default: the course's submitted/")
    ] = None,
    json: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="one result per line; - is standard output"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="also grade unchanged submissions again")
    ] = False,
    never_lower: Annotated[
        bool,
        typer.Option("--never-lower", help="no check earns less than before for the same file"),
    ] = False,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="list whose score would change, and why; write nothing"),
    ] = False,
    scheduler: Annotated[
        Optional[str],
        typer.Option(metavar="ADDRESS", help="grade on this Dask cluster, such as tcp://host:8786"),
    ] = None,
    student: Students = None,
    new: NewFile = None,
    exit_code: TellNew = False,
    isolation: Isolation = None,
    course_folder: CourseFolder = None,
) -> None:
    """Grade the class, into the gradebook."""
    from autograder.course.class_list import may_be
    from autograder.course.gradebook import deadlines, record
    from autograder.course.grading import interruption
    from autograder.course.grading.grade_class import ClassRun, grade_class
    from autograder.course.reports import concerns
    from autograder.course.results import folder_of
    from autograder.show.terminal import class_tables

    if exercise_name in ordinary_names(course_at(course_folder)):
        course = _isolated(opened_course(course_folder), isolation)
        given: dict[str, object] = {
            "json": json,
            "never-lower": never_lower,
            "compare": compare,
            "new": new,
        }
        given |= {"submitted": submitted, "scheduler": scheduler, "exit-code": exit_code}
        for option, value in given.items():
            if value:
                cause = f"does not work with {exercise_name}, an assignment of nbgrader's own"
                raise Unusable(f"--{option}", cause, "leave it out")
        _grade_ordinary(course, exercise_name, jobs or os.cpu_count() or 1, force, student)
        return
    if json == new == "-":
        raise Unusable(
            "--json - --new -", "both would go to standard output", "name a file for one of them"
        )
    with JsonOutput(json) as output, JsonOutput(new) as new_output:
        course, exercise = opened(course_folder, exercise_name)
        course = _isolated(course, isolation)
        # What is wrong with one of them is said before hours of work.
        course.class_list()
        deadlines.extensions(course)
        scanned, left_out = _scanned(course, exercise, submitted)
        processes = jobs or os.cpu_count() or 1

        _note_other_zone(course, exercise, scanned)
        for ids in record.moved_students(course).items():
            print(inert(f"note: {may_be(*ids)}"), file=sys.stderr)
        names = [name for name in scanned.students if not student or name in student]
        refuse_absent(student, names, exercise.name, scanned.folder)
        if compare:
            if json is not None:
                raise Unusable(
                    "--compare --json", "nothing is graded for a file", "leave one of them out"
                )
            scanned = replace(scanned, students=tuple(names))
            _compare(ClassRun(course, exercise, scanned, processes, scheduler, force, never_lower))
            return

        out = sys.stderr if "-" in (json, new) else sys.stdout
        progress = class_tables.class_progress(f"grading {exercise.name}", len(names), out)
        lines: dict[str, str] | None = None if json is None else {}
        unchanged: set[str] = set()
        isolated_by: set[str] = set()

        def note(graded: Graded) -> None:
            isolated_by.add(graded.result.isolation)
            if graded.unchanged:
                unchanged.add(graded.result.student_id)
            tick(graded)

        with interruption.adopted(), progress as tick:
            grades = grade_class(
                course,
                exercise,
                scanned=scanned,
                students=names,
                jobs=processes,
                scheduler=scheduler,
                force=force,
                never_lower=never_lower,
                progress=note,
                lines=lines,
            )
        output.put(line for _, line in sorted((lines or {}).items()))
        # What the gradebook had lost is news, although the result is the old one.
        unchanged -= {grade.student for grade in grades if grade.concerns}
        graded_now = [grade.student for grade in grades if grade.student not in unchanged]
        new_output.put([news(exercise.name, graded_now, len(grades) - len(graded_now))])

    scores = {grade.student: grade.score for grade in grades}
    missing = () if student else (course.class_list() or {}).keys() - scores.keys()
    final = log.final(course, {exercise.name: scores})
    if final:
        log.write(course, f"grade {exercise.name}", **final)
        unchanged -= {one["student"] for one in final["final"]}
    if unchanged:
        unchanged |= {*missing}
    class_tables.students(concerns.of_run(grades, len(exercise.functions), missing), out, unchanged)
    if exercise.own:
        _note_unasked(course, exercise, scores, out)
    for line in left_out:
        print(f"left out: {line}", file=out)

    if grades:
        stored = short(folder_of(course, exercise.name))
        print(f"wrote {stored}, {short(course.autograded)} and the gradebook", file=out)
    if levels.WASM.name in isolated_by:
        print(
            "isolated by WebAssembly (level wasm): SECURITY.md says what it relies on, "
            "docs/teachers.md what it computes differently",
            file=out,
        )
    if any(grade.status == "error" for grade in grades):
        stop("some submissions could not be graded, or not recorded: see reason", 3)
    tell_new(graded_now, exit_code)


def _note_unasked(course: Course, exercise: Exercise, students: Iterable[str], out: TextIO) -> None:
    """Say who has handed in a notebook of questions, and has none there."""
    from autograder.course.drawn import OwnQuestions

    asked = OwnQuestions(course, exercise)
    for damage in asked.damaged.values():
        print(inert(f"note: {damage}"), file=out)
    unasked = [] if "" in asked.damaged else [one for one in sorted(students) if one not in asked]
    if unasked:
        repair = "ask them yourself, and enter their points in the formgrader"
        print(inert(f"note: no questions were drawn for {listed(unasked)}: {repair}"), file=out)


def _grade_ordinary(
    course: Course, name: str, jobs: int, force: bool, students: list[str] | None
) -> None:
    """Grade an assignment of nbgrader's own, each notebook in a sandbox."""
    from autograder.course.gradebook import final_grades, ordinary
    from autograder.course.grading import interruption
    from autograder.course.reports import concerns
    from autograder.nbgrader import execution
    from autograder.show.terminal import class_tables

    there = execution.handed_in(course, name)
    refuse_absent(students, there, name, course.submitted)
    chosen = list(dict.fromkeys(students or there))
    title = f"grading {name}"
    progress = class_tables.progress(title, len(chosen), sys.stdout, str, threads=False)
    try:
        with progress as tick:
            failed, faults = execution.grade(course, name, jobs, force, chosen, tick)
    except Interrupted as stopped:
        raise Interrupted(stopped.number, interruption.STOPPED) from None
    grades = final_grades.of_class(course, ordinary.find(course, name), nobody=True)
    class_tables.students(concerns.of_class(course, grades))
    for student, why in sorted(failed.items()):
        print(inert(f"not graded: {student}: {why}"))
    print(f"wrote {short(course.autograded)} and the gradebook")
    log.write_final(course, f"grade {name}", grades.final_scores())
    finish(
        [*(f"{student}: {why}" for student, why in sorted(faults.items())), *grades.troubles.lines]
    )


def _scanned(course: Course, exercise: Exercise, submitted: Path | None) -> tuple[Scan, list[str]]:
    """What was handed in, and what lies there that is left out."""
    from autograder.course.grading.grade_class import scan
    from autograder.exercises.exercise import built_names

    if submitted is not None and not submitted.is_dir():
        raise Unusable(submitted, "no such folder", "name the folder with one folder per student")
    folder = submitted or course.submitted
    scanned = scan(folder, exercise.name)
    misspelt, misplaced = scanned.misspelt(built_names(course.root)), scanned.misplaced()
    place = f"<student>/{exercise.name}/{exercise.name}.ipynb"

    if not scanned.students and misspelt:
        raise Unusable(
            short(folder),
            f"nothing of {exercise.name}, but {misspelt[0]!r}",
            "rename it if it is meant to be",
        )
    if not scanned.students and misplaced:
        raise Unusable(
            short(folder), f"nothing but {misplaced[0]!r}", f"submissions are looked for as {place}"
        )
    if not scanned.students and not scanned.strangers and not course.class_list():
        raise Unusable(
            short(folder),
            f"no submissions, which are looked for as {place}",
            f"run autograder collect {exercise.name}, or name another folder with --submitted",
        )

    left_out = [f"{name!r} is not a student id; rename the folder" for name in scanned.strangers]
    left_out += [f"{name!r} is no {place}; move it there" for name in misplaced]
    for name in misspelt:
        repair = "rename the folder if it is meant to be"
        left_out.append(f"{name!r} is nearly {exercise.name}; {repair}")
    return scanned, left_out


def _note_other_zone(course: Course, exercise: Exercise, scanned: Scan) -> None:
    """Say whose time was read in a zone that the settings no longer name."""
    from autograder.base.settings import NAME
    from autograder.course.collecting import store

    students = store.of_another_zone(course, exercise.name, scanned.students)
    if students:
        whose = first_of(students)
        cause = f"time_zone was changed after the times of {whose} were read"
        print(f"note: {NAME}: {cause}; run autograder collect {exercise.name}", file=sys.stderr)


def _compare(run: ClassRun) -> None:
    """Say whose score grading would change."""
    from autograder.course.grading import comparison, interruption
    from autograder.show.terminal import class_tables

    size = len(run.scanned.students)
    title = f"comparing {run.exercise.name}"
    progress = class_tables.class_progress(title, size, sys.stdout)
    with interruption.adopted(), progress as tick:
        changed, lines = comparison.of_class(run, tick)
    for line in lines:
        print(inert(line))
    left = size - changed
    print(f"{count(changed, 'score')} would change, {left} would not; nothing was written")


def explain(
    exercise_name: ExerciseName,
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="the id")],
    what: Annotated[
        Optional[str],
        typer.Argument(
            metavar="[CHECK]",
            help="such as softmax-rows_sum_to_one; or a step, such as softmax: its checks that "
            "lost points; without it: a list of all that lost points",
        ),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Show the inputs of a check, the student's answer and the right one."""
    from autograder.course.drawn import OwnQuestions
    from autograder.course.gradebook import versions
    from autograder.course.gradebook.versions import submission_of
    from autograder.grader.apart import apart
    from autograder.grader.asked import NOT_ASKED
    from autograder.grader.explanation import explain as explained
    from autograder.show.terminal import explanation as shown

    course, now = opened(course_folder, exercise_name)
    result = _graded_result(course, now.name, student)
    if what is None:
        for line in shown.lost_lines(result):
            print(inert(line))
        return

    exercise = versions.exercise_of(course, result, now)
    checks = {check.id: check for check in exercise.checks}
    graded = {id: check for id, check in result.by_id.items() if id in checks}
    if what in exercise.steps:
        wanted = shown.lost_in_step(result, what)
        if not wanted:
            print(inert(shown.nothing_lost(result, what)))
            return
    elif what in graded:
        wanted = [what]
    else:
        there = meant(what, [*exercise.steps, *graded], f"there are {listed(graded)}")
        raise Unusable(what, "no such check or step was graded", there)

    if graded[wanted[0]].void:
        print(f"{what}: counts in full for everybody, and is not run")
        return
    if graded[wanted[0]].not_asked:
        print(f"{what}: {NOT_ASKED}")
        return
    if not course.has_secret():
        path = course.state / "secret"
        raise Unusable(
            path, "is missing, and the random inputs depend on it", "restore it from a backup"
        )
    submission = submission_of(course, exercise, result)
    if submission is None:
        folder = short(course.submission(student, now.name))
        raise Unusable(folder, "the graded file is no longer there", "put it back")

    settings = versions.settings_of(course, result)
    differences = list(versions.differences(course, now, result))
    own = OwnQuestions(course, exercise).of(student)

    def lines() -> list[str]:
        found = []
        for id in wanted:
            found.append(explained(exercise, submission, checks[id], course.secret(), settings))
        if len(found) == 1:
            return list(shown.lines(found[0], result, graded[wanted[0]], differences, own))
        return list(shown.step_lines(found, result, differences))

    for line in apart(lines):
        print(inert(line))


def _graded_result(course: Course, exercise: str, student: str) -> Result:
    """The stored result of a student whose checks were run."""
    from autograder.course.course import STUDENT_ID
    from autograder.course.results import stored_result

    result = stored_result(course, exercise, student) if STUDENT_ID.match(student) else None
    if result is None:
        people = known_people(course)
        if student not in people:
            raise _nobody(course, student, people)
        folder = course.submission(student, exercise)
        if not folder.is_dir():
            raise Unusable(short(folder), f"{student} handed in nothing", "collect it, or wait")
        raise Unusable(short(folder), "not graded yet", f"run autograder grade {exercise}")
    if result.status != "graded":
        raise Unusable(student, f"{result.status}, so no check was run: {result.reason}")
    return result


def _nobody(course: Course, student: str, people: dict[str, str]) -> Unusable:
    """That there is nobody of this id, who may be meant, and what ids look like."""
    where, cause = short(course.state), f"nobody is called {student!r}"
    if not people:
        return Unusable(where, f"{cause}, and nobody has handed in anything", "collect first")

    # By id, by name, and by a part of the name.
    ids: dict[str, str] = {}
    for id, name in people.items():
        for word in (*name.casefold().split(), name.casefold(), id.casefold()):
            ids[word] = id
    close = get_close_matches(student.casefold(), filter(None, ids))
    if close:
        return Unusable(where, cause, f"did you mean {either({ids[word] for word in close})}?")
    return Unusable(where, cause, f"ids look like {first_of(sorted(people), 3)}")
