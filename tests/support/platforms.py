"""What other systems do with the files that are made for them: their rules as documented, not as we
would like them."""

import csv
import io
import re
import struct
import zipfile
from datetime import datetime, timezone
from typing import Any

# gradescope-autograders.readthedocs.io/en/latest/specs
_TEXT = {"type": "string"}
_FORMATS = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
_VISIBILITIES = {"enum": ["visible", "hidden", "after_due_date", "after_published"]}
GRADESCOPE = {
    "type": "object",
    "required": ["score", "tests"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number", "minimum": 0},
        "execution_time": {"type": "number"},
        "output": _TEXT,
        "output_format": _FORMATS,
        "test_output_format": _FORMATS,
        "test_name_format": _FORMATS,
        "visibility": _VISIBILITIES,
        "stdout_visibility": _VISIBILITIES,
        "extra_data": {"type": "object"},
        "leaderboard": {"type": "array"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string", "minLength": 1},
                    "name_format": _FORMATS,
                    "number": _TEXT,
                    "output": _TEXT,
                    "output_format": _FORMATS,
                    "tags": {"type": "array", "items": _TEXT},
                    "visibility": _VISIBILITIES,
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}

# Classroom 50's contract for result.json, version 1.
_POINTS = {"type": "integer", "minimum": 0}
_LINK = {"type": "string", "minLength": 1}
_UTC = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$"}
_FIELDS = {
    "schema": {"const": "classroom50/result/v1"},
    **dict.fromkeys(("classroom", "assignment", "owner", "commit", "release", "review"), _LINK),
    "assignment_type": {"enum": ["individual", "group", "team"]},
    "submission": {"type": "string", "pattern": "^submit/"},
    "datetime": _UTC,
    "score": _POINTS,
    "max-score": _POINTS,
    "tests": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["test-name", "passed", "score", "max-score"],
            "properties": {
                "test-name": _LINK,
                "passed": {"type": "boolean"},
                "score": _POINTS,
                "max-score": _POINTS,
            },
        },
    },
}
CLASSROOM50 = {
    "type": "object",
    "additionalProperties": False,
    "required": list(_FIELDS),
    "properties": {
        **_FIELDS,
        "graded_at": _UTC,
        "submitted_by": {"type": "object", "required": ["username"]},
    },
}


def classroom50_takes(data: dict[str, Any], classroom: str, assignment: str, owner: str) -> bool:
    """The rules of Classroom 50's runner that a schema cannot say."""
    pairs = [
        (data["score"], data["max-score"]),
        *((test["score"], test["max-score"]) for test in data["tests"]),
    ]
    same = (data["classroom"], data["assignment"], data["owner"]) == (classroom, assignment, owner)
    return same and all(type(score) is int and score <= most for score, most in pairs)


