"""A whole semester through the command line: thirty students, three exercises, and what happens
between the first roster and the last appeal.

After each stage every score, wherever the kit and nbgrader say it, is the one that
tests/support/semester.py works out from the rules.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from autograder.authoring import build
from autograder.course.course import Course
from autograder.course.gradebook import config as host
from tests.support import courses, databases, jupyter, processes, semester
from tests.support.databases import Database
from tests.support.semester import DUE, POINTS, STEPS, WORDS, Term, Work

if TYPE_CHECKING:
    from playwright.sync_api import Page

# nbgrader's own code, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.usefixtures("graded_here"),
]

LAST_YEAR = Path(semester.__file__).parent / "last_year"
MACHINE = "Asia/Kolkata"
"""The zone of the machine, which is to have no say."""

MONTH = timedelta(days=40)

Scores = Mapping[str, float | None]
Stage = Callable[["Semester"], None]


@dataclass
class Semester:
    """A course in the hands of its teacher, beside what ought to follow from what happens."""

    root: Path
    term: Term
    works: dict[semester.Key, list[Work]]
    """What everybody is going to hand in."""
    people: dict[str, dict[str, str]] = field(default_factory=dict)
    extensions: list[str] = field(default_factory=list)
    released: dict[str, bytes] = field(default_factory=dict)
    settled: dict[semester.Key, int | None] = field(default_factory=dict)
    """The file whose answers a person has marked; by its draft."""
    wrong: list[str] = field(default_factory=list)
    """What was not as it ought to be."""
    compared: int = 0

    @property
    def course(self) -> Course:
        return Course(self.root, self.root / "course")

    @property
    def students(self) -> list[str]:
        """Everybody, also who is not on the class list yet."""
        return list(dict.fromkeys(student for student, _ in self.works))

    def run(self, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        return processes.finished(*arguments, cwd=self.root, code=code)

    def configure(self) -> None:
        """Write the settings, as they are now."""
        text = (LAST_YEAR / "autograder.toml").read_text()
        lines = [f'counts = "{self.term.counts}"', f'time_zone = "{self.term.zone}"', text]
        lines += ["[due]", *(f'{name} = "{DUE[name]:%Y-%m-%d %H:%M}"' for name in self.released)]
        weights = {name: self.term.weights[name] for name in DUE}
        lines += ["[weights]", *(f"{name} = {weight}" for name, weight in weights.items())]
        (self.root / "autograder.toml").write_text("\n".join(lines) + "\n")

    def join(self, students: Iterable[str]) -> None:
        for student in students:
            number = self.students.index(student)
            self.people[student] = {
                "id": student,
                "name": semester.name_of(number),
                "group": semester.GROUPS[number % 3],
                "email": f"s{number}@school.example",
                "Moodle ID": str(1000 + number),
            }
        columns = ("id", "name", "group", "email", "Moodle ID")
        lines = [";".join(columns)]
        lines += [";".join(person[column] for column in columns) for person in self.people.values()]
        text = "\r\n".join(lines) + "\r\n"
        courses.class_list(self.course, text)

    def extend(self, who: str, exercise: str, until: datetime | None) -> None:
        """Give more time to a student or a group, in the file and in what ought to follow."""
        said = f"{until:%Y-%m-%d %H:%M}" if until else "waived"
        self.extensions.append(f"{who},{exercise},{said}")
        text = "\n".join(["who,exercise,until", *self.extensions])
        (self.course.state / "extensions.csv").write_text(f"{text}\n")
        for student, person in self.people.items():
            if who in (student, person["group"]):
                self.term.until.append((student, exercise, until))

    def release(self, exercise: str) -> None:
        built = self.root / "assignments" / exercise / f"{exercise}.ipynb"
        self.released[exercise] = built.read_bytes()
        self.configure()
        self.run("release", exercise)

    def arrive(self, exercise: str, student: str, work: Work) -> bytes:
        """The file, which counts from now on."""
        self.term.arrived.setdefault((student, exercise), []).append(work)
        return work.file(exercise, self.released[exercise])

    def to_exchange(self, exercise: str, student: str, work: Work) -> None:
        """Hand in as ``nbgrader submit`` does."""
        (inbound,) = (self.course.state / "exchange").glob("*/inbound")
        moment = f"{work.time.astimezone(ZoneInfo('UTC')):%Y-%m-%d %H:%M:%S.0 UTC}"
        folder = inbound / f"{student}+{exercise}+{moment}+{work.draft}"
        folder.mkdir()
        data = self.arrive(exercise, student, work)
        (folder / f"{exercise}.ipynb").write_bytes(data)

    def to_moodle(self, exercise: str, name: str, before: datetime) -> None:
        """Put a download of everybody's last submission into the inbox."""
        self.course.inbox.mkdir(exist_ok=True)
        with zipfile.ZipFile(self.course.inbox / name, "w") as archive:
            for student, person in self.people.items():
                works = [one for one in self.works[student, exercise] if one.time < before]
                if works:
                    folder = f"{person['name']}_{person['Moodle ID']}_assignsubmission_file_"
                    place = f"{folder}/{exercise}.ipynb"
                    info = zipfile.ZipInfo(place, works[-1].time.timetuple()[:6])
                    archive.writestr(info, self.arrive(exercise, student, works[-1]))

    def to_inbox(self, exercise: str, student: str, work: Work) -> None:
        """Put a file there, as a browser names and dates it."""
        number = len(self.term.arrived.get((student, exercise), []))
        copy = f" ({number})" if number else ""
        path = self.course.inbox / student / f"{exercise}{copy}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.arrive(exercise, student, work))
        os.utime(path, (work.time.timestamp(),) * 2)

    def hand_in(self, exercise: str, first: int, last: int) -> None:
        """Everybody hands in what falls into these minutes from the due date."""
        put = self.to_exchange if exercise == "sums" else self.to_inbox
        begins, ends = (
            self.term.instant(DUE[exercise]) + timedelta(minutes=minutes)
            for minutes in (first, last)
        )
        for student in self.students:
            for work in self.works[student, exercise]:
                if begins <= work.time < ends:
                    put(exercise, student, work)

    def one_more(self, exercise: str, student: str, kinds: tuple[str, str], words: str) -> None:
        """A student hands in another file, a month late."""
        numbers = [one.draft for one in self.term.arrived.get((student, exercise), [])]
        work = Work(self.term.instant(DUE[exercise]) + MONTH, kinds, words, 10 + len(numbers))
        if exercise == "sums":
            self.to_exchange(exercise, student, work)
        else:
            self.to_inbox(exercise, student, work)

    def graded(self, stage: str, *options: object) -> None:
        """Collect and grade what has been released, mark what waits, and compare everything."""
        for exercise in self.released:
            self.run("collect", exercise)
            self.run("grade", exercise, "--jobs", 1, *options)
            for student, cell in self.waiting(exercise):
                if self.settled.get((student, exercise)) == self.draft(student, exercise):
                    self.wrong.append(f"{stage}, {exercise}: {student} waits again: {cell}")
            # A mark may change which submission is the best one.
            while self.mark(exercise) and self.term.counts == "best":
                self.run("grade", exercise, "--jobs", 1)
            for student in self.sound(exercise):
                self.settled[student, exercise] = self.draft(student, exercise)
        self.compare(stage)

    def draft(self, student: str, exercise: str) -> int | None:
        """Which file counts."""
        work = self.term.counted(student, exercise)
        return work.draft if work is not None else None

    def database(self) -> Database:
        return databases.of(self.course)

    def waiting(self, exercise: str) -> list[tuple[str, str]]:
        """Who waits for a person's mark, and where."""
        query = (
            "SELECT s.student_id, c.name FROM grade g JOIN base_cell c ON c.id = g.cell_id"
            " JOIN submitted_notebook n ON n.id = g.notebook_id"
            " JOIN submitted_assignment s ON s.id = n.assignment_id"
            " JOIN assignment a ON a.id = s.assignment_id"
            " WHERE g.needs_manual_grade AND a.name = :exercise ORDER BY s.student_id"
        )
        rows = self.database().rows(query, exercise=exercise)
        return [(str(student), str(cell)) for student, cell in rows]

    def by_hand(self, exercise: str, cell: str, student: str, **entered: float) -> None:
        """Enter a mark, as the formgrader does."""
        where = (
            " WHERE cell_id IN (SELECT b.id FROM base_cell b JOIN notebook k ON k.id = b.notebook_id"
            " WHERE b.name = :cell AND b.type = 'GradeCell' AND k.name = :exercise)"
            " AND notebook_id IN (SELECT n.id FROM submitted_notebook n"
            " JOIN submitted_assignment s ON s.id = n.assignment_id WHERE s.student_id = :student)"
        )
        values = ", ".join(f"{name} = :{name}" for name in entered)
        setting = ", ".join(filter(None, [values, "needs_manual_grade = 0"]))
        self.database().execute(
            f"UPDATE grade SET {setting} {where}",
            exercise=exercise, cell=cell, student=student, **entered,
        )  # fmt: skip

    def mark(self, exercise: str) -> bool:
        """Mark every answer that waits, by what stands in the notebook that is shown for it; a mark
        for a check is looked at, and stays. Whether anything waited."""
        waiting = self.waiting(exercise)
        works = {student: self.term.counted(student, exercise) for student, _ in waiting}
        for student, cell in waiting:
            work = works[student]
            if work is not None:
                self.term.read.add((student, exercise, work.words))
            if "-" in cell:
                self.by_hand(exercise, cell, student)
                continue
            path = self.course.autograded / student / exercise / f"{exercise}.ipynb"
            cells = {one["id"]: one for one in json.loads(path.read_bytes())["cells"]}
            answer = "".join(cells[cell]["source"])
            points = sum(points for words, points in WORDS.items() if words and words in answer)
            self.by_hand(exercise, cell, student, manual_score=points)
        return bool(waiting)

    def mark_check(self, exercise: str, student: str, points: float) -> None:
        """A person gives other points for the second check of the submission that counts."""
        work = self.term.counted(student, exercise)
        assert work is not None
        check = list(POINTS[exercise])[1]
        self.by_hand(exercise, check, student, manual_score=points)
        self.term.marks[student, exercise, check, work.kinds[0]] = points

    def reward(self, exercise: str, student: str, points: float) -> None:
        """Extra credit for an answer in words."""
        work = self.term.counted(student, exercise)
        assert work is not None
        self.by_hand(exercise, "why", student, extra_credit=points)
        self.term.extra[student, exercise, work.words] = points

    def sound(self, exercise: str) -> list[str]:
        """Who has a submission that counts and can be read."""
        found = []
        for student in self.people:
            work = self.term.counted(student, exercise)
            if work is not None and not work.is_broken:
                found.append(student)
        return found

    def everybody(self, *exercises: str) -> list[str]:
        """Who is on the class list, and who has handed in without being there."""
        others = [student for student, exercise in self.term.arrived if exercise in exercises]
        return list(dict.fromkeys([*self.people, *others]))

    def scores(self, exercise: str, missing_as_zero: bool = False) -> dict[str, float | None]:
        found = {}
        for student in self.everybody(exercise):
            found[student] = self.term.final(student, exercise, missing_as_zero)
        return found

    def earned(self, exercise: str) -> dict[str, tuple[float | None, dict[str, float]]]:
        """The final scores, and what the checks of the submission that counts give."""
        found = {}
        for student in self.sound(exercise):
            work = self.term.counted(student, exercise)
            assert work is not None
            checks = self.term.checks(student, exercise, work)
            found[student] = self.term.final(student, exercise), checks
        return found

    def rewrite(self, exercise: str, *changes: tuple[str, str]) -> None:
        """Change an exercise by regular expressions, and build it."""
        authored = self.root / "solutions" / f"{exercise}.py"
        text = authored.read_text()
        for old, new in changes:
            text, times = re.subn(old, new, text)
            assert times, old
        authored.write_text(text)
        self.run("build", exercise)
        self.settled = {key: draft for key, draft in self.settled.items() if key[1] != exercise}

    # What the kit and nbgrader say, beside what ought to be.

    def compare(self, stage: str) -> None:
        """Everything that tells a score, in every format."""
        for exercise in self.released:
            self._compare_exercise(f"{stage}, {exercise}", exercise)
        self._compare_course(stage)

    def says(self, where: str, found: Scores, expected: Scores) -> None:
        """Note where scores are not those expected."""
        self.compared += len(expected)
        if found.keys() != expected.keys():
            self.wrong.append(f"{where}: students {sorted(found.keys() ^ expected.keys())}")
        for student in found.keys() & expected.keys():
            if found[student] != pytest.approx(expected[student], abs=1e-6):
                said = f"{found[student]}, not {expected[student]}"
                self.wrong.append(f"{where}: {student} {said}")

    def _compare_exercise(self, where: str, exercise: str) -> None:
        expected = self.scores(exercise)
        scored = {student: score for student, score in expected.items() if score is not None}

        report = json.loads(self.run("report", exercise, "--json", "-").stdout)["students"]
        self.says(f"{where}, report", {one["student"]: one["score"] for one in report}, expected)
        for options in ((), ("--missing-as-zero",)):
            exported = self.exported(exercise, *options)
            found = {student: one["score"] for student, one in exported.items()}
            self.says(f"{where}, json{options}", found, self.scores(exercise, bool(options)))
        marks = {one: exported[one]["marks"] for one in scored}
        for name, rule in (("automatic", self.term.automatic), ("late_penalty", self.term.penalty)):
            found = {one: marks[one][name] if marks[one] else None for one in scored}
            self.says(f"{where}, {name}", found, {one: rule(one, exercise) for one in scored})

        sums: dict[str, float | None] = {}
        for row in self.table(exercise, "csv"):
            if row["score"]:
                sums[row["student"]] = (sums.get(row["student"]) or 0) + float(row["score"])
        self.says(f"{where}, csv", sums, scored)
        canvas = self.table(exercise, "canvas")[1:]
        found = {row["SIS Login ID"]: number(row[exercise]) for row in canvas}
        self.says(f"{where}, canvas", found, expected)

        fill = self.root / "worksheet.csv"
        most = self.term.most[exercise]
        write_worksheet(fill, self.people, most)
        ids = {person["Moodle ID"]: student for student, person in self.people.items()}
        found = {}
        for row in self.table(exercise, "moodle", "--fill", fill):
            found[ids[row["Identifier"].removeprefix("Participant ")]] = number(row["Grade"])
        listed = {student: expected[student] for student in self.people}
        self.says(f"{where}, moodle", found, listed)

        folder = self.root / "gradescope"
        self.run("export", exercise, "--to", "gradescope", "--output", folder)
        found = {}
        for path in folder.glob("*/results.json"):
            found[path.parent.name] = json.loads(path.read_bytes())["score"]
        shutil.rmtree(folder)
        self.says(f"{where}, gradescope", found, scored)

        self._compare_nbgrader(where, exercise, list(scored))

    def _compare_nbgrader(self, where: str, exercise: str, scored: list[str]) -> None:
        """nbgrader's own tables; it shows scores before late penalties in its formgrader."""
        from nbgrader.plugins import CsvExportPlugin

        before = {one: self.term.before_penalty(one, exercise) for one in scored}
        api = host.api(self.course)
        submissions = {one["student"]: one for one in api.get_submissions(exercise)}
        found = {one: submissions[one]["score"] for one in scored if one in submissions}
        self.says(f"{where}, NbGraderAPI", found, before)

        path = self.root / "nbgrader.csv"
        with api.gradebook as book:
            CsvExportPlugin(to=str(path)).export(book)
        raw: dict[str, float | None] = {}
        final: dict[str, float | None] = {}
        for row in csv.DictReader(path.read_text().splitlines()):
            if row["assignment"] == exercise and row["student_id"] in before:
                raw[row["student_id"]] = float(row["raw_score"])
                final[row["student_id"]] = float(row["score"])
        expected = {one: self.term.final(one, exercise) for one in scored}
        self.says(f"{where}, nbgrader export, before", raw, before)
        self.says(f"{where}, nbgrader export", final, expected)

    def _compare_course(self, where: str) -> None:
        exercises = [exercise for exercise in DUE if exercise in self.released]
        for options in ((), ("--missing-as-zero",)):
            totals = {}
            for student in self.everybody(*exercises):
                totals[student] = self.term.total(student, exercises, bool(options))
            made = [
                json.loads(self.run("report", "--json", "-", *options).stdout),
                json.loads(self.run("export", "--to", "json", "--output", "-", *options).stdout),
            ]
            for one, name in zip(made, ("report", "json")):
                found = {row["student"]: row["total"] for row in one["students"]}
                self.says(f"{where}, course {name}{options}", found, totals)
            tables = {
                "csv": ("student", "total"),
                "canvas": ("SIS Login ID", "course total"),
                "moodle": ("id", "total"),
            }
            for name, (key, column) in tables.items():
                done = self.run("export", "--to", name, "--output", "-", *options)
                rows = list(csv.DictReader(io.StringIO(done.stdout)))
                rows = rows[1:] if name == "canvas" else rows
                expected = dict(totals)
                for student, total in totals.items():
                    if name == "moodle" and total is not None and total > 100:
                        expected[student] = None  # Moodle would stop there
                found = {row[key].lstrip("'"): number(row[column]) for row in rows}
                self.says(f"{where}, course {name}{options}", found, expected)

    def exported(self, exercise: str, *options: object) -> dict[str, dict[str, Any]]:
        done = self.run("export", exercise, "--to", "json", "--output", "-", *options)
        return {one["student"]: one for one in json.loads(done.stdout)["students"]}

    def table(self, exercise: str, to: str, *options: object) -> list[dict[str, str]]:
        done = self.run("export", exercise, "--to", to, "--output", "-", *options)
        return list(csv.DictReader(io.StringIO(done.stdout.removeprefix("\ufeff"))))


