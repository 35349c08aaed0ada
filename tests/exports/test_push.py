"""Pushing scores: what changes in a platform, what is left alone, what is resumed, what is never said."""

import io
import json
import random
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace

import pytest

from autograder import cli
from autograder.base import files
from autograder.course.course import KEYS, Course
from autograder.course.gradebook import record
from autograder.course.results import result_path
from tests.support import courses, databases
from tests.support.courses import NAME, RIGHT
from tests.support.exported import SCORES
from tests.support.platforms_online import (
    CanvasDouble,
    Double,
    LtiDouble,
    MoodleDouble,
    Pupil,
    online,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:Object of type:sqlalchemy.exc.SAWarning"),
    pytest.mark.filterwarnings("ignore:Canvas may respond unexpectedly:UserWarning"),
]

DOUBLES: dict[str, type[Double]] = {
    "canvas": CanvasDouble,
    "moodle": MoodleDouble,
    "lti": LtiDouble,
}
CLOSED = {"canvas": "excused", "moodle": "locked", "lti": "Inactive"}

CHANGED = {student: score for student, score in SCORES.items() if score is not None}


def pupils(students: list[str]) -> list[Pupil]:
    """As a platform knows them: numbers of its own, and logins that are our ids."""
    made = []
    for number, student in enumerate(students):
        made.append(
            Pupil(str(5000 + number), f"Person {number}", student, f"{student}@school.example")
        )
    return made


def set_up(course: Course, name: str, double: Double) -> None:
    """The settings and the secret with which the course may push to the double."""
    (course.root / "autograder.toml").write_text(
        f'push.address = "{double.url}"\npush.course = "4711"\n'
        'lti.client = "tool-4711"\nlti.key = "key-1"\n'
        f'lti.tokens = "{double.url}/token"\nlti.lineitems = "{double.url}/lineitems?type_id=1"\n'
        f'lti.members = "{double.url}/members"\n'
        f"[assignments]\n{NAME} = {'815' if name != 'lti' else repr('Counting')}\n"
    )
    key = course.state / KEYS[name]
    key.write_text(f"{secret_of(double)}\n")
    key.chmod(0o600)


def secret_of(double: Double) -> str:
    return str(getattr(double, "token", "") or double.private)  # type: ignore[attr-defined]


def run(*arguments: str, code: int = 0) -> tuple[list[str], list[str]]:
    """Export, and the lines on standard output and on standard error."""
    out, said = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as stopped, redirect_stdout(out), redirect_stderr(said):
        cli.main(["export", NAME, *arguments])
    assert (stopped.value.code or 0) == code, said.getvalue()
    return out.getvalue().splitlines(), said.getvalue().splitlines()


@pytest.fixture(params=DOUBLES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> Callable[[Double], None]:
    """Let time pass on the double's clock alone."""

    def let(double: Double) -> None:
        monkeypatch.setattr(time, "sleep", double.sleep)

    return let


def class_of_300(course: Course) -> None:
    """Three hundred students with all kinds of scores; every tenth has a person's marks, too."""
    course.state.mkdir()
    chance = random.Random(300)
    lines = ["id,name,email"]
    known, one = courses.load(course), courses.graded(course, "s000", RIGHT)
    everybody = []
    for number in range(300):
        student = f"s{number:03}"
        lines.append(f"{student},Person {number},{student}@school.example")
        earned = [
            chance.choice([0.0, 1.0]),
            round(chance.uniform(0, 3), 4),
            chance.choice([0.0, 2.0]),
            3.0,
        ]
        steps = []
        for step in one.result.steps:
            checks = []
            for check in step.checks:
                points = min(earned.pop(0), check.points)
                status = "passed" if points == check.points else "carried" if points else "failed"
                checks.append(replace(check, earned=points, status=status))
            steps.append(replace(step, checks=tuple(checks)))
        everybody.append(
            replace(one, result=replace(one.result, student=student, steps=tuple(steps)))
        )
    (course.state / "students.csv").write_text("\n".join(lines) + "\n")
    record.prepare(course, known)
    record.record(course, known, everybody)
    for graded in everybody:
        path = result_path(course, NAME, str(graded.result.student))
        files.write(path, graded.result.to_json().encode())
    for number in range(0, 300, 10):
        databases.of(course).by_hand(
            "why", f"s{number:03}", manual_score=number % 40 / 10, needs_manual_grade=False
        )


def computed(course: Course) -> dict[str, float]:
    """What everybody of the 300 has, added up from the stored files and the marks given above."""
    scores = {}
    for number in range(300):
        result = json.loads((course.state / "results" / NAME / f"s{number:03}.json").read_bytes())
        points = sum(check["earned"] for step in result["steps"] for check in step["checks"])
        by_hand = number % 40 / 10 if number % 10 == 0 else 0.0
        scores[f"s{number:03}"] = points + by_hand
    return scores


def test_a_class_of_300_has_its_scores_after_a_push_and_another_one_has_nothing_to_do(
    course, begin, name, patient
):
    begin(course, class_of_300)
    wanted = computed(course)
    assert len({round(score, 2) for score in wanted.values()}) > 100
    with online(DOUBLES[name](pupils(sorted(wanted)))) as double:
        set_up(course, name, double)
        patient(double)
        double.rest = 60
        out, _ = run("--push", name)
        assert out[-1].startswith("300 scores would change in ")
        assert all(one.score is None for one in double.pupils.values())

        out, _ = run("--push", name, "--yes")
        assert out[-1].startswith("wrote 300 scores to ")
        assert {one.login: one.score for one in double.pupils.values()} == pytest.approx(
            wanted, abs=1e-4
        )
        assert all(len(one.comments) == 1 for one in double.pupils.values())
        assert double.clock >= 7 * (len(double.requests) // 61)

        before = len(double.requests)
        out, _ = run("--push", name, "--yes")
        assert out[-1].startswith("nothing to do in ")
        assert all(len(one.comments) == 1 for one in double.pupils.values())
        assert len(double.requests) - before < 30
        assert double.complaints == []


@pytest.mark.everything
def test_a_platform_that_fails_at_random_ends_with_the_same_scores(course, begin, name, patient):
    begin(course, class_of_300)
    wanted = computed(course)
    everybody = pupils(sorted(wanted))
    with online(DOUBLES[name](everybody)) as double:
        set_up(course, name, double)
        patient(double)
        double.faults, double.rest = 0.04, 100
        codes = []
        for _ in range(30):
            codes.append(push_again(name))
            if codes[-1] == 0 and all(one.score is not None for one in everybody):
                break
        assert {0, 3} <= set(codes) <= {0, 2, 3}
        double.faults = 0.0
        out, _ = run("--push", name, "--yes")
        assert out[-1].startswith("nothing to do in ")
        assert {one.login: one.score for one in everybody} == pytest.approx(wanted, abs=1e-4)
        assert double.complaints == []


def push_again(name: str) -> int:
    """Push once more; the exit code."""
    with pytest.raises(SystemExit) as stopped:
        cli.main(["export", NAME, "--push", name, "--yes"])
    return int(stopped.value.code or 0)
