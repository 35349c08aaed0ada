"""Chooses which of a student's submissions counts: the last or the best, by the settings.

The choice is made before anything is recorded, so the others leave no trace in the gradebook. The
result of a submission, and the points that it keeps, are stored next to it (``store.RESULT``),
marks by hand with the answers that they were given for (``old_marks``).
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.course import timestamp
from autograder.course.collecting import store
from autograder.course.course import Course
from autograder.course.gradebook import deadlines, master, old_marks
from autograder.course.gradebook.marks import CellMarks, Marks, Rules, class_marks
from autograder.course.gradebook.old_marks import Again, Mark
from autograder.course.gradebook.versions import Now
from autograder.course.grading.records import with_kept
from autograder.course.results import stored_result
from autograder.course.submission_folder import digest_of, notebook_of
from autograder.course.troubles import cause
from autograder.exercises.exercise import Exercise
from autograder.grader.graded import Graded
from autograder.submissions.notebook import read
from autograder.submissions.parse import parse

Points = Mapping[str, CellMarks]
"""The marks that the cells of a submission would have in the gradebook, by cell."""


class Choice:
    """The submissions that count, for students who have several.

    Args:
        students: the students to grade.
        never_lower: the same file earns no less than before, even if it does not count.
    """

    def __init__(
        self, course: Course, exercise: Exercise, students: Sequence[str], never_lower: bool
    ) -> None:
        self._course = course
        self._exercise = exercise
        self._never_lower = never_lower
        self._graded_now: dict[str, list[Result]] = {}
        self._others: dict[str, list[Path]] = {}
        for student in students:
            places = store.earlier(course, exercise.name, student)
            if places:
                self._others[student] = places

    def to_grade(self) -> dict[Path, list[str]]:
        """The students whose other submissions lack a current grade, by the folder of these."""
        now = Now(self._course, self._exercise)
        found: dict[Path, list[str]] = {}
        for student, places in self._others.items():
            known = self._known(student)
            for place in places:
                result = known.get(digest_of(place, self._exercise.name))
                if result is None or result.status == "error" or now.changed_since(result):
                    found.setdefault(place.parent.parent, []).append(student)
        return found

    def add(self, graded: Graded) -> Result:
        """Take the result of another submission; return it with the points that it keeps."""
        student = graded.result.student_id
        result = self._with_kept(graded.result, self._known(student))
        self._graded_now.setdefault(student, []).append(result)
        return result

    def store(self, folder: Path, graded: Graded) -> None:
        """The same, and store the result next to the submission."""
        place = files.below(folder, graded.result.student_id, self._exercise.name, follow=False)
        _write(place, self.add(graded))

    def of(self, graded: Graded) -> Graded:
        """The submission of a student that counts, moved to the place of the graded one.

        If it cannot be determined, this is an error of that student only.

        Args:
            graded: the result of the submission that is there now.
        """
        try:
            return self._put_in_place(graded)
        except Exception as error:
            reason = f"which submission counts could not be found out: {cause(error)}"
            return Graded(graded.result.without_steps(reason), None)

    def _put_in_place(self, graded: Graded) -> Graded:
        student, name = graded.result.student_id, self._exercise.name
        best, candidates = self.pick(graded)
        own = self._course.submission(student, name)

        for place, other in candidates.items():
            if place != own:
                _write(place, other.result)
            if place != best and other.result.status == "error":
                what = "another submission met a fault of the grader, and does not count"
                print(f"note: of {student} {what}: {other.result.reason}", file=sys.stderr)

        if best != own:
            kept = store.swap(self._course, name, student, best)
            _write(kept, candidates[own].result)
            which = "better" if self._course.settings.counts == "best" else "later"
            said = f"note: of {student} another submission is {which}, and counts"
            print(said, file=sys.stderr)
        return candidates[best]

    def pick(self, graded: Graded) -> tuple[Path, dict[Path, Graded]]:
        """The folder of the submission that counts, and the results of all submissions.

        A submission whose result is recorded already is ``unchanged``.
        """
        student, name = graded.result.student_id, self._exercise.name
        own = self._course.submission(student, name)
        if student not in self._others:
            return own, {own: graded}

        known = self._known(student)
        if not graded.unchanged:
            graded = replace(graded, result=self._with_kept(graded.result, known))
        candidates = {own: graded}
        recorded = self._recorded(student)
        for place in self._others[student]:
            result = known.get(digest_of(place, name))
            if result is not None:
                submission = None
                if result.status == "graded":
                    data = read(notebook_of(place / f"{name}.ipynb"))
                    submission = parse(data, self._exercise)
                candidates[place] = Graded(result, submission, result == recorded)

        worth = dict.fromkeys(candidates, 0.0)
        if self._course.settings.counts == "best":
            worth = self._worth(student, candidates)
        return max(candidates, key=lambda place: (worth[place], _time(place, name))), candidates

    def _known(self, student: str) -> dict[str | None, Result]:
        """The results of the student's submissions, by the digests of their bytes."""
        results = [self._recorded(student), *map(_stored, self._others[student])]
        results += self._graded_now.get(student, [])
        return {result.submission_sha256: result for result in results if result is not None}

    def _recorded(self, student: str) -> Result | None:
        with contextlib.suppress(Unusable):  # a damaged one is replaced
            return stored_result(self._course, self._exercise.name, student)
        return None

    def _with_kept(self, result: Result, known: Mapping[str | None, Result]) -> Result:
        old = known.get(result.submission_sha256)
        return with_kept(old, result, self._exercise.former, self._never_lower)

    def _worth(self, student: str, candidates: Mapping[Path, Graded]) -> dict[Path, float]:
        """The final scores that the submissions would have; -1 if one could not be graded.

        A mark by hand belongs to the answer that it was given for. An unmarked answer counts like
        the best marked answer to that question.
        """
        points: dict[Path, Points] = {}
        best: dict[str, float] = {}
        for place, graded in candidates.items():
            if graded.submission is not None:
                points[place] = self._points(student, graded)
                for id, cell in points[place].items():
                    if cell.manual_score is not None:
                        best[id] = max(best.get(id, 0.0), cell.manual_score)

        worth = dict.fromkeys(candidates, -1.0)
        for place, cells in points.items():
            score = 0.0
            for id, cell in cells.items():
                score += cell.score if cell.is_scored else best.get(id, 0.0)
            worth[place] = round(score - self._penalty(student, place, score), 9)
        return worth

    def _points(self, student: str, graded: Graded) -> Points:
        """The marks that the cells of a submission would have, with marks by hand for its
        answers."""
        again = Again(self._course, self._master, graded)
        submission = graded.submission
        entered: dict[str, CellMarks] = {}
        if student in self._marks:
            for id, marks in self._marks[student].cells.items():
                if marks.manual_score is not None or marks.extra_credit is not None:
                    entered[id] = marks
        away: dict[str, Mark] = {}
        for mark in self._put_away.get(student, ()):
            if again.fits(mark):
                away[again.present(mark)] = mark

        points = {}
        for cell in self._master.graded:
            check = graded.result.by_id.get(cell.id)
            earned = check.earned if check is not None else None
            answer = submission.answer(cell.id) if submission is not None else None
            if cell.is_solution and cell.unanswered(answer):
                earned = 0.0
            mark = away.get(cell.id, {})
            marked = CellMarks(earned, mark.get("manual_score"), mark.get("extra_credit"))
            if cell.id in entered and cell.id not in again.changed:
                marked = replace(entered[cell.id], auto_score=earned)
            points[cell.id] = marked
        return points

    def _penalty(self, student: str, place: Path, score: float) -> float:
        """The late penalty on a score."""
        marks = self._marks.get(student)
        stored = marks.stored_extension if marks else None
        deadline = self._rules.given.deadline(student, self._exercise.name, self._due, stored)
        time = timestamp.submitted_at(place)
        if time is not None and time > timestamp.now():
            return 0.0
        seconds = deadlines.seconds_late(time, deadline)
        with contextlib.suppress(Unusable):  # a failing rule is reported when the grade is recorded
            return self._rules.penalties.of(student, score, seconds) if seconds else 0.0
        return 0.0

    # Read only if somebody has several submissions; by then cells have their current names.

    @cached_property
    def _master(self) -> master.Master:
        return master.load(self._course, self._exercise)

    @cached_property
    def _marks(self) -> dict[str, Marks]:
        return class_marks(self._course, self._exercise)

    @cached_property
    def _put_away(self) -> dict[str, list[Mark]]:
        return old_marks.of_exercise(self._course, self._exercise.name)

    @cached_property
    def _due(self) -> datetime | None:
        return deadlines.due_date(self._course, self._exercise.name)

    @cached_property
    def _rules(self) -> Rules:
        return Rules(self._course, self._exercise)


def _write(place: Path, result: Result) -> None:
    if _stored(place) != result:
        files.write(place / store.RESULT, f"{result.to_json()}\n".encode())


def _stored(place: Path) -> Result | None:
    with contextlib.suppress(OSError, ValueError):  # then it is graded again
        return Result.from_json((place / store.RESULT).read_bytes())
    return None


def _time(place: Path, exercise: str) -> datetime:
    """The time of a submission; the file's own time replaces an impossible one."""
    time = timestamp.submitted_at(place)
    if time is not None and time <= timestamp.now():
        return time
    with contextlib.suppress(OSError):
        changed = notebook_of(place / f"{exercise}.ipynb").stat().st_mtime
        return timestamp.of_system(changed)
    return datetime.min