def number(cell: str) -> float | None:
    """A score in a table; None where there is none."""
    return float(cell) if cell not in ("", "-") else None


def write_worksheet(path: Path, people: Mapping[str, Mapping[str, str]], most: float) -> None:
    """What Moodle gives to be filled in."""
    header = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    header += ["Grade can be changed", "Last modified (grade)", "Feedback comments"]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(header)
        for person in people.values():
            who = [f"Participant {person['Moodle ID']}", person["name"], person["email"]]
            table.writerow([*who, "Submitted", "", f"{most:.2f}", "Yes", "-", ""])


def begin(folder: Path, seed: int, counts: str, size: int = 30) -> Semester:
    """A new course, made from last year's, with its first class list; three join later."""
    old = folder / "last-year"
    shutil.copytree(LAST_YEAR, old)
    for exercise in DUE:
        full, release = build.notebooks(old / "solutions" / f"{exercise}.py")
        for place, data in (("solutions", full), ("assignments", release)):
            path = old / place / exercise / f"{exercise}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_bytes(data)
    processes.finished("new-course", "autumn", "--from", "last-year", cwd=folder)

    term = Term(counts)
    ids = [*semester.ODD_IDS, *(f"s{number:02}" for number in range(size - 5))][:size]
    begun = Semester(folder / "autumn", term, semester.drawn_works(seed, ids, term.zone))
    # The same inputs each time: a wrong answer may be right by chance.
    (begun.course.state / "secret").write_text("semester")
    begun.join(ids[:-3])
    return begun


