"""Pushing scores: what changes in a platform, what is left alone, what is resumed, what is never said."""

import io
import json
import random
import tarfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace

import pytest

from autograder import cli
from autograder.base import files
from autograder.course.course import KEYS, Course
from autograder.course.gradebook import record
from autograder.course.keeping import backup
from autograder.course.results import result_path
from autograder.show.exports.push import push
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

DOUBLES: dict[str, type[Double]] = {
    "canvas": CanvasDouble,
    "moodle": MoodleDouble,
    "lti": LtiDouble,
}
CLOSED = {"canvas": "excused", "moodle": "locked", "lti": "Inactive"}
WHY_CLOSED = {
    "canvas": "excused in Canvas",
    "moodle": "locked in Moodle's gradebook",
    "lti": "inactive in the platform",
}

CHANGED = {student: score for student, score in SCORES.items() if score is not None}


def pupils(students: list[str]) -> list[Pupil]:
    """As a platform knows them: numbers of its own, and logins that are our ids."""
    made = []
    for number, student in enumerate(students):
        made.append(
            Pupil(
                str(5000 + number),
                f"Person {number}",
                student,
                f"{student.lstrip('+')}@school.example",
            )
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


@courses.begun
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
    courses.class_list(course, "\n".join(lines) + "\n")
    record.prepare(course, known)
    courses.record(course, known, everybody)
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
    class_of_300, name, patient
):
    wanted = computed(class_of_300)
    assert len({round(score, 2) for score in wanted.values()}) > 100
    with online(DOUBLES[name](pupils(sorted(wanted)))) as double:
        set_up(class_of_300, name, double)
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
        assert double.clock >= 20

        before = len(double.requests)
        out, _ = run("--push", name, "--yes")
        assert out[-1].startswith("nothing to do in ")
        assert all(len(one.comments) == 1 for one in double.pupils.values())
        assert len(double.requests) - before < 30
        assert double.complaints == []


def test_who_is_closed_unknown_or_the_same_is_left_alone_and_listed(graded, name):
    everybody = pupils([*CHANGED, "zoe"])
    by_login = {one.login: one for one in everybody}
    by_login["ada"].closed, by_login["ada"].score = CLOSED[name], 1.0
    by_login["bob"].score = 2.5
    everybody.remove(by_login.pop("cyd"))
    with online(DOUBLES[name](everybody)) as double:
        set_up(graded, name, double)
        out, said = run("--push", name, "--yes")
    target = out[-1].split(" to ")[1].partition(",")[0]
    assert out[-1] == f"wrote 2 scores to {target}, 1 is already the same"
    assert [line.split()[-2:] for line in out[1:3]] == [["–", "10"], ["–", "10"]]
    assert [line for line in said if line.startswith(("left as it is: ada: ", "not in "))] == [
        f"left as it is: ada: {WHY_CLOSED[name]}",
        f"not in {target}: cyd",
    ]
    assert "left as it is: Person 5: is nobody in students.csv" in said
    assert {login: one.score for login, one in by_login.items()} == {
        "ada": 1.0, "bob": 2.5, "dan": 10.0, "+hal": 10.0, "zoe": None
    }  # fmt: skip
    assert double.complaints == []


def test_one_students_failure_is_one_line_and_the_next_push_does_the_rest(graded):
    with online(LtiDouble(pupils([*CHANGED]))) as double:
        set_up(graded, "lti", double)
        double.refused = {one.id for one in double.pupils.values() if one.login in ("bob", "dan")}
        out, said = run("--push", "lti", "--yes", code=3)
        assert out[-1].startswith("wrote 3 scores to LTI")
        # The platform quotes the token with which it was asked.
        quoted = '403 Forbidden: {"error": "may not; you sent Bearer …"}'
        assert said[-3:-1] == [f"{one}: not written: LTI: {quoted}" for one in ("bob", "dan")]
        double.refused = set()
        out, _ = run("--push", "lti", "--yes")
        assert out[-1].startswith("wrote 2 scores to LTI, 3 are already the same")
    log = [json.loads(line) for line in (graded.state / "log.jsonl").read_text().splitlines()]
    assert [one["student"] for one in log[-1]["pushed"]] == ["bob", "dan"]


def test_a_platform_that_refuses_everybody_is_not_asked_for_each(graded, monkeypatch):
    monkeypatch.setattr(push, "MOST_FAILURES", 2)
    with online(CanvasDouble(pupils([*CHANGED]))) as double:
        set_up(graded, "canvas", double)
        double.may_grade = False
        out, said = run("--push", "canvas", "--yes", code=3)
        assert out[-1].startswith("wrote 0 scores to Canvas")
        tried = [line for line in said if ": not written: Canvas: Forbidden: " in line]
        assert [line.partition(":")[0] for line in tried] == ["+hal", "ada"]
        assert said[-2] == "not tried after 2 failures in a row: bob, cyd and dan; run it again"
        assert sum("/comments/" in one for one in double.requests) == 2


