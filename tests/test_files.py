"""Files that others have written are read whole, within bounds, and at the cost of what is there."""

import ast
import os
import re
import tracemalloc
from pathlib import Path

import pytest

import autograder
from autograder.base import files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1000)
    return path


@pytest.mark.parametrize("limit", [1000, 1001, 10**6])
def test_a_file_within_the_limit_is_read_whole(path, limit):
    assert files.read(path, limit) == b"x" * 1000


@pytest.mark.parametrize("limit", [0, 10, 999])
def test_a_larger_file_is_refused(path, limit):
    with pytest.raises(files.Refused, match="is larger than"):
        files.read(path, limit)


def test_a_file_that_has_grown_since_it_was_opened_is_read_whole(path, monkeypatch):
    real = os.fstat

    def earlier(descriptor: int) -> os.stat_result:
        fields = list(real(descriptor))
        fields[6] = 10  # st_size
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", earlier)
    assert files.read(path, 1000) == b"x" * 1000
    with pytest.raises(files.Refused, match="is larger than"):
        files.read(path, 999)


def test_a_small_file_takes_no_more_memory_than_it_has_bytes(path):
    tracemalloc.start()
    try:
        files.read(path, 10**7)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10**6


LEAD_OUT = [
    "..", ".", "", "../a", "a/..", "a/../../b", "a/./b", "a//b", "a/", "/etc/passwd", "//host/share",
    "...", ".. ", " ", "a/. /b", "..\\a", "a\\..\\..\\b", "\\a", "C:", "C:a", "c:/a", "C:\\a",
    "a\0b", "\0", "a\nb", "\x1b[2J", "a\x85b", "\u2028", "\udcff", "x" * 256, "ü" * 128, "a/" + "x" * 256,
]  # fmt: skip


def test_a_line_that_was_cut_off_costs_no_line_that_is_added(path):
    path.write_text('{"n": 1}\n{"n":')
    files.append(path, '{"n": 2}\n')
    files.append(path, '{"n": 3}\n')
    assert [entry["n"] for entry in files.entries(path)] == [1, 2, 3]
    path.unlink()
    files.append(path, '{"n": 4}\n')
    assert list(files.entries(path)) == [{"n": 4}]


@pytest.mark.parametrize("name", LEAD_OUT, ids=ascii)
def test_a_foreign_name_is_no_place_outside_of_its_folder(tmp_path, name):
    with pytest.raises(files.Refused):
        files.below(tmp_path, name)
    with pytest.raises(files.Refused):
        files.below(tmp_path, "ada", name, follow=False)


@pytest.mark.parametrize("name", ["..", ".", "", "../a", "a/..", "a//b", "/etc", "a\0b", "x" * 256])
def test_nor_is_one_that_may_be_a_name_on_this_system_alone(tmp_path, monkeypatch, name):
    """What lies in a course may be called in any way, and must come back out of a backup."""
    odd = ["a\\b", "a\nb", "\udcff", "...", " ", "c:"]
    for honest in odd:
        assert files.below(tmp_path, honest, portable=False) == tmp_path / honest
    with pytest.raises(files.Refused):
        files.below(tmp_path, name, portable=False)

    monkeypatch.setattr(files, "WINDOWS", True)
    for not_there in odd:
        with pytest.raises(files.Refused):
            files.below(tmp_path, not_there, portable=False)


@pytest.mark.parametrize(
    "name",
    ["a", "a/b.csv", ".hidden", "a..b", "..a", "Zürich 1.csv", "12:30.csv", "con", "a.", "x" * 255],
)
def test_an_honest_name_is_a_place_in_its_folder(tmp_path, name):
    assert files.below(tmp_path, name) == tmp_path / name
    assert files.below(tmp_path, "ada", name, follow=False) == tmp_path / "ada" / name


@pytest.mark.parametrize(
    "name",
    [
        "con",
        "Aux.csv",
        "a/NUL",
        "com1",
        "LPT9.txt",
        "COM¹",
        "nul .txt",
        "conin$",
        "a.",
        "a ",
        "ab:c",
    ],
)
def test_a_name_that_windows_takes_for_something_else_is_none_there(tmp_path, monkeypatch, name):
    files.below(tmp_path, name)
    monkeypatch.setattr(files, "WINDOWS", True)
    with pytest.raises(files.Refused, match="Windows"):
        files.below(tmp_path, name)
    files.below(tmp_path, "console/community.com1/a.con")


