"""A whole semester through the command line: forty students, three exercises, and what happens
between the first roster and the last appeal.

At its end every score is the one that tests/support/semester.py works out from the rules.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from autograder.authoring import build
from autograder.course import Course
from autograder.gradebook import config as host
from tests.support import courses, jupyter, processes, semester
from tests.support.databases import Database
from tests.support.semester import DUE, FOR_EVER, Term, Work, at

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# nbgrader's own code, not ours.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Object of type:sqlalchemy.exc.SAWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.usefixtures("graded_here"),
]

LAST_YEAR = Path(semester.__file__).parent / "last_year"
STUDENTS = [f"s{number:02}" for number in range(1, 41)]
JOIN_LATER = ("s38", "s39", "s40")
WITHDRAWN = "s13"
PINNED = {
    # Has more time, known beforehand; learns of it afterwards.
    ("s05", "sums"): [Work(at("sums", 1460), ("right", "right"), "By a proof.")],
    ("s07", "sums"): [Work(at("sums", 2950), ("right", "right"))],
    # The same file again, after the deadline.
    ("s08", "sums"): [
        Work(at("sums", -61), ("right", "right"), "By a proof."),
        Work(at("sums", 700), ("right", "right"), "By a proof."),
    ],
    # Appeals.
    ("s09", "sums"): [Work(at("sums", -61), ("rounded", "right"), "It must be so.")],
    # Hands in other words after they have been marked; then the same ones.
    ("s10", "sums"): [
        Work(at("sums", -600), ("tripled", "right"), "By a proof."),
        Work(at("sums", 2950), ("right", "right"), "It must be so.", 1),
    ],
    ("s11", "sums"): [Work(at("sums", -1), ("right", "absolute"), "By a proof.")],
    ("s14", "sums"): [Work(at("sums", -1), ("right", "right"), is_broken=True)],
    # Hands in again when the checks have been changed.
    ("s16", "sums"): [Work(at("sums", -61), ("right", "absolute"))],
    ("s37", "sums"): [Work(at("sums", -61), ("right", "absolute"))],
    ("s38", "sums"): [Work(at("sums", 2950), ("right", "in a loop"), "By a proof.")],
    ("s39", "sums"): [],
    ("s40", "sums"): [],
    ("s12", "spreads"): [
        Work(at("spreads", -600), ("blank", "by centre"), "It must be so."),
        Work(at("spreads", 9), ("from the first", "by centre"), "It must be so.", 1),
    ],
    ("s19", "spreads"): [Work(at("spreads", 700), ("right", "right"), "By a proof.")],
    ("s39", "spreads"): [Work(at("spreads", -61), ("right", "right"), "By a proof.")],
    # The best one counts: not the broken one, not the late one, and the late one with more time.
    ("s15", "lengths"): [
        Work(at("lengths", -61), ("right", "right"), "By a proof."),
        Work(at("lengths", -1), ("right", "right"), draft=1, is_broken=True),
    ],
    ("s17", "lengths"): [
        Work(at("lengths", -61), ("absolute", "right"), "It must be so."),
        Work(at("lengths", 2950), ("right", "right"), "By a proof.", 1),
    ],
    ("s18", "lengths"): [
        Work(at("lengths", -61), ("absolute", "right"), "It must be so."),
        Work(at("lengths", 2950), ("right", "right"), "By a proof.", 1),
    ],
}
CLOCK_JUMPED = "s11"


@dataclass
class Semester:
    """A course in the hands of its teacher, beside what ought to follow from what happens."""

    root: Path
    term: Term
    people: dict[str, dict[str, str]] = field(default_factory=dict)
    extensions: list[str] = field(default_factory=list)
    released: dict[str, bytes] = field(default_factory=dict)

    @property
    def course(self) -> Course:
        return Course(self.root, self.root / "course")

    def run(self, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = processes.call(*arguments, cwd=self.root)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def write_people(self) -> None:
        """Write the class list, as it is now."""
        columns = ("id", "name", "group", "Moodle ID")
        lines = [";".join(columns)]
        for student, person in self.people.items():
            lines.append(";".join([student, *(person[column] for column in columns[1:])]))
        text = "\r\n".join(lines) + "\r\n"
        (self.course.state / "students.csv").write_text(text, encoding="utf-8", newline="")

    def join(self, students: Iterable[str]) -> None:
        for student in students:
            number = int(student[1:])
            self.people[student] = {
                "name": semester.name_of(number),
                "group": semester.GROUPS[number % 3],
                "Moodle ID": str(1000 + number),
            }
        self.write_people()

    def extend(self, who: str, exercise: str, until: datetime = FOR_EVER) -> None:
        """Give more time to a student or a group, in the file and in what ought to follow."""
        said = "waived" if until == FOR_EVER else f"{until:%Y-%m-%d %H:%M} Europe/Berlin"
        self.extensions.append(f"{who},{exercise},{said}")
        text = "\n".join(["who,exercise,until", *self.extensions])
        (self.course.state / "extensions.csv").write_text(f"{text}\n")
        for student, person in self.people.items():
            if who in (student, person["group"]):
                self.term.until[student, exercise] = until

    def release(self, exercise: str) -> None:
        self.run("release", exercise, "--due", f"{DUE[exercise]:%Y-%m-%d %H:%M} Europe/Berlin")
        built = self.root / "assignments" / exercise / f"{exercise}.ipynb"
        self.released[exercise] = built.read_bytes()

    def works(self, exercise: str) -> Iterator[tuple[str, Work]]:
        for (student, name), works in self.term.works.items():
            if name == exercise:
                for work in works:
                    yield student, work

    def to_exchange(self, exercise: str, student: str, work: Work, time: str = "") -> None:
        """Hand in as ``nbgrader submit`` does."""
        (inbound,) = (self.course.state / "exchange").glob("*/inbound")
        moment = time or f"{work.time.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S.0 UTC}"
        folder = inbound / f"{student}+{exercise}+{moment}+{work.draft}"
        folder.mkdir()
        (folder / f"{exercise}.ipynb").write_bytes(work.file(exercise, self.released[exercise]))

    def to_moodle(self, exercise: str, name: str, before: datetime) -> None:
        """Put a download of everybody's last submission into the inbox."""
        self.course.inbox.mkdir(exist_ok=True)
        with zipfile.ZipFile(self.course.inbox / name, "w") as archive:
            for student in STUDENTS:
                works = self.term.works[student, exercise]
                works = [work for work in works if work.time < before]
                if works:
                    number = int(student[1:])
                    called = self.people.get(student, {}).get("name", semester.name_of(number))
                    place = f"{called}_{1000 + number}_assignsubmission_file_/{exercise}.ipynb"
                    info = zipfile.ZipInfo(place, works[-1].time.timetuple()[:6])
                    archive.writestr(info, works[-1].file(exercise, self.released[exercise]))

    def to_inbox(self, exercise: str, student: str, work: Work) -> None:
        """Put a file there, as a browser names and dates it."""
        copy = f" ({work.draft})" if work.draft else ""
        path = self.course.inbox / student / f"{exercise}{copy}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(work.file(exercise, self.released[exercise]))
        os.utime(path, (work.time.timestamp(),) * 2)

    def grade(self, exercise: str, *options: object) -> subprocess.CompletedProcess[str]:
        return self.run("grade", exercise, "--jobs", 1, *options)

    def database(self) -> Database:
        return Database(f"sqlite:///{self.course.gradebook}", str)

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
        self.database().execute(
            f"UPDATE grade SET {values}, needs_manual_grade = 0 {where}",
            exercise=exercise, cell=cell, student=student, **entered,
        )  # fmt: skip

    def mark(self, exercise: str) -> list[str]:
        """Mark every answer that waits, by what stands in the notebook that is shown for it."""
        marked = []
        for student, cell in self.waiting(exercise):
            path = self.course.autograded / student / exercise / f"{exercise}.ipynb"
            cells = {one["id"]: one for one in json.loads(path.read_bytes())["cells"]}
            given = self.term.marks.get((student, exercise), {})
            points = given.get(cell, worth("".join(cells[cell]["source"])))
            self.by_hand(exercise, cell, student, manual_score=points)
            marked.append(student)
        return marked

    def exported(self, exercise: str) -> dict[str, dict[str, Any]]:
        done = self.run("export", exercise, "--to", "json", "--output", "-")
        return {one["student"]: one for one in json.loads(done.stdout)["students"]}

    def scores(self, exercise: str) -> dict[str, float | None]:
        return {student: one["score"] for student, one in self.exported(exercise).items()}

    def expected(self, exercise: str) -> dict[str, float | None]:
        return {student: self.term.final(student, exercise) for student in sorted(self.people)}

    def agrees(self, exercise: str) -> None:
        assert self.scores(exercise) == self.expected(exercise)