def first_exercise(course: Semester) -> None:
    """Through the exchange; three were not on the class list in the first week."""
    course.release("sums")
    course.hand_in("sums", -9000, 1440)
    course.graded("first half")
    course.join(course.students[-3:])
    course.hand_in("sums", 1440, 9000)
    course.graded("second half")

    course.extend(course.students[1], "sums", DUE["sums"] + timedelta(minutes=4320))
    course.extend("west", "sums", DUE["sums"] + timedelta(minutes=700))
    course.extend(course.students[7], "sums", None)
    granted = course.sound("sums")[3]
    with host.api(course.course).gradebook as book:
        book.grant_extension("sums", granted, days=1)
    course.term.given[granted, "sums"] = timedelta(days=1)
    course.graded("extensions")


def second_exercise(course: Semester) -> None:
    """Through two downloads of Moodle's, whose times name no zone."""
    course.release("spreads")
    course.to_moodle("spreads", "Autumn-Spreads-4711.zip", DUE["spreads"] + timedelta(minutes=1))
    course.graded("Moodle")
    broken = course.course.inbox / "Autumn-Spreads-4712.zip"
    broken.write_bytes((course.course.inbox / "Autumn-Spreads-4711.zip").read_bytes()[:-100])
    assert "cannot be opened as a zip archive" in course.run("collect", "spreads").stdout
    course.to_moodle("spreads", "Autumn-Spreads-4713.zip", DUE["spreads"] + timedelta(days=30))
    course.graded("Moodle again")
    course.extend(course.students[2], "", DUE["spreads"] + timedelta(minutes=720))
    course.extend("south", "spreads", DUE["spreads"] + timedelta(minutes=4320))
    course.graded("extensions in all exercises")


