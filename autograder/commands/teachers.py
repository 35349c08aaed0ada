"""What is between a teacher and a class: ``release`` to ``report``, ``export``, ``questions``."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import agreeing, count, first_of, inert, listed, short
from autograder.commands.common import (
    CourseFolder,
    ExerciseName,
    ExerciseOrCourse,
    JsonOutput,
    NewFile,
    Students,
    TellNew,
    finish,
    news,
    opened,
    opened_any,
    opened_course,
    refuse_absent,
    tell_new,
)
from autograder.course import log
from autograder.course.troubles import Troubles
from autograder.show.exports import export as exports

if TYPE_CHECKING:
    from autograder.course.course import Course
    from autograder.course.drawn import Drawn
    from autograder.exercises.exercise import Exercise
    from autograder.questions.sheet import Sheet


def release(
    exercise_name: ExerciseName,
    due: Annotated[
        Optional[str],
        typer.Option(metavar="TIME", help='such as "2026-12-01 18:00 Europe/Berlin"'),
    ] = None,
    archive: Annotated[
        Optional[Path],
        typer.Option(
            "--to-zip", metavar="FILE", help="write all that students need into this file instead"
        ),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Hand out the students' notebook, through nbgrader's exchange or as a zip."""
    from autograder.nbgrader import exchange

    course, exercise = opened(course_folder, exercise_name)
    for line in exchange.release(course, exercise, due, archive):
        print(inert(line))
    log.write(course, f"release {exercise.name}")


def collect(
    exercise_name: ExerciseName,
    new: NewFile = None,
    exit_code: TellNew = False,
    course_folder: CourseFolder = None,
) -> None:
    """Collect submissions from the exchange, and from downloads in the course's inbox/."""
    from autograder.nbgrader import exchange

    with JsonOutput(new) as output:
        course, exercise = opened(course_folder, exercise_name)
        collected = exchange.collect_all(course, exercise)
        for line in exchange.lines(course, collected):
            print(inert(line), file=output.out)
        left = [{"where": one.where, "why": one.why} for one in collected.left]
        unchanged = len(collected.unchanged)
        output.put([news(exercise.name, collected.stored, unchanged, left=left)])
    log.write(course, f"collect {exercise.name}")
    tell_new(collected.stored, exit_code)


def feedback(
    exercise_name: ExerciseName,
    archive: Annotated[
        Optional[Path],
        typer.Option(
            "--zip",
            metavar="FILE",
            help="also write all pages there, to upload to Moodle or Canvas",
        ),
    ] = None,
    student: Students = None,
    new: NewFile = None,
    exit_code: TellNew = False,
    course_folder: CourseFolder = None,
) -> None:
    """Write a page for each student; unchanged pages are left alone."""
    from autograder.course.gradebook import final_grades, marks
    from autograder.course.results import folder_of, stored_students
    from autograder.show.pages import feedback as pages

    with JsonOutput(new) as output:
        course, exercise = opened(course_folder, exercise_name)
        name = exercise.name

        troubles = Troubles()
        changed: list[str] = []
        written: list[str] = []
        paths = pages.write_class(course, exercise, student, troubles, changed, written)
        if not paths and not troubles:
            folder = folder_of(course, name)
            if student and stored_students(course, name):
                raise Unusable(
                    listed(student),
                    f"no student of {name} has that id",
                    f"look into {short(folder)}",
                )
            raise Unusable(folder, "no results yet", f"run autograder grade {name}")
        as_before = len(paths) - len(written)
        output.put([news(name, written, as_before)])
    out = output.out
    pattern = f"{short(course.feedback)}/<student>/{name}/{name}.html"
    if written or not paths:
        others = f"; {count(as_before, 'other')} as before" if as_before else ""
        print(f"wrote {count(len(written), 'page')}, as {pattern}{others}", file=out)
    else:
        are = agreeing(as_before, "is", "are")
        print(f"nothing new: {count(as_before, 'page')} {are} as before, in {pattern}", file=out)

    if archive is not None:
        named = pages.pack(course, exercise, paths, archive, troubles)
        kinds = ", ".join(f"{number} {kind}" for kind, number in named.items())
        print(f"wrote {short(archive)}: {kinds}", file=out)

    if changed:
        those = agreeing(len(changed), "page says", "pages say")
        are = agreeing(len(changed), "is", "are")
        what = f"other points than before, or {are} about another file"
        if course.settings.feedback_solution != "never":
            what = f"other points or more solutions than before, or {are} about another file"
        again = "hand them out again, with nbgrader release_feedback or --zip"
        print(f"{len(changed)} {those} {what} ({first_of(changed)}): {again}", file=out)
    scores = final_grades.of_class(course, exercise).final_scores()
    log.write(course, f"feedback {name}", pages=len(written), **log.final(course, scores))
    students = marks.unmarked(course, name)
    if students:
        print(f"note: {marks.unmarked_line(students)}", file=out)
    finish(troubles.lines)
    tell_new(written, exit_code)