def worth(answer: str) -> float:
    """What the teacher gives for an answer in words."""
    return sum(points for words, points in semester.WORDS.items() if words and words in answer)


def begin(folder: Path) -> Semester:
    """A new course, made from last year's, with its first class list."""
    old = folder / "last-year"
    shutil.copytree(LAST_YEAR, old)
    for exercise in DUE:
        full, release = build.notebooks(old / "solutions" / f"{exercise}.py")
        for place, data in (("solutions", full), ("assignments", release)):
            path = old / place / exercise / f"{exercise}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_bytes(data)
    done = processes.call("new-course", "autumn", "--from", "last-year", cwd=folder)
    assert done.returncode == 0, done.stderr

    term = Term(semester.drawn_works(2025, STUDENTS) | PINNED)
    begun = Semester(folder / "autumn", term)
    # The same inputs each time: a wrong answer may be right by chance.
    (begun.course.state / "secret").write_text("semester")
    begun.join(student for student in STUDENTS if student not in JOIN_LATER)
    return begun


def sums(course: Semester) -> None:
    """Through the exchange. A check is changed after grading; a student appeals."""
    course.release("sums")
    course.extend("s05", "sums", at("sums", 4320))
    first_look = at("sums", 1440)
    for student, work in course.works("sums"):
        if work.time < first_look and student in course.people:
            jumped = "2031-01-01 12:00:00.0 UTC" if student == CLOCK_JUMPED else ""
            course.to_exchange("sums", student, work, jumped)
    said = course.run("collect", "sums").stdout
    jumped = [line for line in said.splitlines() if "its time lies in the future" in line]
    assert len(jumped) == 1 and CLOCK_JUMPED in jumped[0]
    course.extend(CLOCK_JUMPED, "sums")

    course.grade("sums")
    assert course.scores("sums")["s10"] == 5, "nobody has marked anything"
    assert "s10" in course.mark("sums") and not course.waiting("sums")
    assert course.scores("sums")["s10"] == 5 + 2
    course.run("feedback", "sums")

    # Late work, and somebody who was not there in the first week.
    for student, work in course.works("sums"):
        if work.time >= first_look and (student in course.people or student == "s38"):
            course.to_exchange("sums", student, work)
    course.run("collect", "sums")
    course.join(["s38"])
    said = course.grade("sums").stderr
    assert "note: s10 has handed in other work since it was marked" in said
    course.mark("sums")
    course.extend("s07", "sums")
    course.extend("s38", "sums")
    course.agrees("sums")
    assert course.term.penalty("s10", "sums") > 0 == course.term.penalty("s08", "sums")

    mend(course)
    appeal(course)