@pytest.mark.parametrize("link", ["up", "out/file", "inside/up"])
def test_a_link_leads_nobody_out_of_a_folder(tmp_path, link):
    folder = tmp_path / "folder"
    (folder / "within").mkdir(parents=True)
    (folder / "up").symlink_to("..")
    (folder / "out").symlink_to(tmp_path)
    (folder / "inside").symlink_to("within")
    (folder / "within" / "up").symlink_to("../..")
    with pytest.raises(files.Refused, match="link"):
        files.below(folder, link)
    assert files.below(folder, link, follow=False) == folder / link
    assert files.below(folder, "inside/file") == folder / "inside" / "file"


# What becomes a path

OWN = {
    "authoring/arrays.py": {"authored.parent / str(name.value)"},
    "authoring/build.py": {
        "folder / f'{name}.ipynb'",
        "handed_out / f'{name}.ipynb'",
        "handed_out / place",
        "root / 'assignments' / name",
        "root / 'solutions' / authored.exercise",
        "root / 'solutions' / f'{name}.py'",
        "root / 'solutions' / name",
    },
    "authoring/needs.py": {
        "authored.with_name(f'{exercise}.py')",
        "source.path.with_name(f'{exercise}.py')",
    },
    "authoring/read.py": {"path.with_name(name)", "authored.with_name(f'{sources.SHARED}.py')"},
    "authoring/starter/__init__.py": {
        "folder / f'{name}{part}.py'",
        "folder / name",
        "resources.files(__name__) / f'exercise{part}.txt'",
    },
    # The files of a submission, in a folder that ``Course`` has made of ids.
    "course/collecting/store.py": {
        "folder / f'{exercise}.ipynb'",
        "folder / f'{self.exercise}.ipynb'",
        "folder / name",
        "kept / name",
        "place / name",
    },
    "course/gradebook/autograded.py": {
        "folder / f'{exercise}.ipynb'",
        "there / f'{exercise}.ipynb'",
    },
    "course/gradebook/old_marks.py": {
        "course.autograded_of(student, exercise) / f'{exercise}.ipynb'",
        "course.state / name",
    },
    "course/grading/choice.py": {
        "place / f'{exercise}.ipynb'",
        "place / f'{name}.ipynb'",
    },
    "nbgrader/plugin.py": {
        "Path(converter.coursedir.root, converter._input_directory)",
        "Path(coursedir.root, self.converter._input_directory)",
        "course.feedback_of(student, exercise.name) / f'{exercise.name}.html'",
    },
    "show/pages/feedback.py": {"self._course.feedback_of(student, name) / f'{name}.html'"},
    "show/exports/push/push.py": {"course.feedback_of(grade.student, name) / f'{name}.html'"},
    "show/exports/push/web.py": {"course.state / file"},
    "show/pages/report.py": {
        "course.feedback_of(one.student, exercise) / f'{exercise}.html'",
        "course.reports / f'{NAME}.html'",
        "course.reports / f'{one.name}.html'",
        "course.reports / f'{report.exercise.name}.html'",
    },
    "submissions/ipython_input.py": {"root / name"},
    "course/submission_folder.py": {"folder / f'{exercise}.ipynb'"},
    "course/timestamp.py": {"folder / name"},
    # What was found by listing a folder, one name after the other.
    "course/new_course/copies.py": {
        "course / 'assignments' / gone.removeprefix('solutions/')",
        "course / folder",
        "course / gone",
        "Path(course, folder, *others)",
        "course / place",
        "old / folder",
        "old / place",
        "root / 'solutions' / group",
        "source / place",
    },
    "exercises/data_files.py": {"Path(above, name)", "folder / place"},
    "show/exports/gradescope.py": {"folder / f'{name}{suffix}'"},
    "course/gradebook/versions.py": {"folder / f'{exercise.name}{suffix}'"},
    "course/grading/grade_class.py": {
        "folder / name",
        "folder / name / exercise",
        "self.folder / file",
        "self.folder / student",
    },
    "course/keeping/places.py": {"course.state / name"},
    # Both ids have been held against ``STUDENT_ID``.
    "course/keeping/people.py": {
        "course.inbox / new",
        "course.inbox / old",
        "course.state / name",
        "path.with_name(f'{new}.json')",
        "path.with_name(f'{new}{path.name.removeprefix(old)}')",
        "place / 'feedback' / f'{name}.html'",
    },
    # The kit's own names, a command line's and nbgrader's settings.
    "commands/authors.py": {"course.root / 'build' / 'sample' / exercise.name"},
    "course/course.py": {"notebook.parent.resolve() / notebook.name"},
    "course/new_course/__init__.py": {
        "folder / file",
        "resources.files(__name__) / f'{name}.txt'",
    },
    "exercises/sources.py": {"root / folders(root)[FOLDERS.index(folder)]"},
    "course/gradebook/ordinary.py": {"course.root / folders(course.root)[0]"},
    "course/keeping/join.py": {"root / folder"},
    "nbgrader/execution.py": {"course.root / folders(course.root)[0]"},
    "exercises/exercise.py": {"root / sources.folders(root)[0]"},
    "base/files.py": {
        "folder.joinpath(*names)",
        "path.with_name(f'.{secrets.token_hex(8)}{PART}')",
    },
    "course/gradebook/config.py": {
        "Path(coursedir.root, getattr(coursedir, f'{name}_directory'))",
        "Path(folder, f'nbgrader_config{suffix}')",
        "Path(said.Exchange.root, said.CourseDirectory.course_id)",
        "base / name",
    },
    "course/keeping/backup.py": {
        "course.root / name",
        "course.state / name",
        "state / name",
        "root / source.relative_to(folder)",
        "state / course.gradebook.name",
    },
    "nbgrader/teachers.py": {
        "Path(dest, f'{name}.ipynb')",
        "os.path.join(self.root, self.coursedir.course_id, 'inbound')",
    },
    "nbgrader/students.py": {"Path(self.root, course)", "inbound / self.assignment_filename"},
    "pytest_plugin.py": {"folder / argument.partition('::')[0]"},
}
"""Where a path is made of a name that is no constant, by other means than ``files.below``: names
that we chose, that a listing gave, or that have been tested already."""