def report(
    exercise_name: ExerciseOrCourse = None,
    json: Annotated[
        Optional[str], typer.Option(metavar="FILE", help="all numbers as JSON; - is stdout")
    ] = None,
    missing_as_zero: Annotated[
        bool,
        typer.Option(
            "--missing-as-zero",
            help="whole course: 0 points for students who handed in nothing and have no time left",
        ),
    ] = False,
    course_folder: CourseFolder = None,
) -> None:
    """Show the class, and write its page; without an exercise the whole course, with totals."""
    with JsonOutput(json) as output:
        if exercise_name is None:
            _report_course(course_folder, output, missing_as_zero)
        elif missing_as_zero:
            raise Unusable("--missing-as-zero", "is for the whole course", "leave the exercise out")
        else:
            _report_exercise(course_folder, exercise_name, output)


def _report_exercise(folder: Path | None, name: str, output: JsonOutput) -> None:
    from autograder.course.gradebook import final_grades
    from autograder.course.reports import report as reports
    from autograder.show.pages import report as pages
    from autograder.show.terminal import class_tables

    course, exercise = opened_any(folder, name)
    class_grades = final_grades.of_class(course, exercise)
    made = reports.of_class(course, class_grades)

    if output.is_wanted:
        output.put([made.to_json() + "\n"])
    path = pages.write(course, made)

    out = output.out
    print(exercise.title, file=out)
    class_tables.students(made.students, out)
    print(file=out)
    class_tables.checks(made, out)
    class_tables.stuck(made, out)
    class_tables.next_steps(made, out)
    print(f"wrote {short(path)}", file=out)

    log.write_final(course, f"report {name}", class_grades.final_scores())
    finish(class_grades.troubles.lines)


def _report_course(folder: Path | None, output: JsonOutput, missing_as_zero: bool) -> None:
    from autograder.course.gradebook import course_grades
    from autograder.show.pages import report as pages
    from autograder.show.terminal import class_tables

    course = opened_course(folder)
    made = course_grades.of_course(course, missing_as_zero)

    if output.is_wanted:
        output.put([course_grades.to_json(made)])
    path = pages.write_course(course, made)

    out = output.out
    class_tables.course_exercises(made, out)
    print(file=out)
    class_tables.course_students(made, out)
    print(f"wrote {short(path)}", file=out)

    log.write_final(course, "report", made.final_scores())
    finish(made.troubles)


NOTES = 10
"""The most lines to print with the same beginning, such as "empty:", and the most students to name
in one; the file has the others."""

ALIKE = 3
"""When at least this many students have the same note, they share a line."""


def _first_of_each_kind(notes: Sequence[str]) -> Iterator[str]:
    """The notes by what they begin with, and how many more there are of a kind.

    Those of students, ``kind: id: reason`` or ``kind: id``, share a line where all of it but the id
    is the same. Names have commas in them, and keep lines of their own.
    """
    from autograder.course.course import STUDENT_ID

    by_kind: dict[str, dict[tuple[str, bool], list[str]]] = {}
    for note in notes:
        kind, _, said = note.partition(": ")
        student, _, reason = said.partition(": ")
        is_id = STUDENT_ID.match(student) is not None
        by_kind.setdefault(kind, {}).setdefault((reason, is_id), []).append(student)
    for kind, by_reason in by_kind.items():
        alike = []
        for (reason, is_id), students in by_reason.items():
            is_shared = is_id and len(students) >= ALIKE
            for who in [first_of(students, NOTES)] if is_shared else students:
                alike.append(": ".join(filter(None, (kind, who, reason))))
        yield from alike[:NOTES]
        if len(alike) > NOTES:
            yield f"{kind}: and {len(alike) - NOTES} more"


def _help(option: str, meaning: str) -> str:
    """The help of an option that only some formats take."""
    return f"{exports.taking(option)}: {meaning}"


