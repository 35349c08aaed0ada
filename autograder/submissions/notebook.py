"""The raw cells of a submitted file: read once, within limits, trusting nothing."""

from __future__ import annotations

import codecs
import difflib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from autograder.base import files
from autograder.base.text import cut, inert, one_line, without_pictures
from autograder.exercises import setup_cell
from autograder.exercises.exercise import ANNOUNCED, filled_in
from autograder.exercises.percent import ScriptCell, lines_of, split
from autograder.submissions import cell_split
from autograder.submissions.python_source import binds, parses

MAX_BYTES = 20_000_000
"""The most bytes of a file, including outputs and pictures: a limit for the JSON parser. Other
limits are below, and in ``parse``."""
MAX_CELLS = 2_000
MAX_SOURCE = 1 << 20  # characters in a cell of code, or in a script
MAX_VALUES = 1_000_000  # values in the JSON of a notebook: each becomes an object of some 60 bytes
MAX_PACKED = 8  # cells to unpack: a notebook has one packed setup cell, or copies of it

_MARIMO = re.compile(r"^app = marimo\.App\(", re.MULTILINE)
"""Below it, each cell is a function."""

_CHECKSUM = re.compile(r'"checksum": "([0-9a-f]+)"')
"""As jupytext writes nbgrader's marks into the cell line of a script."""

# The setup cell, longer than all others together, contains the start of a check in its own strings.
_BEGINNING = re.compile(f"^{ANNOUNCED.pattern}", re.MULTILINE)

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

UNMARKED = re.compile(r"cell-[0-9]+")
"""The id of a cell that had no mark in its script."""

_MAX_WIDE, _MAX_OTHER = 8_000_000, 1_000_000
"""The most bytes of JSON to read unchanged; in larger JSON, the most non-ASCII bytes."""

_TOO_WIDE = (
    f"larger than {_MAX_WIDE // 1_000_000} MB, with more than {_MAX_OTHER // 1_000_000} MB "
    "of characters that are not ASCII"
)
"""Why some cannot be read."""

_ASCII, _OTHER = bytes(range(128)), re.compile(rb"[\x80-\xff]+")

SAVED_AGAIN = "open it in Jupyter, save it and hand it in again"
SAVED_AS_UTF_8 = "save it as UTF-8 in an editor and hand it in again"
CLEARED = "clear the outputs and hand it in again"
READ = (".ipynb", ".py")
"""The suffixes of files that are read as notebooks."""

DOWNLOADED = "download the notebook (.ipynb) itself and hand that in"
EXPORTED = "write a notebook of it with marimo export ipynb and hand that in"
DELETED = "delete everything but your answers and hand it in again"

_OTHER_KINDS = {
    b"%pdf": "a PDF",
    b"{\\rtf": "a text of a word processor",
    b"\xd0\xcf\x11\xe0": "a text of a word processor",
    b"\x1f\x8b": "a packed file",
    b"rar!": "an archive",
    b"7z\xbc\xaf": "an archive",
    b"\x89png": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"[internetshortcut]": "a link to it",
    b"version https://git-lfs": "a pointer of Git LFS",
}
"""The first bytes of other kinds of files, in lower case."""


class Rejected(Exception):
    """A submission that cannot be used at all: the reason and the repair, in one line."""

    def __init__(self, cause: str, repair: str = SAVED_AGAIN) -> None:
        super().__init__(f"{cause}; {repair}")
        self.cause, self.repair = cause, repair


@dataclass
class RawCell:
    """A cell as it is in the student's file.

    ``claims`` are the ids in its metadata; ``checksum`` is nbgrader's, of the original cell, empty
    if there is none. ``packed`` is the packed form of a setup cell.
    """

    source: str
    is_code: bool
    claims: tuple[str, ...]
    checksum: str = ""
    packed: str = ""


def read(path: Path) -> bytes:
    """The bytes of a submitted file, read once and without following a link.

    Raises:
        Rejected: it is not a regular file, unreadable or too large.
    """
    try:
        return files.read(path, MAX_BYTES)
    except files.TooLarge as refused:
        raise Rejected(str(refused), CLEARED) from None
    except files.Refused as refused:
        raise Rejected(str(refused), "hand in the notebook itself") from None
    except FileNotFoundError:
        raise Rejected("is missing", _meant(path)) from None