def mend(course: Semester) -> None:
    """One check was too strict, another one too lenient; nobody loses points by that."""
    authored = course.root / "solutions" / "sums.py"
    text = authored.read_text()
    for old, new in (
        ("agree(total([0.1] * 10), 1.0,", "agree(round(total([0.1] * 10), 9), 1.0,"),
        ("agree(total([1.0, 2.0]), 3.0,", "agree(total([-1.0, 2.0]), 1.0,"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    authored.write_text(text)
    course.run("build", "sums")

    before = course.expected("sums")
    course.term.mended_at = at("sums", 9000)
    after = course.expected("sums")
    changed = {student for student in before if before[student] != after[student]}
    said = course.grade("sums", "--compare", "--never-lower").stdout
    listed = set(re.findall(r"^(s\d\d): ", said, re.M))
    assert listed == changed and len(changed) > 3
    assert f"{len(changed)} scores would change" in said
    refused = course.run("export", "sums", code=2).stderr
    assert "the exercise changed after" in refused and len(refused.splitlines()) == 1

    course.grade("sums", "--never-lower")
    course.mark("sums")
    course.agrees("sums")
    said = course.run("feedback", "sums").stdout
    assert "pages say other points than before" in said and "s38" not in said

    # Who hands in another file after that has the points of the new checks.
    kept = course.scores("sums")["s16"]
    again = Work(at("sums", 10_000), ("right", "absolute"), draft=1)
    course.term.works["s16", "sums"].append(again)
    course.to_exchange("sums", "s16", again)
    course.run("collect", "sums")
    course.extend("s16", "sums")
    course.grade("sums")
    course.mark("sums")
    course.agrees("sums")
    assert course.scores("sums")["s16"] == kept - 2 == course.scores("sums")["s37"] - 2


def appeal(course: Semester) -> None:
    said = course.run("explain", "sums", "s09", "double-drawn").stdout
    assert "double-drawn of s09: failed, 0 of 3 points" in said
    assert "s09 answers: " in said and "the solution answers: " in said
    assert "return np.round(2 * np.asarray(x))" in said
    course.by_hand("sums", "double-drawn", "s09", manual_score=1.5)
    course.term.marks["s09", "sums"] = {"double-drawn": 1.5}
    course.by_hand("sums", "why", "s05", extra_credit=0.5)
    course.term.extra["s05", "sums"] = 0.5
    course.agrees("sums")


def spreads(course: Semester) -> None:
    """Through downloads of Moodle's. A student marries; one is unknown; a zip is broken."""
    course.release("spreads")
    course.extend("west", "spreads", at("spreads", 4320))
    course.to_moodle("spreads", "Autumn-Spreads-4711.zip", at("spreads", 1))
    broken = course.course.inbox / "Autumn-Spreads-4712.zip"
    broken.write_bytes((course.course.inbox / "Autumn-Spreads-4711.zip").read_bytes()[:-100])
    said = course.run("collect", "spreads").stdout
    left = [line for line in said.splitlines() if line.startswith("left: ")]
    assert len(left) == 3 and broken.exists()
    assert len([line for line in left if "cannot be opened as a zip archive" in line]) == 1
    unknown = [line for line in left if "students.csv" in line]
    assert len(unknown) == 2
    course.grade("spreads")
    course.mark("spreads")

    broken.unlink()
    course.people["s12"]["name"] = "Eve Marlow"
    course.join(["s39", "s40"])
    course.to_moodle("spreads", "Autumn-Spreads-4713.zip", at("spreads", 9000))
    said = course.run("collect", "spreads").stdout
    assert "left: " not in said and "in the zone Europe/Berlin" in said
    course.grade("spreads")
    course.mark("spreads")
    course.agrees("spreads")
    assert course.scores("spreads")["s19"] == 0
    course.extend("south", "spreads", at("spreads", 4320))
    course.agrees("spreads")
    assert course.scores("spreads")["s19"] == 12


def lose_and_restore(course: Semester) -> None:
    """The disk is gone; the course goes on in another place."""
    before = {exercise: course.scores(exercise) for exercise in ("sums", "spreads")}
    course.run("backup", course.root.parent / "autumn.tar.gz")
    shutil.rmtree(course.root)
    course.root = course.root.parent / "restored"
    course.root.mkdir()
    course.run("restore", course.root.parent / "autumn.tar.gz")
    for exercise, scores in before.items():
        assert course.scores(exercise) == scores
        course.grade(exercise, "--force")
        assert not course.waiting(exercise), "nobody is asked for a mark twice"
        assert course.scores(exercise) == scores == course.expected(exercise)


def lengths(course: Semester) -> None:
    """From browsers' folders and the exchange at once, and the best submission counts."""
    (course.root / "autograder.toml").write_text(
        'counts = "best"\n' + (course.root / "autograder.toml").read_text()
    )
    course.release("lengths")
    for first, last in ((-9000, 17), (17, 9000)):
        for student, work in course.works("lengths"):
            if at("lengths", first) <= work.time < at("lengths", last):
                is_even = int(student[1:]) % 2 == 0
                hand_in = course.to_exchange if is_even and work.draft == 1 else course.to_inbox
                hand_in("lengths", student, work)
        course.run("collect", "lengths")
        course.grade("lengths")
        course.mark("lengths")
    course.agrees("lengths")
    course.extend("s18", "lengths")
    assert "of s18 another submission is better" in course.grade("lengths").stderr
    assert course.mark("lengths") == ["s18"]
    course.agrees("lengths")
    assert [course.scores("lengths")[student] for student in ("s15", "s17", "s18")] == [12, 7.5, 12]

    # The question gets a better name; a check cannot be saved.
    authored = course.root / "solutions" / "lengths.py"
    text = authored.read_text().replace('manual="why"', 'manual="zeros" was="why"')
    text = text.replace('check="length-drawn"', 'check="length-drawn" void=true')
    authored.write_text(text)
    course.run("build", "lengths")
    course.term.void = ("length-drawn",)
    course.grade("lengths")
    course.mark("lengths")
    course.agrees("lengths")


def forget(course: Semester) -> None:
    said = course.run("forget", WITHDRAWN).stdout
    assert "removed: course/students.csv: 1 line" in said or "removed: course/students.csv" in said
    del course.people[WITHDRAWN]


@pytest.fixture(scope="module")
def finished(graded_here: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Semester]:
    folder = tmp_path_factory.mktemp("semester")
    with pytest.MonkeyPatch.context() as patch:
        courses.private(folder, folder, patch)
        course = begin(folder)
        sums(course)
        spreads(course)
        lose_and_restore(course)
        lengths(course)
        forget(course)
        yield course


@pytest.mark.everything
@pytest.mark.parametrize("exercise", DUE)
def test_every_final_score_is_what_the_rules_give(finished: Semester, exercise: str) -> None:
    assert len(finished.people) == 39
    finished.agrees(exercise)
    assert not finished.waiting(exercise)

    term, found = finished.term, finished.exported(exercise)
    for student, one in found.items():
        if one["score"] is None:
            assert one["status"] == ("rejected" if term.works[student, exercise] else "missing")
        else:
            assert one["marks"]["automatic"] == term.automatic(student, exercise)
            assert one["marks"]["late_penalty"] == pytest.approx(term.penalty(student, exercise))
            assert one["name"] == finished.people[student]["name"]


@pytest.mark.everything
@pytest.mark.parametrize("exercise", DUE)
def test_table_report_and_pages_say_the_same(finished: Semester, exercise: str) -> None:
    expected = finished.expected(exercise)
    text = finished.run("export", exercise, "--output", "-").stdout
    sums: dict[str, float] = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["score"]:
            sums[row["student"]] = sums.get(row["student"], 0) + float(row["score"])
    assert sums == pytest.approx(
        {one: score for one, score in expected.items() if score is not None}
    )

    made = json.loads(finished.run("report", exercise, "--json", "-").stdout)
    assert {row["student"]: row["score"] for row in made["students"]} == expected
    finished.run("feedback", exercise)
    for student, score in expected.items():
        path = finished.course.feedback / student / exercise / f"{exercise}.html"
        page = " ".join(re.sub("<[^>]*>", " ", path.read_text()).split())
        if score is not None:
            assert f"{score:g} of {semester.MOST[exercise]} points" in page, student


@pytest.mark.everything
@pytest.mark.parametrize("options", [(), ("--missing-as-zero",)])
def test_every_total_is_what_the_rules_give(finished: Semester, options: tuple[str, ...]) -> None:
    done = finished.run("export", "--to", "json", "--output", "-", *options)
    rows = {row["student"]: row for row in json.loads(done.stdout)["students"]}
    expected = {student: finished.term.total(student, bool(options)) for student in rows}
    assert {student: row["total"] for student, row in rows.items()} == {
        student: None if total is None else pytest.approx(total)
        for student, total in expected.items()
    }
    assert expected.keys() == finished.people.keys()
    assert 0 < list(expected.values()).count(None) < (39 if not options else 5)


@pytest.mark.everything
def test_nbgraders_own_export_says_the_same(finished: Semester, tmp_path: Path) -> None:
    """It reads nbgrader's tables: scores, late penalties and names."""
    from nbgrader.plugins import CsvExportPlugin

    for exercise in DUE:
        finished.run("report", exercise)
    plugin = CsvExportPlugin(to=str(tmp_path / "grades.csv"))
    with host.api(finished.course).gradebook as book:
        plugin.export(book)
    for row in csv.DictReader((tmp_path / "grades.csv").read_text().splitlines()):
        exercise, student = row["assignment"], row["student_id"]
        raw, final = (float(row[column]) for column in ("raw_score", "score"))
        assert raw == pytest.approx(finished.term.before_penalty(student, exercise) or 0)
        assert final == pytest.approx(finished.term.final(student, exercise) or 0)
        assert f"{row['first_name']} {row['last_name']}" == finished.people[student]["name"]


# The last one: a person gives points in it.
@pytest.mark.everything
def test_the_formgrader_shows_the_same_in_a_browser_and_what_is_entered_there_counts(
    finished: Semester, browser: Browser, tmp_path: Path
) -> None:
    """Its scores are those before late penalties, which it shows nowhere."""
    term = finished.term
    for exercise in DUE:
        finished.run("report", exercise)
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
            for student, person in finished.people.items():
                score = term.before_penalty(student, exercise)
                if score is not None:
                    first, _, last = person["name"].rpartition(" ")
                    assert shown.pop(student) == (
                        f"{last}, {first}",
                        "graded",
                        pytest.approx(score, abs=0.005),
                    )
            assert {student: one[1] for student, one in shown.items()} == {
                student: "needs autograding"
                for student in sorted(finished.people)
                if exercise == "sums" and student == "s14"
            }

        page.goto(f"{place}/manage_students/s09/sums")
        page.get_by_role("link", name="sums", exact=True).last.click()
        passed, appealed, why = (
            page.locator(f"[id='{id}']") for id in ("double-by_hand", "double-drawn", "why")
        )
        expect(passed).to_have_attribute("placeholder", "2")
        expect(appealed).to_have_value("1.5")
        expect(why).to_have_value("0.5")
        expect(page.locator("body")).to_contain_text("It must be so.")
        expect(page.locator("body")).to_contain_text("Failed: 0 of 3 points.")
        for field, value in (("why_extra_credit", "1"), ("why-comment", "Try three numbers.")):
            with page.expect_response(lambda answer: answer.request.method == "PUT") as saved:
                page.locator(f"[id='{field}']").fill(value)
                page.locator(f"[id='{field}']").press("Tab")
            assert saved.value.ok
        page.close()

    term.extra["s09", "sums"] = 1
    finished.agrees("sums")
    finished.run("feedback", "sums")
    page_of = finished.course.feedback / "s09" / "sums" / "sums.html"
    assert "Try three numbers." in page_of.read_text()


def table(page: Page, address: str) -> list[list[str]]:
    """The rows of a table that the formgrader fills by and by."""
    page.goto(address)
    page.locator("td.score", has_text="/").first.wait_for()
    rows = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    return list(page.locator("tbody tr").evaluate_all(rows))