def test_a_grade_that_is_dropped_in_silence_is_found_out(graded):
    with online(MoodleDouble(pupils([*CHANGED]))) as double:
        set_up(graded, "moodle", double)
        double.functions["gradereport_user_get_grade_items"] = lambda given: {"usergrades": []}
        next(iter(double.pupils.values())).closed = "locked"  # ada, and the report does not say it
        double.assignment["grade"] = 14
        double.pupils["5001"].closed = "locked"
        _, said = run("--push", "moodle", "--yes", code=3)
    assert said[-2] == "bob: Moodle took it, but its score is none"
    assert "left as it is: ada: 14.5 is above the maximum; enter it by hand" in said


def test_a_persons_comment_in_moodle_stays_in_front_of_ours(graded):
    with online(MoodleDouble(pupils([*CHANGED]))) as double:
        set_up(graded, "moodle", double)
        bob = double.pupils["5001"]
        bob.comments = ["<p>Nice idea!</p>"]
        run("--push", "moodle", "--yes")
        ours = "autograder: 2.5 of 14 points, 4 from the checks, −1.5 for being 3 hours late"
        assert bob.comments == [f"<p>Nice idea!</p><p>{ours}</p>"]
        bob.score = 1.0
        run("--push", "moodle", "--yes")
        assert (bob.score, bob.comments) == (2.5, [f"<p>Nice idea!</p><p>{ours}</p>"])


def test_canvas_gets_the_page_as_it_is_now_and_its_own_late_rule_changes_nothing(graded):
    with online(CanvasDouble(pupils([*CHANGED]))) as double:
        set_up(graded, "canvas", double)
        double.deducted = 1.0
        run("--push", "canvas", "--yes")
        for one in double.pupils.values():
            page = graded.feedback / one.login / NAME / f"{NAME}.html"
            assert one.pages == [page.read_bytes()]
            assert one.score == CHANGED[one.login]
        out, _ = run("--push", "canvas", "--yes")
        assert out[-1] == "nothing to do in Canvas: 5 are already the same"


def test_a_token_of_lti_that_ends_is_asked_for_again(graded):
    with online(LtiDouble(pupils([*CHANGED]))) as double:
        set_up(graded, "lti", double)
        double.lifetime = 60  # no more than we keep in hand
        run("--push", "lti", "--yes")
        assert len(double.tokens) > 10
        assert {one.login: one.score for one in double.pupils.values()} == pytest.approx(CHANGED)


def _no_token(course: Course, double: Double) -> None:
    (course.state / "canvas.token").unlink()


def _open_token(course: Course, double: Double) -> None:
    (course.state / "canvas.token").chmod(0o640)


def _linked_token(course: Course, double: Double) -> None:
    (course.state / "canvas.token").rename(course.root / "elsewhere")
    (course.state / "canvas.token").symlink_to(course.root / "elsewhere")


def _two_lines(course: Course, double: Double) -> None:
    (course.state / "canvas.token").write_text("canvas~Secret\nOfTheTeacher")


def _wrong_token(course: Course, double: Double) -> None:
    double.token = "another"  # type: ignore[attr-defined]


def _gone(course: Course, double: Double) -> None:
    settings = course.root / "autograder.toml"
    settings.write_text(settings.read_text().replace(double.url, "http://127.0.0.1:1"))


def _other_points(course: Course, double: Double) -> None:
    double.assignment["points_possible"] = 10  # type: ignore[attr-defined]


def _by_group(course: Course, double: Double) -> None:
    double.assignment["group_category_id"] = 3  # type: ignore[attr-defined]


def _leads_away(course: Course, double: Double) -> None:
    link = '<http://canvas.example.org/api/v1/x>; rel="next"'
    honest = double.page_of
    double.page_of = lambda *given: (honest(*given)[0], {"Link": link})  # type: ignore[method-assign]


def _no_number(course: Course, double: Double) -> None:
    settings = course.root / "autograder.toml"
    settings.write_text(settings.read_text().replace("815", "816"))


def _no_name(course: Course, double: Double) -> None:
    settings = course.root / "autograder.toml"
    settings.write_text(settings.read_text().partition("[assignments]")[0])