def third_exercise(course: Semester) -> None:
    """From browsers' folders."""
    course.release("lengths")
    course.hand_in("lengths", -9000, 15)
    course.graded("inbox")
    course.hand_in("lengths", 15, 9000)
    course.graded("inbox again")
    course.extend(course.students[4], "", None)
    course.graded("a waiver")


def move(course: Semester) -> None:
    """The course is held in Berlin, it seems, and then it is not."""
    for zone in ("Europe/Berlin", course.term.zone):
        course.term.zone = zone
        course.configure()
        for exercise in course.released:
            course.run("collect", exercise)
        course.graded(f"in {zone}")


def marks(course: Semester) -> None:
    """A person gives points for checks, and extra credit; then some hand in again."""
    marked = {exercise: course.sound(exercise)[:8] for exercise in DUE}
    for exercise, students in marked.items():
        for place, student in enumerate(students):
            course.mark_check(exercise, student, [0.5, 2.5][place % 2])
            course.reward(exercise, student, 1.0)
    course.compare("marks by hand")

    for exercise in ("sums", "lengths"):
        wrong = list(semester.ANSWERS[STEPS[exercise][0]])[-1]
        for place, student in enumerate(marked[exercise][:6]):
            work = course.term.counted(student, exercise)
            assert work is not None
            kinds = [(wrong, "blank"), ("right", "right"), work.kinds][place % 3]
            course.one_more(exercise, student, kinds, ["", "By a proof.", work.words][place % 3])
    course.graded("handed in again after the marks")


