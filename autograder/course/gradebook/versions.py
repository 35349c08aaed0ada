"""The versions that submissions were graded with, and what has changed since.

The exercise with its hidden checks, the settings, and the version of the kit are stored by digest,
so that a result can be explained later. A result names them in ``graded_with`` and
``exercise_sha256``; it also has a digest of the secret, and NumPy's version.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import autograder
from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.base.text import agreeing, count, listed, short
from autograder.course.collecting import store
from autograder.course.course import Course
from autograder.course.results import stored_results
from autograder.course.submission_folder import digest_of, digests, handed_in
from autograder.course.troubles import Troubles
from autograder.exercises.exercise import Exercise, from_notebook
from autograder.grader.dependencies import changed, dependencies
from autograder.submissions.notebook import Rejected, read
from autograder.submissions.parse import parse
from autograder.submissions.submission import Submission

FOLDER = "versions"
"""The folder of versions, in the course's folder."""

RELEASED = "released.json"
"""The file with the versions and steps with which each exercise was released."""


class Now:
    """The current inputs of a score."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        secret = course.secret() if course.has_secret() else None
        self._course = course
        self._exercise = exercise
        self._digests = dependencies(exercise, course.settings, secret)

    def changed_since(self, result: Result) -> tuple[str, ...]:
        """The inputs that have changed since a submission was graded, by name
        (``dependencies``)."""
        if result.status != "graded":
            return ()

        # Older results only name the exercise.
        names = changed(result.graded_with, self._digests) if result.graded_with else ["engine"]
        if result.exercise_sha256 != self._exercise.sha256 and "exercise" not in names:
            names.insert(0, "exercise")
        return tuple(names)

    def of_other_bytes(self, results: Mapping[str, Result]) -> set[str]:
        """The students with another submission than the graded one.

        Args:
            results: by student.
        """
        there = digests(self._course, self._exercise.name, results)
        others = set()
        for student, result in results.items():
            if there[student] not in (None, result.submission_sha256):
                others.add(student)
        return others


class Releases:
    """The steps of an exercise that students were given, according to its recorded releases.

    The content of a submission does not count here. ``last`` are the steps of the last release;
    None if none is recorded. ``earlier`` are the submissions that existed when a release added
    steps, by the SHA-256 of their bytes, with the steps of the previous release.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        noted = released(course).get(exercise.name)
        self.last: frozenset[str] | None = None
        self.earlier: dict[str, frozenset[str]] = {}
        if isinstance(noted, dict) and "steps" in noted:
            former = exercise.former
            self.last = frozenset(former.get(step, step) for step in noted["steps"])
            for digest, steps in noted["earlier"].items():
                self.earlier[digest] = frozenset(former.get(step, step) for step in steps)

    def steps(self, digest: str) -> frozenset[str] | None:
        """The steps that the student of a submission was given; None if unknown.

        Args:
            digest: the SHA-256 of its bytes.
        """
        return self.earlier.get(digest, self.last)


def note_release(course: Course, exercise: Exercise) -> list[str]:
    """Record the versions and steps with which an exercise is released now.

    Returns:
        Lines about the changes, and the students concerned.
    """
    releases = Releases(course, exercise)
    earlier, lines = releases.earlier, []
    if releases.last is not None:
        asked = [step for step in exercise.steps if step not in exercise.optional]
        new = [step for step in asked if step not in releases.last]
        if new:
            there = set(_digests(course, exercise.name)).difference(earlier)
            earlier |= dict.fromkeys(there, releases.last)
            lines.append(
                f"{listed(new)} {agreeing(len(new), 'is', 'are')} new: "
                f"{count(len(there), 'submission')} collected so far will not be asked for "
                f"{agreeing(len(new), 'it', 'them')}, all later ones will"
            )

    noted: dict[str, object] = {
        **dependencies(exercise, course.settings, None),
        "steps": exercise.steps,
        "earlier": {digest: sorted(steps) for digest, steps in earlier.items()},
    }
    text = json.dumps(released(course) | {exercise.name: noted}, indent=1, sort_keys=True)
    files.write(course.state / RELEASED, f"{text}\n".encode())
    return lines


def _digests(course: Course, exercise: str) -> Iterator[str]:
    """The digests of all stored submissions, possibly several per student."""
    for student in handed_in(course, exercise):
        own = course.submission(student, exercise)
        for place in (own, *store.earlier(course, exercise, student)):
            digest = digest_of(place, exercise)
            if digest is not None:
                yield digest


def since(course: Course, exercise: Exercise) -> Iterator[tuple[str, list[str], int]]:
    """The changes since an exercise was released, and since students were graded.

    Yields:
        ``released`` or ``graded``, what has changed, and for how many students.
    """
    noted = released(course).get(exercise.name)
    if isinstance(noted, dict):
        names = changed(noted, dependencies(exercise, course.settings, None))
        if names:
            yield "released", names, 0

    now = Now(course, exercise)
    groups: dict[tuple[str, ...], int] = {}
    for result in stored_results(course, exercise.name, Troubles()):
        what = now.changed_since(result)
        if what:
            groups[what] = groups.get(what, 0) + 1
    for what, number in groups.items():
        yield "graded", list(what), number