FAILURES = {
    _no_token: "canvas.token: is not there; write it there and chmod 600, or set AUTOGRADER_CANVAS_TOKEN",
    _open_token: "canvas.token: others can read it; make it yours alone: chmod 600 ",
    _linked_token: "canvas.token: is a link; links are not followed; make it a file, or set AUTOGRADER_CANVAS_TOKEN",
    _two_lines: "canvas.token: holds no token; write nothing but the token into it, in one line",
    _wrong_token: "Canvas: does not accept the access token; make a new one (Account, Settings, Approved",
    _gone: "Canvas: cannot be reached (ConnectionError); check the address and the network, and run it again",
    _other_points: "Canvas: the assignment has 10 points, the exercise 14; set the same points there",
    _by_group: "Canvas: would give one student's score to the whole group; choose there to grade each",
    _leads_away: "Canvas: answers otherwise than its interface says",
    _no_number: "Canvas: 404 Not Found; correct push.course and assignments in autograder.toml",
    _no_name: "autograder.toml: says nothing of counting in canvas; name it there: assignments.counting = 815;",
}


@pytest.mark.parametrize("break_it", FAILURES, ids=lambda one: one.__name__.strip("_"))
def test_each_failure_is_one_line_without_the_token(graded, monkeypatch, break_it):
    with online(CanvasDouble(pupils([*CHANGED]))) as double:
        monkeypatch.setattr(time, "sleep", double.sleep)
        set_up(graded, "canvas", double)
        break_it(graded, double)
        out, said = run("--push", "canvas", "--yes", code=2)
    assert (out, len(said)) == ([], 1)
    assert FAILURES[break_it] in said[0]
    assert "Secret" not in said[0]


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("moodle", {"token": "x"}, "Invalid token - token not found (invalidtoken); put a valid token into moodle.token"),
        ("moodle", {"assignment": {"id": 31, "cmid": 9, "name": "Essay", "grade": 5}}, "course 4711 has no assignment 815; it has Essay (9); correct"),
        ("moodle", {"assignment": {"id": 31, "cmid": 815, "name": "x", "grade": -3}}, "the assignment has no points"),
        ("moodle", {"functions": {}}, "mod_assign_get_assignments: Access control exception (accessexception); add this function"),
        ("lti", {"client": "other"}, '401 Unauthorized: {"error": "invalid_client"'),
        ("lti", {"audience": "https://api.example.org"}, "Audience doesn't match"),
        ("lti", {"granted": {"https://purl.imsglobal.org/spec/lti-ags/scope/score"}}, "does not grant lineitem.readonly, result.readonly, contextmembership.readonly; allow"),
        ("lti", {"private": "not-a-key"}, "lti.pem: is no key; put the tool's private RSA key there"),
    ],
)  # fmt: skip
def test_so_is_each_of_the_other_platforms(graded, name, change, says):
    with online(DOUBLES[name](pupils([*CHANGED]))) as double:
        if "private" in change:
            double.private = change["private"]  # type: ignore[attr-defined]
        set_up(graded, name, double)
        secret = secret_of(double)
        for key, value in change.items():
            setattr(double, key, value)
        out, said = run("--push", name, code=2)
    assert (out, len(said)) == ([], 1)
    assert says in said[0]
    assert secret not in said[0] and "eyJ" not in said[0]


def test_a_token_comes_from_the_environment_too_and_is_in_no_back_up(graded, monkeypatch, tmp_path):
    with online(CanvasDouble(pupils([*CHANGED]))) as double:
        set_up(graded, "canvas", double)
        notes = backup.write(graded, tmp_path / "course.tar.gz")
        assert "not in it: canvas.token, which is yours alone; write it there again" in notes
        with tarfile.open(tmp_path / "course.tar.gz") as archive:
            names = archive.getnames()
        assert "course/students.csv" in names and "course/canvas.token" not in names

        (graded.state / "canvas.token").unlink()
        monkeypatch.setenv("AUTOGRADER_CANVAS_TOKEN", double.token)
        out, _ = run("--push", "canvas")
        assert out[-1].startswith("5 scores would change in Canvas")


def test_options_of_files_and_a_whole_course_are_refused(course):
    for given, says in {
        (
            "--push",
            "canvas",
            "--to",
            "canvas",
        ): "--to: does not work with --push; leave one of them out",
        (
            "--push",
            "blackboard",
        ): "--push blackboard: no such platform; there are: canvas, moodle, lti",
        ("--yes",): "--yes: belongs to --push; name a platform: --push canvas",
    }.items():
        assert run(*given, code=2)[1] == [f"autograder: {says}"]


@pytest.mark.everything
def test_a_platform_that_fails_at_random_ends_with_the_same_scores(class_of_300, name, patient):
    wanted = computed(class_of_300)
    everybody = pupils(sorted(wanted))
    with online(DOUBLES[name](everybody)) as double:
        set_up(class_of_300, name, double)
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