def mend(course: Semester) -> None:
    """One check was too strict, another one too lenient; nobody loses points by that."""
    for (student, exercise), works in course.term.arrived.items():
        for work in works if exercise == "sums" else ():
            if not work.is_broken:
                given = course.term.checks(student, exercise, work)
                course.term.kept[student, exercise, work.draft] = given
    before = course.earned("sums")
    course.term.is_mended = True
    after = course.earned("sums")
    course.rewrite(
        "sums",
        (r"agree\(total\(\[0.1\] \* 10\), 1.0,", "agree(round(total([0.1] * 10), 9), 1.0,"),
        (r"agree\(total\(\[1.0, 2.0\]\), 3.0,", "agree(total([-1.0, 2.0]), 1.0,"),
    )
    changed = {student for student in before if before[student] != after[student]}
    said = course.run("grade", "sums", "--compare", "--never-lower").stdout
    listed = set(re.findall(r"^(\S+): .* -> ", said, re.M))
    if listed != changed:
        course.wrong.append(f"--compare lists {sorted(listed)}, not {sorted(changed)}: {said}")
    refused = course.run("export", "sums", code=2).stderr
    assert "the exercise changed after" in refused and len(refused.splitlines()) == 1
    course.graded("mended", "--never-lower")

    for place, student in enumerate(course.sound("sums")[8:16]):
        kinds = [("tripled", "absolute"), ("right", "absolute"), ("right", "right")][place % 3]
        course.one_more("sums", student, kinds, "")
    course.graded("handed in again after that")