def released(course: Course) -> dict[str, object]:
    """The versions with which exercises were released, by name."""
    try:
        noted = json.loads((course.state / RELEASED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # it is only used for a note, and the next release writes it again
    return noted if isinstance(noted, dict) else {}


def keep(course: Course, exercise: Exercise) -> None:
    """Store the current versions, unless they are stored already."""
    now = dependencies(exercise, course.settings, None)
    data = {place: base64.b64encode(raw).decode() for place, raw in exercise.data.items()}
    kit = {"kit": autograder.__version__, "python": platform.python_version()}
    kept = {"sha256": exercise.sha256, "notebook": exercise.notebook, "data": data}
    names = (exercise.name, exercise.sha256[:16], now["exercise"])
    for path, content in (
        (_place(course, *names), kept),
        (_place(course, "settings", now["settings"]), course.settings.scoring),
        (_place(course, "engine", now["engine"]), kit),
    ):
        if not path.exists():
            files.write(path, gzip.compress(json.dumps(content).encode(), mtime=0))


def exercise_of(course: Course, result: Result, now: Exercise) -> Exercise:
    """The exercise that a result was graded with.

    Args:
        now: the current exercise, which is returned if it is the same.

    Raises:
        Unusable: it was not stored.
    """
    digest = result.graded_with.get("exercise", "")
    present = dependencies(now, course.settings, None)["exercise"]
    if (now.sha256, present) == (result.exercise_sha256, digest):
        return now

    place = _place(course, result.exercise, result.exercise_sha256[:16], digest)
    kept = _kept(place)
    if kept is None:
        raise Unusable(
            short(place),
            "the exercise that graded this is not there",
            f"put a backup of it there, or run autograder grade {result.exercise}",
        )
    try:
        data = {name: base64.b64decode(raw) for name, raw in kept["data"].items()}
        return replace(from_notebook(kept["notebook"]), sha256=kept["sha256"], data=data)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _damaged(place) from None


def settings_of(course: Course, result: Result) -> Settings:
    """The current settings, but those that a score depends on as they were for a result.

    Only the current ones if the old ones are unknown.
    """
    place = _place(course, "settings", result.graded_with.get("settings", ""))
    kept = _kept(place)
    if kept is None:
        return course.settings
    try:
        return replace(course.settings, **{**kept, "packages": tuple(kept["packages"])})
    except (KeyError, TypeError):
        raise _damaged(place) from None


def differences(course: Course, now: Exercise, result: Result) -> Iterator[str]:
    """The differences between now and the versions of a result, one per line."""
    secret = course.secret() if course.has_secret() else None
    present = dependencies(now, course.settings, secret)
    then = result.graded_with
    names = changed(then, present)

    if "exercise" in names or result.exercise_sha256 != now.sha256:
        yield "the exercise has changed since; this is the one that graded it"
    if "settings" in names:
        kept = _place(course, "settings", then.get("settings", ""))
        which = "these are the earlier ones" if kept.exists() else "the earlier ones were not kept"
        yield f"settings have changed since; {which}"
    if "engine" in names:
        kit = _kept(_place(course, "engine", then.get("engine", ""))) or {}
        which = ""
        if kit.keys() >= {"kit", "python"}:
            which = f" (kit {kit['kit']}, Python {kit['python']})"
        yield f"the kit has changed since{which}; the current one ran it"
    if "numpy" in names:
        yield f"NumPy was {then.get('numpy', 'of another version')} then, and is {present['numpy']}"
    if "secret" in names:
        yield "the secret has changed: these are not the inputs that were graded"


def submission_of(course: Course, exercise: Exercise, result: Result) -> Submission | None:
    """The submission that a result was computed from; None if it is gone."""
    folder = course.submission(result.student_id, exercise.name)

    # A notebook comes first, but the graded script may still be next to a later notebook.
    for suffix in (".ipynb", ".py"):
        try:
            data = read(folder / f"{exercise.name}{suffix}")
            if hashlib.sha256(data).hexdigest() == result.submission_sha256:
                return parse(data, exercise, result.student)
        except Rejected:
            continue
    return None


def _place(course: Course, *name: str) -> Path:
    return files.below(course.state / FOLDER, f"{'-'.join(name)}.json.gz")


def _kept(path: Path) -> Any:
    """The stored data; None if there are none."""
    try:
        content = json.loads(gzip.decompress(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError):
        raise _damaged(path) from None
    if not isinstance(content, dict):
        raise _damaged(path)
    return content


def _damaged(path: Path) -> Unusable:
    return Unusable(short(path), "damaged", "put a backup of it there")