def export(
    exercise_name: ExerciseOrCourse = None,
    to: Annotated[
        Optional[str],
        typer.Option(
            metavar="FORMAT",
            help=listed(exports.FORMATS, "or"),
            show_default="csv",
        ),
    ] = None,
    push: Annotated[
        Optional[str],
        typer.Option(
            metavar="PLATFORM", help="canvas, moodle or lti: say which scores would change there"
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="with --push: write them there")] = False,
    output: Annotated[
        Optional[str],
        typer.Option(metavar="PATH", help="default: exports/ of the course; - is standard output"),
    ] = None,
    fill: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE", help=_help("fill", "the file that you downloaded there, to fill in")
        ),
    ] = None,
    column: Annotated[
        Optional[str],
        typer.Option(
            metavar="TITLE", help=_help("column", 'the assignment, such as "Attention (4711)"')
        ),
    ] = None,
    classroom: Annotated[
        Optional[str],
        typer.Option(
            metavar="[ORG/]NAME", help=_help("classroom", "the classroom; default: the course's id")
        ),
    ] = None,
    missing_as_zero: Annotated[
        bool,
        typer.Option(
            "--missing-as-zero",
            help="0 points for students who handed in nothing; rejected ones stay empty",
        ),
    ] = False,
    anonymous: Annotated[
        bool,
        typer.Option(
            "--anonymous", help=_help("anonymous", "for research, without names and words")
        ),
    ] = False,
    isolation: Annotated[
        Optional[str],
        typer.Option(metavar="LEVEL", help=_help("isolation", "grade only at this level there")),
    ] = None,
    course_folder: CourseFolder = None,
) -> None:
    """Write the final scores, or the submissions, for another system.

    Without an exercise: the whole course, with totals.
    """
    from autograder.course.gradebook.course_grades import NAME
    from autograder.show.terminal import output as place

    options: dict[str, object] = {
        "fill": fill,
        "column": column,
        "classroom": classroom,
        "isolation": isolation,
    }
    options["anonymous"] = anonymous or None
    if push is not None:
        others = {"to": to, "output": output, **options}
        _push(course_folder, exercise_name, push, yes, missing_as_zero, others)
        return
    if yes:
        raise Unusable("--yes", "belongs to --push", "name a platform: --push canvas")
    to = to or "csv"
    options["missing_as_zero"] = missing_as_zero or None
    given = [name for name, value in options.items() if value is not None]
    whole_course = exercise_name is None
    format = exports.find(to, given, whole_course)
    if format.is_folder:
        place.writable_folder(output)
    else:
        place.writable(output)

    if exercise_name is None:
        course, exercise, name = opened_course(course_folder), None, NAME
    else:
        course, exercise = opened_any(course_folder, exercise_name)
        name = exercise.name
    request = exports.Request(course, exercise, fill, column, classroom, isolation)
    made = exports.make(to, request, missing_as_zero, anonymous)
    file = f"anonymous-{format.file}" if anonymous else format.file
    path = place.put_content(
        made.content, output, files.below(course.state / "exports", name, file)
    )

    command = f"export{'' if whole_course else f' {name}'} --to {to}"
    log.write(course, command, **log.final(course, made.final))
    for note in _first_of_each_kind(made.notes):
        print(inert(" ".join(note.split())), file=sys.stderr)
    if path is not None:
        print(f"wrote {short(path)}")
    finish(made.troubles)


def _push(
    folder: Path | None,
    exercise_name: str | None,
    platform: str,
    yes: bool,
    missing_as_zero: bool,
    others: Mapping[str, object],
) -> None:
    """Say which scores would change in a platform; with ``yes``, write them."""
    from autograder.course.gradebook import final_grades
    from autograder.show.exports.push import push as pushing
    from autograder.show.terminal import class_tables

    for option, value in others.items():
        if value is not None:
            repair = "leave one of them out"
            raise Unusable(f"--{option}", "does not work with --push", repair)
    if exercise_name is None:
        raise Unusable(f"--push {platform}", "pushes one exercise", "name it")

    course, exercise = opened(folder, exercise_name)
    target = pushing.platform(platform, course, exercise.name)
    grades = final_grades.of_class(course, exercise, missing_as_zero)
    grades.refuse_outdated()
    planned = pushing.plan(target, course, grades)
    for note in _first_of_each_kind([*grades.notes(), *planned.notes]):
        print(inert(" ".join(note.split())), file=sys.stderr)

    changes = planned.changes
    same = f"{planned.same} {agreeing(planned.same, 'is', 'are')} already the same"
    if changes:
        rows = [(change.label, change.old, change.new) for change in changes]
        class_tables.changes(target.name, rows)
    if not changes:
        print(f"nothing to do in {target.name}: {same}")
    elif not yes:
        what = f"{count(len(changes), 'score')} would change in {target.name}, {same}"
        print(f"{what}; nothing is written without --yes")
    troubles = list(grades.troubles.lines)
    if changes and yes:
        if target.takes_pages:
            troubles += _current_pages(course, exercise, {change.student for change in changes})
        written = []
        left = []
        for change, why in pushing.write(target, planned):
            if why == pushing.NOT_TRIED:
                left.append(change.student)
            elif why:
                troubles.append(f"{change.student}: {why}")
            else:
                written.append({"student": change.student, "old": change.old, "new": change.new})
        if left:
            failures = f"not tried after {pushing.MOST_FAILURES} failures in a row"
            troubles.append(f"{failures}: {first_of(left)}; run it again")
        print(f"wrote {count(len(written), 'score')} to {target.name}, {same}")
        final = log.final(course, grades.final_scores())
        log.write(course, f"export {exercise.name} --push {platform}", pushed=written, **final)
    finish(troubles)