def _meant(path: Path) -> str:
    """The hint for a missing file: the file next to it with a similar name, if any."""
    named = {other.stem: other for other in path.parent.glob("*.*") if other.suffix in READ}
    close = difflib.get_close_matches(path.stem, named, 1, cutoff=0.8)
    return f"did you mean {inert(named[close[0]].name)}?" if close else "check the path"


def raw_cells(data: bytes) -> tuple[list[RawCell], list[str]]:
    """The raw cells in these bytes, and warnings about reading them.

    Raises:
        Rejected: it is neither a notebook nor text.
    """
    text, warnings = _text(data)
    if not re.match(r"\s*\{", text):
        if _MARIMO.search(text):
            raise Rejected("a script of marimo", EXPORTED)
        return list(_apart(_unpacked(_percent_cells(text)), "")), warnings
    notebook = _loaded(text)
    packages = _part(notebook.get("metadata"), "autograder").get("packages")
    packages = packages if isinstance(packages, str) else ""
    return list(_apart(_unpacked(_notebook_cells(notebook)), packages)), warnings


def _unpacked(cells: list[RawCell]) -> Iterator[RawCell]:
    """The cells, with the code of setup cells unpacked: later code does not see the packed form."""
    unpacked = 0
    for cell in cells:
        if cell.is_code and unpacked < MAX_PACKED and setup_cell.may_be_packed(cell.source):
            unpacked += 1
            source, packed = setup_cell.unpacked(cell.source)
            cell = replace(cell, source=source, packed=packed)
        yield cell


def _apart(cells: Iterable[RawCell], packages: str) -> Iterator[RawCell]:
    """The cells, with everything merged with the setup cell separated."""
    for cell in cells:
        if not cell.is_code or filled_in(cell.source) < 0:
            yield cell
            continue
        for kind, source in cell_split.apart(cell.source, tuple(packages.split())):
            if kind == "setup":
                yield replace(cell, source=source)
            else:
                yield RawCell(source, kind != "prose", ())


def unmerged(raw: RawCell, steps: Iterable[str]) -> Iterator[RawCell]:
    """A cell; if an answer was merged with following checks, each of them separately."""
    has_checks = raw.is_code and _BEGINNING.search(raw.source)
    is_merged = has_checks and not binds(raw.source).isdisjoint(steps)
    if not is_merged or not parses(raw.source):
        yield raw
        return
    for part in cell_split.by_check(raw.source):
        if part.kind == "code":
            yield replace(raw, source=part.source)


def raw_notebook(data: bytes) -> dict[str, Any] | None:
    """The raw notebook; None for a script.

    Raises:
        Rejected: it is not a notebook.
    """
    text, _ = _text(data)
    return _loaded(text) if re.match(r"\s*\{", text) else None


def source_of(raw: Any) -> str | None:
    """The raw source of a notebook's cell; None if it is not a cell."""
    source = raw.get("source", "") if isinstance(raw, dict) else None
    if isinstance(source, list):
        try:
            return "".join(source)
        except TypeError:  # not all of them are strings
            return None
    return source if isinstance(source, str) else None


def marks(data: bytes) -> dict[str, str]:
    """The build's metadata of a notebook, which its owner may have changed: the exercise, its
    title.

    Empty for a script, and for a notebook that has lost its metadata.
    """
    written = _metadata(data, "autograder")
    return {name: text for name, text in written.items() if isinstance(text, str) and text}


def newer_python(data: bytes) -> str:
    """The version of Python that a notebook says it was run with; empty unless newer than ours."""
    version = _metadata(data, "language_info").get("version")
    found = re.match(r"3\.([0-9]{1,3})(?![0-9])", version) if isinstance(version, str) else None
    return found[0] if found and int(found[1]) > sys.version_info.minor else ""


def _metadata(data: bytes, name: str) -> dict[str, Any]:
    """A part of a notebook's metadata; empty for a script."""
    try:
        return _part(_loaded(_text(data)[0]).get("metadata"), name)
    except Rejected:
        return {}


def _part(metadata: Any, name: str) -> dict[str, Any]:
    """The dictionary under a name in untrusted metadata."""
    part = metadata.get(name) if isinstance(metadata, dict) else None
    return part if isinstance(part, dict) else {}