def canvas_import(
    data: bytes, assignments: dict[int, str], students: dict[int, tuple[str, str, str]]
) -> dict[str, Any]:
    """What Canvas makes of an imported gradebook: new assignments, points, and each student's grade
    as text.

    Args:
        assignments: titles by Canvas's number. students: name, SIS user id and login by Canvas's
            number.
    """
    text = data.decode("utf-8")
    first = [text.splitlines()[place] for place in range(min(3, len(text.splitlines())))]
    widths = {
        mark: {len(next(csv.reader([line], delimiter=mark))) for line in first} for mark in ";,"
    }
    counts = {mark: widths[mark].pop() if len(widths[mark]) == 1 else 0 for mark in ";,"}
    rows = list(
        csv.reader(
            io.StringIO(text, newline=""), delimiter=";" if counts[";"] > counts[","] else ","
        )
    )
    header = rows[0]
    assert len(header) > 3 and "Student" in header[0] and "ID" in header[1], "Invalid header row"
    columns = 3
    login = sis = None
    if re.search(r"SIS\s+Login\s+ID", header[2]):
        login, columns = 2, 4
    elif re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3]):
        integration = bool(re.search(r"Integration\s+ID", header[4]))
        sis, login, columns = 2, 3, 5 + integration
        columns += bool(re.search(r"Root\s+Account", header[4 + integration]))
    assert "Section" in header[columns - 1], "Invalid header row"
    found: dict[str, Any] = {"new": [], "points": {}, "grades": {}, "unknown": []}
    ids = {}
    for place, title in list(enumerate(header))[columns:]:
        named = re.fullmatch(r"(.*)\s\((\d+)\)", title)
        id = int(named[2]) if named and int(named[2]) in assignments else None
        id = id or next((known for known, name in assignments.items() if name == title), None)
        if id is None:
            found["new"].append(title)
        ids[place] = id
    for row in rows[1:]:
        if re.fullmatch(r"[;, ]+", ",".join(row)) or all(
            re.fullmatch(r"(?i)\s*(Muted|Manual Posting.*)?\s*", c) for c in row
        ):
            continue
        cells = [_decimal(cell) for cell in row]
        if "Points Possible" in row[0]:
            found["points"] = {id: cells[place] for place, id in ids.items()}
            continue
        student = int(row[1]) if row[1].isdigit() and int(row[1]) in students else None
        if student is None and sis is not None and row[sis]:
            student = next((id for id, about in students.items() if about[1] == row[sis]), None)
        if student is None and login is not None and row[login]:
            student = next((id for id, about in students.items() if about[2] == row[login]), None)
        if student is None:
            student = next((id for id, about in students.items() if about[0] == row[0]), None)
        if student is None:
            found["unknown"].append(row[0])
        else:
            found["grades"][student] = {id: cells[place].strip() for place, id in ids.items()}
    return found


def _decimal(cell: str) -> str:
    """Canvas takes a comma in a number for a point, and the marks before it for separators of
    thousands."""
    if not re.fullmatch(r"-?[0-9.,]+%?", cell):
        return cell
    *parts, last = re.split(r"[,.]", cell)
    return f"{''.join(parts)}.{last}" if parts else last


WORKSHEETS = {
    "en": ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Grade can be changed",
           "Last modified (submission)", "Last modified (grade)", "Feedback comments"],
    "de": ["ID", "Vollständiger Name", "E-Mail-Adresse", "Status", "Bewertung", "Bestwertung", "Bewertung kann geändert werden",
           "Zuletzt geändert (Abgabe)", "Zuletzt geändert (Bewertung)", "Feedback als Kommentar"],
    "ja": ["識別子", "氏名", "メールアドレス", "ステータス", "評点", "最大評点", "評点を変更できる",
           "最終更新 (提出)", "最終更新 (評点)", "フィードバックコメント"],
}  # fmt: skip
PARTICIPANT = {"en": "Participant ", "de": "Teilnehmer/in", "ja": "参加者 "}
SEPARATOR = {"en": ".", "de": ",", "ja": "."}


def worksheet(
    language: str, people: list[tuple[int, str, str]], most: float = 14, **more: Any
) -> bytes:
    """A grading worksheet as Moodle writes it; ``people`` are number, name and address."""
    top = f"{most:.2f}".replace(".", SEPARATOR[language])
    grades = more.get("grades", {})
    comments = more.get("comments", {})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(WORKSHEETS[language])
    for number, name, email in people:
        about = [
            f"{PARTICIPANT[language]}{number}",
            name,
            email,
            "Submitted for grading - Not marked",
        ]
        grade = grades.get(number, "")
        writer.writerow(
            [
                *about,
                grade,
                top,
                "Yes",
                "Sunday, 1 March 2026, 9:30 PM",
                "-",
                comments.get(number, ""),
            ]
        )
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def moodle_import(data: bytes, language: str, most: float) -> dict[int, float]:
    """The grades that Moodle takes from a worksheet, by participant
    (mod/assign/feedback/offline)."""
    header, *rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    names = WORKSHEETS[language]
    id, grade, _ = (header.index(names[place]) for place in (0, 4, 8))  # all three must be there
    grades = {}
    for row in rows:
        number = row[id][len(PARTICIPANT[language]) :]
        text = row[grade].strip().replace(" ", "").replace(SEPARATOR[language], ".")
        if text and 0 <= float(text) <= most:
            grades[int(number)] = float(text)
    return grades