def rename(course: Semester) -> None:
    """A question is worth more, names become better ones, and a check cannot be saved."""
    course.rewrite("sums", ('manual="why" points=4', 'manual="why" points=6'))
    course.term.most["sums"] += 2
    course.rewrite(
        "spreads", (r"\bspread\b", "variance"), ('step="variance"', 'step="variance" was="spread"')
    )
    course.rewrite(
        "lengths",
        ('manual="why"', 'manual="zeros" was="why"'),
        ('check="length-drawn"', 'check="length-drawn" void=true'),
    )
    course.term.void.add("length-drawn")
    course.graded("renamed")


def weigh(course: Semester) -> None:
    course.term.weights = {"sums": 2, "spreads": 0.5, "lengths": 3}
    course.configure()
    course.compare("weighed")


def lose_and_restore(course: Semester) -> None:
    """The disk is gone; the course goes on in another place."""
    course.run("backup", course.root.parent / "autumn.tar.gz")
    shutil.rmtree(course.root)
    course.root = course.root.parent / "restored"
    course.root.mkdir()
    course.run("restore", course.root.parent / "autumn.tar.gz")
    course.compare("restored")
    for exercise in DUE:
        course.run("grade", exercise, "--force", "--jobs", 1)
        if course.waiting(exercise):
            course.wrong.append(f"restored, {exercise}: asked for a mark twice")
    course.compare("graded again")


def forget(course: Semester) -> None:
    student = course.students[9]
    course.run("forget", student, "--yes")
    del course.people[student]
    for exercise in DUE:
        course.term.arrived.pop((student, exercise), None)
    course.compare("forgotten")


STAGES = (
    first_exercise,
    second_exercise,
    third_exercise,
    move,
    marks,
    mend,
    rename,
    weigh,
    lose_and_restore,
    forget,
)


