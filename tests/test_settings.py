"""Settings: what files say, which of them comes first, and what does not fit."""

from dataclasses import fields
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from autograder.base import settings, times
from autograder.base.errors import Unusable
from autograder.base.settings import SCORING, Settings


def written(folder: Path, text: str, name: str = "autograder.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_courses_own_file_comes_before_that_of_the_kit(tmp_path):
    kit = written(tmp_path, 'carried = 0.5\ncall_seconds = 3\n[due]\na = "2026-12-01 18:00 UTC"\n')
    own = written(
        tmp_path, 'carried = 0.25\ntime_zone = "Europe/Berlin"\ndue.b = "2026-12-01 18:00"\n', "own"
    )
    found = settings.read(kit, own, tmp_path / "nowhere")
    assert (found.carried, found.call_seconds) == (0.25, 3)
    assert found.due_date("a") == datetime(2026, 12, 1, 18)
    assert found.due_date("b") == datetime(2026, 12, 1, 17)
    assert found.due_date("c") is None
    assert settings.read(own).due_date("a") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('time_zone = "Middle/Earth"', 'does not fit; write it like time_zone = "Europe/Berlin"'),
        ("time_zone = 1", "does not fit"),
        ("below_zero = 1", "below_zero = 1 does not fit; write it like below_zero = false"),
        ('due.a = "soon"', "due.a = 'soon': no time; write it like 2026-12-01 18:00"),
        ("due.a = 2026-12-01", "no time"),
        ('due.a = "2026-12-01 18:00 Middle/Earth"', "unknown time zone Middle/Earth"),
        (
            '[due]\ntime_zone = "Europe/Berlin"',
            "autograder.toml:2: due.time_zone = 'Europe/Berlin': time_zone is no part of [due]; "
            "write its line above [due]",
        ),
        ('[due]\nisolatoin = "landlock"', "isolation is no part of [due]; write its line above"),
        ('[weights]\nbelow_zero = "no"', "below_zero is no part of [weights]; write its line"),
        (
            '[late]\nrule = "zero"\ncall_seconds = 5',
            "late.call_seconds: call_seconds is no part of [late]; write its line above [late]",
        ),
        ('isolation = "auto"\ncarried = 2', "autograder.toml:2: carried = 2 does not fit"),
        (
            '[links]\nrepository = "https://gitlab.com/a/b"',
            "autograder.toml:2: links.repository = 'https://gitlab.com/a/b' does not fit; write it "
            'like links.repository = "https://github.com/my-course/notebooks"',
        ),
        ('links.repository = "https://github.com/a"', "does not fit"),
        ('links.site = "https://a.b/)[x](javascript:y"', "does not fit"),
        ('links.site = "javascript:alert(1)"', "does not fit"),
        ('links = "https://a.b"', "unknown setting links; did you mean links.site?"),
        ("carried = 0.5\n\ncarid = 1", ":3: unknown setting carid; did you mean carried?"),
        ("colour = 1", "autograder.toml:1: unknown setting colour; there are "),
        ("a = 1\nb = x\n", "autograder.toml:2: Invalid value; write it as TOML"),
        ('[due]\n# soon\na = "soon"', "autograder.toml:3: due.a = 'soon'"),
        ('minimum_isolation = "none"', '"process" or "wasm" or "landlock" or "bubblewrap"'),
        ('counts = "first"', 'write it like counts = "last" or "best"'),
        ('[weights]\na = 1\nb = "2"', "autograder.toml:3: weights.b = '2' does not fit"),
        (
            "[weights]\na = -1",
            "autograder.toml:2: weights.a = -1 does not fit; write it like a = 2",
        ),
        (
            "[assignments]\na = true",
            "autograder.toml:2: assignments.a = True does not fit; write it",
        ),
        (
            '[push]\naddress = "http://canvas.example.org"',
            "does not fit; write it like push.address",
        ),
        ('push.address = "http://127.0.0.1.example.org/"', "does not fit"),
        ('push.address = "https://user:word@example.org"', "does not fit"),
        ("push.course = 4711", 'write it like push.course = "4711"'),
        ("[weights]\na = nan", "autograder.toml:2: weights.a = nan does not fit"),
        ("[weights]\na = inf", "autograder.toml:2: weights.a = inf does not fit"),
        ("call_seconds = nan", "autograder.toml:1: call_seconds = nan does not fit"),
        ("submission_seconds = 1e300", "submission_seconds = 1e+300 does not fit"),
        (f"memory_mb = 1{'0' * 30}", "does not fit; write it like memory_mb = "),
        ('[late]\nrule = "per day"\npoints = nan', "autograder.toml:3: late.points: nan does not"),
        (f'[late]\nrule = "zero"\ngrace = 1{"0" * 400}', "autograder.toml:3: late.grace: 1000"),
        ("[tries]\na = 0", "autograder.toml:2: tries.a = 0 does not fit; write it like a = 10"),
        ('[tries]\na = "5 a day"', "autograder.toml:2: tries.a = '5 a day' does not fit"),
        ("[weights]\na = true", "autograder.toml:2: weights.a = True does not fit"),
        (f"[weights]\na = 1{'0' * 400}", "autograder.toml:2: weights.a = 1000"),
        ("weights = 2", "autograder.toml:1: weights = 2 does not fit; write a table [weights]"),
        ('[late]\nrule = "some"', "autograder.toml:2: late.rule: 'some' is no rule"),
        ('[late]\nrule = "per day"\n', "takes a share or points; write one of the two"),
        ('[late]\nrule = "zero"\nshare = 0.5', "autograder.toml:3: late.share: goes with rule"),
        ('[late.a]\nrule = "per day"\nshare = 10', "autograder.toml:3: late.a.share: 10 does not"),
        ('[late.a]\nrule = "none"\nday = 1', "late.a.day: unknown; there are rule, share, points"),
        ("[late]\ngrace = 5", "autograder.toml:1: late.rule: None is no rule"),
        ('due = "2026-12-01 18:00"', "due = '2026-12-01 18:00' does not fit; write a table [due]"),
    ],
)
def test_a_setting_that_does_not_fit_gets_one_line(tmp_path, text, says):
    with pytest.raises(Unusable) as caught:
        settings.read(written(tmp_path, text))
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'due.a = "{}"\n'),
        ('# mine\ndue.a = "2026-01-01 12:00"  # old\n', '# mine\ndue.a = "{}"\n'),
        ("[due]\n a = 2026-01-01T12:00:00Z\nb = 2026-01-01T12:00:00Z\n", None),
        ('a = "not the date"\n[feedback]\nhidden = "never"\n', None),
        ("[due]  # dates\n", '[due]  # dates\na = "{}"\n'),
        ('carried = 0.5\n[feedback]\nhidden = "never"\n', None),
    ],
)
def test_a_due_date_is_written_and_nothing_else_is_changed(tmp_path, before, after):
    path = written(tmp_path, before)
    time = datetime(2026, 12, 1, 17, tzinfo=timezone.utc)
    settings.keep_due(path, "a", time)
    text = path.read_text(encoding="utf-8")
    if after is not None:
        assert text == after.format("2026-12-01 17:00:00+0000")
    for line in before.splitlines():
        assert line in text.splitlines() or line.split()[0] in ("due.a", "a")
    settings.keep_due(path, "a", time)
    assert path.read_text(encoding="utf-8") == text
    if 'a = "not' not in before:
        assert settings.read(path).due_date("a") == datetime(2026, 12, 1, 17)


