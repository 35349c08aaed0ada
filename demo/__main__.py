"""What ``make demo`` runs: the sample class, from handing out the exercise to the table of scores.

For another exercise than attention ``demo.banks`` makes the class.

The commands are the ones of a real course. Only the students are made up: some submit through
nbgrader's exchange, the others' notebooks arrive as the downloads that learning platforms offer.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

from autograder.course import results as stored
from autograder.course.course import Course
from autograder.course.gradebook import marks
from autograder.course.troubles import Troubles
from autograder.exercises import exercise
from demo import banks
from demo.stage import ROOT, environment, point_at, run, say, short
from tests.support import sample_class
from tests.support.sample_class import Student

NAME = "attention"
SETTINGS = 'course_name = "CS101"\ntime_zone = "UTC"\n'
DUE = datetime(2026, 3, 2, 18, 0, tzinfo=timezone.utc)


def main(state: Path = ROOT / "build" / "demo") -> None:
    """Run the demonstration with its state in ``state``, which is emptied first; exit with 1 if a
    grade is wrong."""
    began = time.monotonic()
    shutil.rmtree(state, ignore_errors=True)
    os.environ.update(environment(state))
    course = Course(ROOT, state)
    students = sample_class.students()
    release = (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()

    shutil.copy(sample_class.CLASS_LIST, state)
    (state / "autograder.toml").write_text(SETTINGS, encoding="utf-8")
    say(f"A teacher hands out the exercise to {len(students)} students.")
    run(state, "release", NAME, "--due", f"{DUE:%Y-%m-%d %H:%M} UTC")

    say(
        "The students hand in: through nbgrader, or as downloads from Moodle, Canvas and a browser."
    )
    for line in hand_in(course, students, release):
        print(line)

    say("After the deadline the teacher collects, grades, and explains.")
    run(state, "collect", NAME)
    run(state, "grade", NAME)
    run(state, "feedback", NAME)
    run(state, "report", NAME)

    wrong = list(surprises(course, students))
    print("\n".join(["", *(wrong or ["Every grade is the one that tests/class/ expects."])]))
    say("Two submissions that must not stop a grader")
    point_at(page_of(course, "lars"), "Lars's padding_mask never ends: 8 points, and nobody waited")
    point_at(page_of(course, "rosa"), "Rosa's upload broke off: her page says what to do now")

    say("Where to look next: three pages to open")
    point_at(page_of(course, "omar"), "a student's page: Omar's softmax overflows")
    point_at(course.reports / f"{NAME}.html", "the teacher's page: what to do next, who, and why")
    point_at(ROOT / "assignments" / NAME / f"{NAME}.ipynb", "the notebook, in Jupyter or VS Code")
    print(f"\nAUTOGRADER_COURSE={short(state)} make lab opens nbgrader's formgrader on this class.")
    print(f"\n{time.monotonic() - began:.0f} seconds.")
    sys.exit(1 if wrong else 0)


def page_of(course: Course, student: str) -> Path:
    return course.feedback / student / NAME / f"{NAME}.html"


def hand_in(course: Course, students: list[Student], release: bytes) -> Iterator[str]:
    """Put everybody's file where it would arrive; who did it how, in lines."""
    course.inbox.mkdir(parents=True, exist_ok=True)
    moodle = course.inbox / "CS101-Attention-4711.zip"
    canvas = course.inbox / "submissions.zip"
    names = {student.id: _name(student.id) for student in students}
    with zipfile.ZipFile(moodle, "w") as moodle_zip, zipfile.ZipFile(canvas, "w") as canvas_zip:
        for number, student in enumerate(students, start=10_400):
            data = student.file(release)
            if data is None:
                continue
            when = DUE + (
                timedelta(hours=student.hours_late) or timedelta(hours=-20, minutes=number % 100)
            )
            first, last = names[student.id].rsplit(" ", 1)
            if student.hands_in == "exchange":
                _submit(course, student, data, when)
            elif student.hands_in == "moodle":
                folder = f"{first} {last}_{number}_assignsubmission_file_"
                _add(moodle_zip, f"{folder}/{NAME}{student.suffix}", data, when)
            elif student.hands_in == "canvas":
                key = f"{last}{first}".lower().replace(" ", "")
                _add(canvas_zip, f"{key}_{number}_88{number}_{NAME}{student.suffix}", data, when)
            else:
                # A browser numbers the second download; the first, as released, is older and does
                # not count.
                _put(
                    course.inbox / student.id / f"{NAME}.ipynb", release, when - timedelta(hours=1)
                )
                _put(course.inbox / student.id / f"{NAME} (1){student.suffix}", data, when)
    for way, where in (
        ("exchange", "nbgrader submit"),
        ("moodle", short(moodle)),
        ("canvas", short(canvas)),
        ("folder", f"{short(course.inbox)}/<student>/{NAME} (1).ipynb"),
        ("nothing", "handed in nothing"),
    ):
        came_so = [student.id for student in students if student.hands_in == way]
        yield f"  {where}: {', '.join(came_so)}"


def surprises(course: Course, students: list[Student]) -> Iterator[str]:
    """Each grade that is not the expected one, in a line."""
    known = exercise.load(course.root, NAME)
    troubles = Troubles()
    stored_results = stored.stored_results(course, NAME, troubles)
    yield from troubles.lines
    results = {str(result.student): result for result in stored_results}
    in_gradebook = marks.class_marks(course, known)
    for student in students:
        for line in student.expected.differences(known, results.get(student.id)):
            yield f"{student.id}: {line}"
        if student.hours_late and not in_gradebook[student.id].late_penalty:
            yield f"{student.id}: no late penalty in the gradebook"


def _submit(course: Course, student: Student, data: bytes, when: datetime) -> None:
    """What ``nbgrader submit`` does on a student's own account, at that time."""
    from nbgrader.auth import Authenticator
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.exchange.default import ExchangeSubmit

    from autograder.course.gradebook import config as host

    class Submit(ExchangeSubmit):  # type: ignore[misc]
        def set_timestamp(self) -> None:
            self.timestamp = f"{when:{self.timestamp_format}}"

    home = course.state / "students" / student.id
    _put(home / NAME / f"{NAME}.ipynb", data, when)
    settings = host.config(course)
    folder = CourseDirectory(config=settings)
    folder.assignment_id, folder.student_id = NAME, student.id
    submit = Submit(coursedir=folder, authenticator=Authenticator(config=settings), config=settings)
    submit.assignment_dir = str(home)
    submit.log.setLevel("WARNING")
    submit.start()


def _add(archive: zipfile.ZipFile, path: str, data: bytes, when: datetime) -> None:
    """An archive's times name no zone; the course's settings say that they are of UTC."""
    archive.writestr(zipfile.ZipInfo(path, when.timetuple()[:6]), data, zipfile.ZIP_DEFLATED)


def _put(path: Path, data: bytes, when: datetime) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (when.timestamp(), when.timestamp()))


def _name(student: str) -> str:
    lines = sample_class.CLASS_LIST.read_text(encoding="utf-8").splitlines()
    return next(line.split(",")[1] for line in lines if line.startswith(f"{student},"))


if __name__ == "__main__":
    (exercise_name,) = sys.argv[1:]
    if exercise_name == NAME:
        main()
    else:
        banks.main(exercise_name)