USES_PATHS = re.compile(r"\bPath\b|(?<!autograder\.)\bcourse\.")

APART = ("diagnosis", "engine", "grader", "sandbox", "tools")
"""What knows of values, and of no name that somebody gave to a file."""


def joined_in(source: str) -> set[str]:
    """The expressions that join a path with what is no constant; divisions among them, too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            parts = [node.right]
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in ("Path", "PurePath", "PurePosixPath") and len(node.args) > 1:
                parts = node.args[1:]
            elif called == "os.path.join" or called.endswith((".joinpath", ".with_name")):
                parts = node.args
            elif called in ("Path", "open") or called.startswith(("os.", "shutil.")):
                parts = [part for part in node.args if isinstance(part, ast.JoinedStr)]
        if not all(map(is_constant, parts)):
            found.add(ast.unparse(node))
    return found


def is_constant(part: ast.expr) -> bool:
    if isinstance(part, ast.Subscript):
        return is_constant(part.value)
    name = part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
    return isinstance(part, ast.Constant) or name.isupper()


def test_every_other_name_becomes_a_path_through_the_one_function():
    """Whoever adds one here: is it a name that nobody else can choose? Else take files.below."""
    package = Path(autograder.__file__).parent
    found = {}
    for path in package.rglob("*.py"):
        place, source = path.relative_to(package), path.read_text(encoding="utf-8")
        if place.parts[0] in APART or not USES_PATHS.search(source):
            continue  # what knows no paths divides numbers
        expressions = joined_in(source)
        if expressions:
            found[place.as_posix()] = expressions - NUMBERS - OWN.get(place.as_posix(), set())
    assert not {place: expressions for place, expressions in found.items() if expressions}


NUMBERS = {
    "100 * len(item.carried) / count",
    "100 * len(item.passed) / count",
    "-1 / self.copy",
    "_exact(MOST) * earned / whole",
    "-ERRORS / math.sqrt(item.count)",
    "_exact(exercise.weight) / whole",
    "score / most",
    "total / sum((check.points or 0 for check in kept))",
    "weight * _exact(score) / _exact(one.max_score)",
}


@pytest.mark.parametrize(
    "source",
    [
        "folder / name",
        "folder / 'x' / row['id']",
        "folder / f'{student}.json'",
        "Path(folder, name)",
        "os.path.join(folder, name)",
        "folder.joinpath(*names)",
        "path.with_name(member.filename)",
        "(folder / entry.filename).write_bytes(data)",
        "open(f'{folder}/{name}', 'w')",
        "os.replace(part, f'{folder}/{name}')",
    ],
)
def test_what_joins_a_path_with_a_foreign_name_is_found(source):
    assert joined_in(source)
    assert not joined_in("files.below(folder, name) / 'x' / NAME / timestamp.NAME")