def claims_of(cell_line: str) -> list[str]:
    """The ids in the marks of a cell line; jupytext writes nbgrader's as ``"grade_id"``."""
    return re.findall(r"(?:step|check|manual|\"grade_id\")\s*[=:]\s*\"([^\"]*)\"", cell_line)


def _text(data: bytes) -> tuple[str, list[str]]:
    if len(data) > MAX_BYTES:
        raise Rejected(f"larger than {MAX_BYTES // 1_000_000} MB", CLEARED)

    _refuse_other_kinds(data)
    encoding = json.detect_encoding(data)
    if not encoding.startswith("utf-8"):
        kind = encoding[:6].upper()
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            raise Rejected(f"not text: neither UTF-8 nor {kind}", SAVED_AS_UTF_8) from None
        return text, [f"the file was {kind} and was read as such; notebooks are UTF-8"]

    try:
        narrowed = _narrow(data)
        if narrowed is None:
            raise Rejected(_TOO_WIDE, CLEARED)
        return narrowed.decode(), []
    except UnicodeDecodeError:
        raise Rejected("not UTF-8 text", SAVED_AS_UTF_8) from None


def _narrow(data: bytes) -> bytes | None:
    """The same JSON in ASCII, if it is large; None if too much of it is not ASCII.

    A single emoji would make all of its text take four times the memory.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    if len(data) <= _MAX_WIDE or data.isascii():
        return data
    if len(data.translate(None, _ASCII)) > _MAX_OTHER:
        return None
    return _OTHER.sub(lambda other: json.dumps(other[0].decode())[1:-1].encode(), data)


def _refuse_other_kinds(data: bytes) -> None:
    """Refuse other kinds of files, recognized by their first bytes."""
    if data.startswith(b"PK\x03\x04"):
        raise Rejected("a zip archive", "unpack it and hand in the notebook that is in it")
    if data and not data.strip(b"\x00"):
        cause = "nothing but zero bytes, as after an interrupted copy"
        raise Rejected(cause, "look for the notebook where it was written, and hand that in")
    begins = data[:1000].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    if begins.startswith(b"<") and re.match(rb"<(!doctype html|html|head|\?xml|svg|!--)", begins):
        raise Rejected("a web page, not the notebook", DOWNLOADED)
    for beginning, kind in _OTHER_KINDS.items():
        if begins.startswith(beginning):
            raise Rejected(f"{kind}, not the notebook", DOWNLOADED)


def _loaded(text: str) -> dict[str, Any]:
    """The notebook in a text of JSON."""
    # Each counted character stands for at most three values, so short texts need no search.
    if 3 * len(text) > MAX_VALUES and _values(text) > MAX_VALUES:
        raise Rejected(f"more than {MAX_VALUES} values", CLEARED)
    try:
        notebook = json.loads(text, object_pairs_hook=_unique)
    except RecursionError:
        raise Rejected("not a notebook: nested too deeply") from None
    except ValueError as error:
        raise _broken(text, error) from None

    if isinstance(notebook, dict) and {"doc_id", "resource_key"} & notebook.keys():
        raise Rejected("a shortcut of Google Drive, not the notebook", DOWNLOADED)
    if not _is_format_4(notebook):
        raise Rejected("not a notebook of format 4")
    return dict(notebook)


def _notebook_cells(notebook: dict[str, Any]) -> list[RawCell]:
    if len(notebook["cells"]) > MAX_CELLS:
        raise Rejected(f"more than {MAX_CELLS} cells", DELETED)

    return list(filter(None, map(_notebook_cell, notebook["cells"])))


def _is_format_4(notebook: Any) -> bool:
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        return False
    minor = notebook.get("nbformat_minor", 0)
    if not isinstance(minor, int) or isinstance(minor, bool):
        return False
    return notebook.get("nbformat") == 4 and 0 <= minor <= 20


def _values(text: str) -> int:
    """At least how many values the JSON holds, by size.

    A list is one, an object three, a key and its value three.
    """
    values = text.count(",") + text.count("[") + 3 * text.count("{")
    # Nearly always, and no copy is needed to know it.
    if values + 3 * text.count(":") <= MAX_VALUES:
        return values

    for blank in " \t\r\n":
        text = text.replace(blank, "")
    return values + 3 * text.count('":')


def _broken(text: str, error: ValueError) -> Rejected:
    """What is wrong with JSON, for a person who never meant to write any."""
    if re.search(r"^(<{7}|>{7}) ", text, re.MULTILINE):
        cause = "not a notebook: git has left conflict marks in it"
        return Rejected(cause, "choose one version and hand that in")
    if not isinstance(error, json.JSONDecodeError):
        return Rejected("not a notebook: a number in it has too many digits", CLEARED)

    line = f"line {error.lineno} of the file"
    if error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip()):
        cause = f"not a notebook: it breaks off in {line}, as after an interrupted upload"
        return Rejected(cause, "hand in the whole file")
    return Rejected(f"not a notebook: {line} is damaged")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise Rejected("not a notebook: an object has the same key twice")
    return unique


def _notebook_cell(raw: Any) -> RawCell | None:
    """A cell of a notebook; None if it is not a cell."""
    source = source_of(raw)
    if source is None:
        return None
    is_code = raw.get("cell_type") == "code"
    if not is_code:
        source = without_pictures(source)

    nbgrader = _part(raw.get("metadata"), "nbgrader")
    claims = [id for id in (nbgrader.get("grade_id"), raw.get("id")) if isinstance(id, str)]
    checksum = str(nbgrader.get("checksum", ""))
    return RawCell(_clean(source, is_code), is_code, tuple(claims), checksum)


def _percent_cells(text: str) -> list[RawCell]:
    """The cells of a percent script; a script without cell lines is one cell."""
    if len(text) > MAX_SOURCE:  # a script has no outputs
        raise Rejected("a script of more than a million characters", DELETED)

    cells: list[RawCell] = []
    for cell in split(lines_of(text)):
        if not cell.is_blank:
            claims = tuple(claims_of(cell.cell_line))
            checksum = _CHECKSUM.search(cell.cell_line)
            words = without_pictures(cell.source) if cell.is_prose else cell.source
            source = _clean(words, not cell.is_prose)
            cells.append(
                RawCell(source, not cell.is_prose, claims, checksum[1] if checksum else "")
            )

    if not cells:
        raise Rejected("holds nothing")
    if len(cells) > MAX_CELLS:
        raise Rejected(f"more than {MAX_CELLS} cells", DELETED)
    return cells


def _clean(source: str, is_code: bool) -> str:
    """Line ends as Python has them; lone surrogates, which no file can hold, as question marks."""
    if len(source) > MAX_SOURCE and is_code:
        first = one_line(source.lstrip(), 40)
        cause = f"the cell that begins with {first} holds more than a million characters"
        raise Rejected(cause, DELETED)
    source = cut(source, MAX_SOURCE)  # nobody reads so much text
    if "\r" in source or "\x00" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    try:
        source.encode()
    except UnicodeEncodeError:
        return source.encode("utf-8", "replace").decode("utf-8")
    return source


def as_notebook(data: bytes) -> bytes:
    """The same cells as a notebook; the same bytes give the same notebook.

    Raises:
        ValueError: not UTF-8 text, or more than a notebook holds.
    """
    if len(data) > 4 * MAX_SOURCE:
        raise ValueError("is a script of more than a million characters")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"is not UTF-8 text; {SAVED_AS_UTF_8}") from None
    if _MARIMO.search(text):
        raise ValueError(f"is a script of marimo; {EXPORTED}")
    lines = lines_of(text)

    most = MAX_CELLS + 1  # the first has no cell line
    cells = list(islice(split(lines), most + 1))
    if len(cells) > most:
        raise ValueError(f"has more than {MAX_CELLS} cells")

    ids: set[str] = set()
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
        },
        "cells": [_built_cell(cell, ids) for cell in cells if not cell.is_blank],
    }
    text = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    return text.encode("utf-8", "replace")


def _built_cell(cell: ScriptCell, ids: set[str]) -> dict[str, object]:
    # The mark of a cell survives as its id, by which the intake finds the answer.
    claims = [claim for claim in claims_of(cell.cell_line) if _ID.fullmatch(claim)]
    id = claims[0] if claims and claims[0] not in ids else f"cell-{len(ids) + 1}"
    ids.add(id)

    built = {"id": id, "metadata": {}, "source": cell.source.splitlines(keepends=True)}
    if cell.is_prose:
        return {**built, "cell_type": "markdown"}
    return {**built, "cell_type": "code", "execution_count": None, "outputs": []}