# How they pack what a class handed in. ``files`` are a student's own, by the path that the student
# chose; the time of each is the platform's, to the second and in UTC.
NAMES = {"ada": "Ada Lovelace", "ben": "Ben Smith", "zed": "Zed Young"}
Files = dict[str, dict[str, bytes]]


def zipped(entries: dict[str, bytes], time: datetime) -> bytes:
    """A zip whose entries all have one time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, data in entries.items():
            info = zipfile.ZipInfo(name, time.timetuple()[:6])
            info.extra = struct.pack("<HHBl", 0x5455, 5, 1, int(time.timestamp()))
            # What is empty is stored, as everywhere: tens of thousands are packed in no time.
            packing = zipfile.ZIP_DEFLATED if data else zipfile.ZIP_STORED
            file.writestr(info, data, packing, compresslevel=1)
    return buffer.getvalue()


def _moodle(student: str, path: str) -> str:
    return f"{NAMES[student]}_{1000 + list(NAMES).index(student)}_assignsubmission_file_/{path}"


def _canvas(student: str, path: str) -> str:
    first, last = NAMES[student].lower().split()
    return f"{last}{first}_{1000 + list(NAMES).index(student)}_77_{path.replace('/', '_')}"


def _gradescope(student: str, path: str) -> str:
    return f"assignment_7_export/submission_{list(NAMES).index(student)}/{path}"


PACKED = {
    "moodle": ("CS101-Counting-4711.zip", _moodle),
    "canvas": ("submissions.zip", _canvas),
    "gradescope": ("assignment_7_export.zip", _gradescope),
    "classroom": ("counting-submissions.zip", lambda student, path: f"{NAMES[student]}/{path}"),
}


NAMED = {
    "moodle": "{name}_{number}_assignsubmission_file_/{file}",
    "moodle, flat": "{name}_{number}_assignsubmission_file_{file}",
    "moodle, teams": "Group A-{name}_{number}_assignsubmission_file_/{file}",
    "canvas": "{key}_{number}_77_{file}",
    "canvas, late": "{key}_LATE_{number}_77_{file}",
    "brightspace": "{number}-44 - {name} - Nov 20, 2026 1105 PM/{file}",
    "brightspace, flat": "{number}-44 - {name}- 20 November, 2026 1105 PM - {file}",
    "blackboard": "gradebook_CS_101_2_Counting_{id}_attempt_2026-11-20-23-05-10_{file}",
    "blackboard, one column": "Counting_{id}_attempt_2026-11-20-23-05-10_{file}",
    "sakai": "Counting/{last}, {first}({id})/Submission attachment(s)/{file}",
    "ilias": "{last}_{first}_{id}_{number}/{file}",
    "google classroom": "Counting/{name} - counting.ipynb",
    "github classroom": "counting-submissions/counting-{id}/{file}",
}
"""How each platform names a student's file; ``{file}`` is what the student called it."""


def named(platform: str, id: str, name: str, number: int, file: str = "counting.ipynb") -> str:
    """A path in a platform's download."""
    first, last = name.split()
    key = f"{last}{first}".lower()
    return NAMED[platform].format(
        id=id, name=name, first=first, last=last, key=key, number=number, file=file
    )


def gradescope_list(time: datetime) -> bytes:
    """The list that lies at the top of Gradescope's export."""
    lines = []
    for number, name in enumerate(NAMES.values()):
        lines += [
            f"submission_{number}:",
            "  :submitters:",
            f"  - :name: {name}",
            "    :sid: ''",
            "    :email:",
        ]
        lines += [f"  :created_at: {time.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S}.000000000 Z"]
    return "\n".join([*lines, ""]).encode()


def packed(platform: str, files: Files, time: datetime) -> tuple[str, bytes]:
    """What the teacher downloads from a platform: the archive's name and its bytes."""
    name, path_of = PACKED[platform]
    entries = {
        path_of(student, path): data for student, own in files.items() for path, data in own.items()
    }
    if platform == "gradescope":
        entries["assignment_7_export/submission_metadata.yml"] = gradescope_list(time)
    return name, zipped(entries, time)