def test_a_due_date_that_only_a_person_can_change_is_left_alone(tmp_path):
    path = written(tmp_path, 'due = { a = "2026-01-01 12:00" }\n')
    with pytest.raises(Unusable, match=r'write due\.a = "2026-12-01 17:00:00\+0000"'):
        settings.keep_due(path, "a", datetime(2026, 12, 1, 17, tzinfo=timezone.utc))
    assert path.read_text(encoding="utf-8") == 'due = { a = "2026-01-01 12:00" }\n'


def test_of_every_setting_it_is_decided_whether_scores_depend_on_it():
    others = {"isolation", "minimum_isolation", "feedback_hidden", "time_zone", "below_zero"}
    others |= {
        "course_name",
        "counts",
        "due",
        "late",
        "weights",
        "ai",
        "links_repository",
        "links_site",
        "push_address",
        "push_course",
        "assignments",
        "tries",
        "feedback_tries",
        "feedback_solution",
    }
    others |= {
        f"lti_{name}" for name in ("client", "key", "tokens", "audience", "lineitems", "members")
    }
    assert {setting.name for setting in fields(Settings)} == others | set(SCORING)
    assert Settings().scoring.keys() == set(SCORING)


def test_times_are_shown_in_the_zone_of_the_course_else_in_that_of_the_due_date(tmp_path):
    due = 'due.a = "2026-12-01 18:00 Asia/Kolkata"\ndue.b = "2026-12-01 18:00+05:30"\n'
    alone = settings.read(written(tmp_path, due))
    assert str(alone.zone_shown("a")) == "Asia/Kolkata"
    assert alone.zone_shown("b") is None and alone.zone_shown("c") is None
    both = settings.read(written(tmp_path, 'time_zone = "Europe/Berlin"\n' + due))
    assert {str(both.zone_shown(name)) for name in "abc"} == {"Europe/Berlin"}