def _current_pages(course: Course, exercise: Exercise, students: Collection[str]) -> list[str]:
    """Write pages, as ``feedback`` does, so that they say what is pushed; what went wrong."""
    from autograder.show.pages import feedback as pages

    troubles = Troubles()
    changed: list[str] = []
    pages.write_class(course, exercise, students, troubles, changed)
    if changed:
        again = "hand them out again if students also get them elsewhere"
        print(f"note: new pages for {first_of(changed)}; {again}")
    return troubles.lines


QUESTION_FORMATS = {
    "sheet": "questions.html",
    "notebook": "codes.csv",
    "moodle-xml": "questions.xml",
    "qti": "questions.zip",
}
"""What can be written, and what it is called in the course's exports; of a notebook, the table of
the codes that open it."""

HANDED_OUT = "questions-handed-out.html"
"""The sheet of the questions in the notebook, which a new draw does not change."""


def questions(
    exercise_name: ExerciseName,
    to: Annotated[
        str,
        typer.Option(metavar="FORMAT", help="sheet, notebook, moodle-xml, or qti (for Canvas)"),
    ] = "sheet",
    output: Annotated[
        Optional[str],
        typer.Option(metavar="FILE", help="default: exports/ of the course; - is standard output"),
    ] = None,
    number: Annotated[
        int, typer.Option("--number", min=1, max=20, help="questions for each student")
    ] = 4,
    no_answers: Annotated[
        bool, typer.Option("--no-answers", help="a sheet to hand out, with no option marked")
    ] = False,
    student: Students = None,
    course_folder: CourseFolder = None,
) -> None:
    """Draw questions for students about their own code, with the answers."""
    from autograder.authoring import own_questions
    from autograder.course import drawn
    from autograder.course.grading.grade_class import insist_on_the_secret
    from autograder.show.exports import question_bank
    from autograder.show.terminal import output as place

    if to not in QUESTION_FORMATS:
        raise Unusable(f"--to {to}", "no such format", f"there are: {', '.join(QUESTION_FORMATS)}")
    place.writable(output)
    if to == "notebook" and output and output.endswith(".ipynb"):
        cause, repair = "would hold the table of all codes", "name a .csv, or leave --output out"
        raise Unusable(f"--output {output}", cause, repair)
    if no_answers and to != "sheet":
        raise Unusable("--no-answers", f"goes with the sheet, not with --to {to}", "leave it out")
    course, exercise = opened(course_folder, exercise_name)
    if exercise.own:
        cause, repair = "asks questions itself", "name the exercise that they are about"
        raise Unusable(exercise.name, cause, repair)
    insist_on_the_secret(course)
    exports = files.below(course.state / "exports", exercise.name)
    students = _who_handed_in(course, exercise.name, student)
    known = _handed_out(course, exercise.name, students) if to == "notebook" else {}
    new = [name for name in students if name not in known]
    sheets = _sheets(course, exercise, number, new)
    for sheet in sheets:
        if sheet.note:
            print(inert(f"{sheet.student}: {sheet.note}"), file=sys.stderr)

    if to == "moodle-xml":
        content = question_bank.moodle(exercise.name, sheets)
    elif to == "qti":
        content = question_bank.qti(exercise.name, sheets)
    elif to == "notebook":
        have_some = [one.sheet for one in known.values()]
        have_some += [sheet for sheet in sheets if sheet.questions]
        own_questions.insist_on_room(exercise.name, have_some, number)
        drawn.add(course, exercise.name, sheets)
        handed_out = drawn.read(course, exercise.name)
        asked = _build_questions(course, exercise, handed_out, number)
        if asked != number:
            cause = "students keep the questions that they have"
            print(f"note: the notebook asks {asked} questions, not {number}: {cause}")
        sheets = [one.sheet for one in handed_out.values()]
        files.write(exports / HANDED_OUT, _page(course, exercise, sheets))
        print(f"wrote {short(exports / HANDED_OUT)}")
        codes = {name: one.code for name, one in handed_out.items()}
        content = question_bank.codes(codes, _names(course))
    else:
        content = _page(course, exercise, sheets, not no_answers)

    file = exports / QUESTION_FORMATS[to]
    if student and to != "notebook":  # the sheet of the class stays
        file = file.with_stem(f"{file.stem}-{'-'.join(student)}"[:100])
    if no_answers:
        file = file.with_stem(f"{file.stem}-no-answers")
    written = place.put_content(content, output, file)
    if written is not None:
        total = count(sum(len(sheet.questions) for sheet in sheets), "question")
        print(f"wrote {short(written)}: {total} for {count(len(sheets), 'student')}")
    if to == "notebook":
        name = own_questions.name_of(exercise.name)
        if name not in course.settings.weights:
            lower = f"write {name} = 0.2 below [weights] in autograder.toml to lower it"
            print(f"note: {name} has weight 1 in the course's total, like an exercise; {lower}")
        print(f"next: autograder release {name}, and give each student their code")


