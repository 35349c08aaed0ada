"""Traces of a person that are hard to see: written otherwise, under a pseudonym, in damaged files."""

import json
import zipfile
from pathlib import Path

import pytest

from autograder.course.course import Course, pseudonym
from tests.support import courses
from tests.support.courses import NAME
from tests.support.processes import finished

NAMES = 'O\'Brien & Søn "Zé"'


@pytest.fixture
def known(course: Course) -> Course:
    """A course that has a submission of Zoe's, and one of Ann's."""
    for student in ("ann", "zoe"):
        courses.submit(course, student, courses.RIGHT)
    quoted = NAMES.replace('"', '""')
    courses.class_list(course, f'id,name,email\nzoe,"{quoted}",z+1@x.org\nann,Ann,ann@x.org\n')
    return course


def forget(course: Course, code: int = 0) -> str:
    done = finished("forget", "zoe", cwd=course.root, code=code)
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def written(course: Course, name: str, text: str) -> Path:
    path = course.state / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


ESCAPED = {
    "in a page": "<td>O&#39;Brien &amp; Søn &#34;Zé&#34;</td>",
    "in a page, otherwise": "<td>O&#x27;Brien &amp; S&oslash;n &quot;Z&eacute;&quot;</td>",
    "in JSON": json.dumps({"name": NAMES}),
    "in JSON, readable": json.dumps({"name": NAMES}, ensure_ascii=False),
    "in a table": '"O\'Brien & Søn ""Zé""",1\n',
    "by mail": "Z+1@X.ORG",
    "with the family in front": '"Zé", O\'Brien & Søn',
    "in capitals": 'O\'BRIEN & SØN "ZÉ"',
}


@pytest.mark.parametrize("way", ESCAPED)
def test_a_name_is_found_however_it_is_written(known, way):
    path = written(known, "exports/other/grades.txt", f"x {ESCAPED[way]} x")
    note = written(known, "notes.txt", ESCAPED[way])
    said = forget(known)
    assert not path.exists()
    assert f"left: course/{note.name}: may name them" in said


def test_a_pseudonym_is_as_good_as_a_name_to_whoever_has_the_secret(known):
    name = pseudonym(known.secret(), "zoe")
    path = written(known, f"exports/{NAME}/anonymous-grades.csv", f"student,score\n{name},1\n")
    forget(known)
    assert not path.exists()


DAMAGED = {
    "an empty list of extensions": ("extensions.csv", ""),
    "extensions without whose": ("extensions.csv", "exercise,until\n,waived\n"),
    "extensions of nobody": ("extensions.csv", "who,exercise,until\nnobody,,waived\n"),
    "an empty class list": ("students.csv", ""),
    "a line of marks that is cut off": ("earlier-marks.jsonl", '{"student": "zoe"'),
    "a line of marks that is none": ("removed-marks.jsonl", "[1]\n"),
    "a deep line of marks": ("removed-marks.jsonl", "[" * 100_000),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_file_that_cannot_be_read_is_said_before_anything_is_removed(known, damage):
    name, text = DAMAGED[damage]
    written(known, name, text)
    (line,) = forget(known, code=2).splitlines()
    assert f"{name}:" in line and ";" in line
    assert (known.submitted / "zoe").is_dir()


@pytest.mark.parametrize(
    "line", ['{"time": "2026', "[]", '{"scores": [1, "zoe"]}', '{"scores": 1}', "[" * 100_000]
)
def test_a_damaged_line_of_the_log_stays_and_is_said_where_it_names_them(known, line):
    text = json.dumps({"scores": [{"student": "zoe"}, {"student": "ann"}]})
    log = written(known, "log.jsonl", f"{line}\n{text}\nzoe\n")
    said = forget(known)
    first, second, *_ = log.read_text().splitlines()
    assert first == line and json.loads(second) == {"scores": [{"student": "ann"}]}
    assert "left: course/log.jsonl: may name them" in said


def test_an_archive_that_cannot_be_looked_into_is_said(known):
    path = known.state / "private.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"x" * 50)
    data = bytearray(path.read_bytes())
    data[6] |= 1  # encrypted
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert "left: course/private.zip: cannot be looked into" in forget(known)


def test_a_name_of_a_file_is_one_line(known):
    written(known, "zoe\n::error::x.txt", "zoe")
    for line in forget(known).splitlines():
        assert line.startswith(("removed: ", "left: "))


def test_a_comment_with_an_end_of_a_line_in_it_is_one_line(known):
    lines = [
        json.dumps({"student": who, "manual_comment": "one\u2028two\x85three"}, ensure_ascii=False)
        for who in ("zoe", "ann")
    ]
    path = written(known, "earlier-marks.jsonl", "\n".join(lines) + "\n")
    forget(known)
    assert path.read_text(encoding="utf-8") == lines[1] + "\n"