def test_a_moment_without_a_zone_is_in_the_one_that_is_given_else_in_this_machines():
    zone = times.zone("Asia/Kolkata")
    assert (
        times.read("2026-12-01 18:00", zone).utcoffset()
        == times.read("2026-12-01 18:00 +0530").utcoffset()
    )
    here = times.read("2026-12-01 18:00")
    assert here == datetime(2026, 12, 1, 18).astimezone() and here.tzinfo is not None


def test_a_moment_that_no_clock_shows_is_refused_and_one_that_comes_twice_is_the_first():
    with pytest.raises(ValueError, match="no time in Europe/Berlin, where clocks are put forward"):
        times.read("2026-03-29 02:30 Europe/Berlin")
    twice = times.read("2026-10-25 02:30 Europe/Berlin")
    assert twice.utcoffset() == timedelta(hours=2)


HOUR = 3600.0


@pytest.mark.parametrize(
    ("rule", "seconds", "penalty"),
    [
        ({"rule": "none"}, HOUR, 0),
        ({"rule": "zero"}, 1, 10),
        ({"rule": "zero", "grace": 15}, 15 * 60, 0),
        ({"rule": "zero", "grace": 15}, 15 * 60 + 1, 10),
        ({"rule": "per day", "share": 0.1}, 1, 1),
        ({"rule": "per day", "share": 0.1}, 24 * HOUR, 1),
        ({"rule": "per day", "share": 0.1}, 24 * HOUR + 1, 2),
        ({"rule": "per day", "share": 0.1, "grace": 15}, 24 * HOUR + 1, 1),
        ({"rule": "per day", "points": 4}, 30 * HOUR, 8),
        ({"rule": "per day", "points": 4}, 80 * HOUR, 10),
    ],
)
def test_a_late_rule_takes_what_it_says(rule, seconds, penalty):
    assert times.late_rule(rule).penalty(10.0, seconds) == penalty
    assert times.late_rule(rule).penalty(0.0, seconds) == 0


def test_an_exercise_may_have_a_late_rule_and_a_weight_of_its_own(tmp_path):
    general = written(tmp_path, '[late]\nrule = "zero"\n[late.a]\nrule = "none"\n')
    own = written(tmp_path, '[late.b]\nrule = "per day"\npoints = 2\n[weights]\nb = 3\n', "own")
    found = settings.read(general, own)
    rules = [found.late_rule(name) for name in "abc"]
    assert [rule.rule for rule in rules if rule] == ["none", "per day", "zero"]
    assert [found.weight(name) for name in "ab"] == [1, 3]
    assert Settings().late_rule("a") is None