def lived(
    folder: Path, seed: int, counts: str, stages: Iterable[Stage], size: int = 30
) -> Semester:
    """A semester that has gone through these stages, on a machine in another zone."""
    with pytest.MonkeyPatch.context() as patch:
        courses.private(folder, folder, patch)
        patch.setenv("TZ", MACHINE)
        time.tzset()
        try:
            course = begin(folder, seed, counts, size)
            for stage in stages:
                stage(course)
            return course
        finally:
            patch.undo()
            time.tzset()


@pytest.fixture(scope="module", params=[(1, "last"), (2, "best")], ids=["last", "best"])
def finished(
    graded_here: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Semester]:
    seed, counts = request.param
    folder = tmp_path_factory.mktemp("semester")
    course = lived(folder, seed, counts, STAGES)
    with pytest.MonkeyPatch.context() as patch:
        courses.private(folder, folder, patch)
        yield course


def test_the_first_weeks_of_a_small_class(tmp_path):
    course = lived(tmp_path, 3, "best", [first_exercise], 8)
    assert course.wrong == [] and course.compared > 300


@pytest.mark.everything
def test_every_score_is_what_the_rules_give_wherever_it_is_said(finished):
    assert finished.wrong == [] and finished.compared > 20_000


@pytest.mark.everything
@pytest.mark.parametrize("exercise", DUE)
def test_every_page_says_the_same(finished, exercise):
    finished.run("feedback", exercise)
    scored = 0
    for student, score in finished.scores(exercise).items():
        if score is not None:
            path = finished.course.feedback / student / exercise / f"{exercise}.html"
            page = " ".join(re.sub("<[^>]*>", " ", path.read_text()).split())
            assert f"{score:g} of {finished.term.most[exercise]:g} points" in page, student
            scored += 1
    assert scored > 10


# The last one: a person gives points in it.
@pytest.mark.everything
def test_the_formgrader_shows_the_same_in_a_browser_and_what_is_entered_there_counts(
    finished, browser, tmp_path
):
    """Its scores are those before late penalties, which it shows nowhere."""
    term = finished.term
    appealed = {}
    for student in finished.sound("sums"):
        work = term.counted(student, "sums")
        assert work is not None
        mark = term.marks.get((student, "sums", "double-drawn", work.kinds[0]))
        if mark is not None and student.isalnum():
            appealed[student] = mark, work.words
    student, (mark, words) = appealed.popitem()

    log = tmp_path / "lab.log"
    with jupyter.server(["autograder", "lab"], finished.root, log) as address:
        page = browser.new_page()
        page.set_default_timeout(jupyter.PATIENCE * 1000)
        page.goto(address)  # with the token, which is kept from then on
        place = f"{address.partition('/lab?')[0]}/formgrader"
        for exercise in DUE:
            shown = {}
            for row in table(page, f"{place}/manage_submissions/{exercise}"):
                shown[row[1]] = row[0], row[3], float(row[4].partition(" / ")[0] or "nan")
            for one in finished.sound(exercise):
                first, _, last = finished.people[one]["name"].rpartition(" ")
                score = pytest.approx(term.before_penalty(one, exercise), abs=0.005)
                assert shown[one] == (f"{last}, {first}", "graded", score)

        page.goto(f"{place}/manage_students/{student}/sums")
        page.get_by_role("link", name="sums", exact=True).last.click()
        expect(page.locator("[id='double-drawn']")).to_have_value(f"{mark:g}")
        expect(page.locator("body")).to_contain_text(words)
        for field, value in (("why_extra_credit", "1.5"), ("why-comment", "Try three numbers.")):
            with page.expect_response(lambda answer: answer.request.method == "PUT") as saved:
                page.locator(f"[id='{field}']").fill(value)
                page.locator(f"[id='{field}']").press("Tab")
            assert saved.value.ok
        page.close()

    term.extra[student, "sums", words] = 1.5
    finished.compare("in the browser")
    assert finished.wrong == []
    finished.run("feedback", "sums")
    page_of = finished.course.feedback / student / "sums" / "sums.html"
    assert "Try three numbers." in page_of.read_text()


def table(page: Page, address: str) -> list[list[str]]:
    """The rows of a table that the formgrader fills by and by."""
    page.goto(address)
    page.locator("td.score", has_text="/").first.wait_for()
    rows = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    return list(page.locator("tbody tr").evaluate_all(rows))