def _who_handed_in(course: Course, exercise: str, students: list[str] | None) -> list[str]:
    """Those of these students, or of all, of whom there is a submission."""
    from autograder.course.grading.grade_class import scan

    there = scan(course.submitted, exercise).students
    names = [name for name in there if students is None or name in students]
    refuse_absent(students, names, exercise, course.submitted)
    if not names:
        cause = f"no {exercise} of anybody is there"
        raise Unusable(short(course.submitted), cause, f"run autograder collect {exercise}")
    return names


def _sheets(course: Course, exercise: Exercise, number: int, names: Sequence[str]) -> list[Sheet]:
    """The sheets of these students."""
    from autograder.course.grading.grade_class import task_of
    from autograder.questions.sheet import Sheet, of_class

    sheets = []
    files_of = {}
    for name in names:
        task = task_of(course, exercise.name, course.submitted, name, force=True)
        if task.unreadable:
            sheets.append(Sheet(name, note=f"no questions: {task.unreadable}"))
        else:
            files_of[name] = task.data

    secret, jobs = course.secret(), os.cpu_count() or 1
    sheets += of_class(exercise, secret, course.settings, files_of, number, jobs)
    return sorted(sheets, key=lambda sheet: sheet.student)


def _page(
    course: Course, exercise: Exercise, sheets: Iterable[Sheet], has_answers: bool = True
) -> bytes:
    """The sheet to print."""
    from autograder.show.exports import question_bank

    names = _names(course)
    named = [(names.get(sheet.student, ""), sheet) for sheet in sheets]
    return question_bank.sheet(exercise.title, named, has_answers).encode()


def _names(course: Course) -> dict[str, str]:
    """The names of the people on the class list, by id."""
    from autograder.course.class_list import full_name

    return {student: full_name(row) for student, row in (course.class_list() or {}).items()}


def _handed_out(course: Course, exercise: str, students: Iterable[str]) -> dict[str, Drawn]:
    """The questions that students have got.

    Raises:
        Unusable: some of these students have others, by the exercise that is there.
    """
    from autograder.authoring import own_questions
    from autograder.course import drawn
    from autograder.exercises import sources

    known = drawn.read(course, exercise)
    lost = own_questions.have_questions(course.root, exercise, students)
    lost = [student for student in lost if student not in known]
    if lost:
        path = sources.authored_at(course.root, own_questions.name_of(exercise))
        cause = f"has no line of {first_of(lost)}, whose questions are in {short(path)}"
        repair = f"put a backup there, or delete {path.name} to draw new ones"
        raise Unusable(course.state / drawn.NAME, cause, repair)
    return known


def _build_questions(
    course: Course, exercise: Exercise, drawn: Mapping[str, Drawn], number: int
) -> int:
    """Write and build the exercise that asks these questions; how many it asks."""
    from autograder.authoring import build, own_questions

    if not drawn:
        raise Unusable(exercise.name, "there is no question for anybody", "see the lines above")
    asked = own_questions.write(course.root, exercise, drawn.values(), number, course.secret())
    name = own_questions.name_of(exercise.name)
    for path in build.build(course.root, name, settings=course.settings):
        print(f"wrote {short(path)}")
    return asked
