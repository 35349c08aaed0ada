"""Settings: what files say, which of them comes first, and what does not fit."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timezone
from pathlib import Path

import pytest

from autograder import moment, settings
from autograder.errors import Unusable
from autograder.settings import SCORING, Settings


def written(folder: Path, text: str, name: str = "autograder.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_courses_own_file_comes_before_that_of_the_kit(tmp_path: Path) -> None:
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
        ('due = "2026-12-01 18:00"', "unknown setting due"),
    ],
)
def test_a_setting_that_does_not_fit_gets_one_line(tmp_path: Path, text: str, says: str) -> None:
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
def test_a_due_date_is_written_and_nothing_else_is_changed(
    tmp_path: Path, before: str, after: str | None
) -> None:
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


def test_a_due_date_that_only_a_person_can_change_is_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path, 'due = { a = "2026-01-01 12:00" }\n')
    with pytest.raises(Unusable, match=r'write due\.a = "2026-12-01 17:00:00\+0000"'):
        settings.keep_due(path, "a", datetime(2026, 12, 1, 17, tzinfo=timezone.utc))
    assert path.read_text(encoding="utf-8") == 'due = { a = "2026-01-01 12:00" }\n'


def test_of_every_setting_it_is_decided_whether_scores_depend_on_it() -> None:
    others = {"isolation", "feedback_hidden", "time_zone", "below_zero", "course_name", "due"}
    assert {setting.name for setting in fields(Settings)} == others | set(SCORING)
    assert Settings().scoring.keys() == set(SCORING)


def test_a_moment_without_a_zone_is_in_the_one_that_is_given_else_in_this_machines() -> None:
    zone = moment.zone("Asia/Kolkata")
    assert (
        moment.read("2026-12-01 18:00", zone).utcoffset()
        == moment.read("2026-12-01 18:00 +0530").utcoffset()
    )
    here = moment.read("2026-12-01 18:00")
    assert here == datetime(2026, 12, 1, 18).astimezone() and here.tzinfo is not None
