"""The grades of a course: everybody's final scores in all exercises, and their weighted total.

A total is computed from the final scores whenever it is needed, and never stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any

from autograder.base.errors import Unusable
from autograder.course import results, timestamp
from autograder.course.class_list import Person, may_be
from autograder.course.course import Course
from autograder.course.gradebook import deadlines, final_grades, ordinary, versions
from autograder.course.gradebook.final_grades import ClassGrades, Grade, class_json, dumped
from autograder.course.submission_folder import handed_in
from autograder.exercises import exercise as exercises

MOST = 100.0
"""The total for full points in every exercise that counts."""

NAME = "course"
"""The name of the page and the exports of the whole course, in place of an exercise's name."""

SCHEMA = "autograder/course/1"
"""The format of the JSON, and its version."""


@dataclass(frozen=True)
class CourseExercise:
    """An exercise of the course; ``due`` is in the course's zone, None without a date.

    ``why_not`` says why it does not count in the total; empty if it does.
    """

    name: str
    title: str
    max_score: float
    weight: float
    due: datetime | None
    why_not: str
    grades: ClassGrades

    @property
    def counts(self) -> bool:
        return not self.why_not


@dataclass(frozen=True)
class CourseRow(Person):
    """One student; ``by_exercise`` has all exercises, in their order.

    ``total`` is None if an exercise that counts has no score, or if none counts. ``reasons`` say
    why the total is not final, by the name of the exercise.
    """

    student: str
    person: Mapping[str, str] | None
    by_exercise: Mapping[str, Grade]
    total: float | None
    reasons: Mapping[str, str]

    @property
    def is_final(self) -> bool:
        return self.total is not None and not self.reasons

    @property
    def note(self) -> str:
        """Why the total is not final, in one line."""
        return "; ".join(f"{name}: {why}" for name, why in self.reasons.items())

    def as_grade(self) -> Grade:
        """The student as in the grades of an exercise, with the total as score, if any."""
        has_score = any(one.score is not None for one in self.by_exercise.values())
        return Grade(self.student, "graded", 0.0 if has_score else None, self.person)


@dataclass(frozen=True)
class CourseGrades:
    """Everybody of the course, by id; ``waiting`` are exercises that are not handed out yet."""

    exercises: tuple[CourseExercise, ...]
    rows: tuple[CourseRow, ...]
    waiting: tuple[str, ...] = ()
    troubles: tuple[str, ...] = field(default=(), compare=False)

    @property
    def counting(self) -> list[CourseExercise]:
        """The exercises in the total."""
        return [one for one in self.exercises if one.counts]

    @property
    def moved(self) -> dict[str, str]:
        """Students who are not on the class list, each with one on it who may be the same
        person."""
        found = {}
        for one in self.exercises:
            for grade in one.grades.grades:
                if grade.new_id:
                    found[grade.student] = grade.new_id
        return found

    def final_scores(self) -> dict[str, dict[str, float | None]]:
        """Everybody's scores, as in the log, by exercise."""
        scores: dict[str, dict[str, float | None]] = {}
        for one in self.exercises:
            scores |= one.grades.final_scores()
        return scores

    def share(self, exercise: CourseExercise) -> float:
        """The weight of an exercise in the total, from 0 to 1."""
        whole = sum(_exact(one.weight) for one in self.counting)
        return float(_exact(exercise.weight) / whole) if exercise.counts else 0.0

    def notes(self) -> Iterator[str]:
        """Notes for the teacher: what is missing in the totals, and which are not final."""
        for one in self.exercises:
            if not one.counts:
                yield f"not in the total: {one.name}: {one.why_not}"
        for ids in self.moved.items():
            yield f"perhaps renamed: {may_be(*ids)}"
        for row in self.rows:
            for name, own in row.by_exercise.items():
                if own.status == "missing" and own.score is not None:
                    yield f"zero: {row.student}: {name}: missing"
            if row.reasons:
                yield f"not final: {row.student}: {row.note}"

    def refuse_outdated(self) -> None:
        """Refuse to pass on scores from before an exercise or a setting was changed."""
        for one in self.exercises:
            one.grades.refuse_outdated()


def of_course(course: Course, missing_as_zero: bool = False) -> CourseGrades:
    """The final scores in all exercises of the course that have begun.

    Args:
        missing_as_zero: students who handed in nothing get 0 points once their own time is over;
            rejected, ungraded and failed submissions have no score even then.

    Raises:
        Unusable: no exercise has begun, or one cannot be read.
    """
    own_names = exercises.built_names(course.root)
    others = ordinary.names(course)
    names = sorted([*own_names, *others])
    if NAME in names:
        repair = "the whole course has that name in reports and exports; rename it"
        raise Unusable(f"{course.root / 'solutions' / NAME}.py", repair)
    # Exercises that students know: with a date, released, or handed in by somebody.
    begun = []
    released = versions.released(course)
    for name in names:
        is_dated = deadlines.due_date(course, name) or name in released
        if is_dated or handed_in(course, name) or results.stored_students(course, name):
            begun.append(name)
    if not begun:
        raise Unusable(
            course.state,
            "no exercise is handed out yet, and nothing is collected",
            "run autograder release EXERCISE",
        )

    own = [_exercise(course, name, missing_as_zero) for name in begun]
    people: dict[str, Mapping[str, str] | None] = dict(course.class_list() or {})
    troubles: dict[str, None] = {}
    for one in own:
        people |= {grade.student: grade.person for grade in one.grades.grades}
        troubles |= dict.fromkeys(one.grades.troubles.lines)

    everybody: dict[str, dict[str, Grade]] = {}
    for one in own:
        grades = {grade.student: grade for grade in one.grades.grades}
        left = deadlines.TimeLeft(course, one.name)
        for student in people.keys() - grades.keys():  # their grade may not concern this exercise
            person = people[student]
            grades[student] = final_grades.missing(student, person, left, missing_as_zero)
        everybody[one.name] = grades

    counting = [one for one in own if one.counts]
    rows = []
    for student in sorted(people):
        by_exercise = {name: grades[student] for name, grades in everybody.items()}
        reasons = {}
        for one in counting:
            if by_exercise[one.name].pending:
                reasons[one.name] = by_exercise[one.name].pending
        total = _total(by_exercise, counting)
        rows.append(CourseRow(student, people[student], by_exercise, total, reasons))
    waiting = tuple(name for name in names if name not in begun)
    return CourseGrades(tuple(own), tuple(rows), waiting, tuple(troubles))


def _exercise(course: Course, name: str, missing_as_zero: bool) -> CourseExercise:
    is_ours = exercises.belongs(course.root, name)
    exercise = exercises.load(course.root, name) if is_ours else ordinary.find(course, name)
    grades = final_grades.of_class(course, exercise, missing_as_zero, nobody=True)
    weight = course.settings.weight(name)
    due = deadlines.due_date(course, name)
    why_not = ""
    if not weight:
        why_not = "weight 0"
    elif not grades.max_score:
        why_not = "no points"
    elif due is not None and due > timestamp.now():
        why_not = "not due yet"
    shown = due and timestamp.shown(due, course.settings.zone_shown(name))
    return CourseExercise(name, exercise.title, grades.max_score, weight, shown, why_not, grades)


def _total(by_exercise: Mapping[str, Grade], counting: Sequence[CourseExercise]) -> float | None:
    """The weighted mean of a student's shares of each exercise's points."""
    earned = whole = Fraction(0)
    for one in counting:
        score = by_exercise[one.name].score
        if score is None:
            return None
        weight = _exact(one.weight)
        earned += weight * _exact(score) / _exact(one.max_score)
        whole += weight
    return round(float(_exact(MOST) * earned / whole), 9) if whole else None


def _exact(value: float) -> Fraction:
    """The decimal number that a person wrote, such as 0.1, and not its binary approximation."""
    return Fraction(str(value))


def to_json(grades: CourseGrades) -> str:
    """JSON with a line for each student, so that grep works."""
    exercises = []
    for one in grades.exercises:
        about = {
            "name": one.name,
            "title": one.title,
            "max_score": one.max_score,
            "weight": one.weight,
            "share": round(grades.share(one), 9),
            "due": one.due.isoformat() if one.due else None,
            "counts": one.counts,
            "why_not": one.why_not,
        }
        exercises.append(about)

    about = {
        "schema": SCHEMA,
        "max_total": MOST,
        "not_handed_out": grades.waiting,
        "exercises": exercises,
    }
    return class_json(about, (dumped(_row_data(row)) for row in grades.rows))


def _row_data(row: CourseRow) -> dict[str, Any]:
    by_exercise = {}
    for name, grade in row.by_exercise.items():
        status = "open" if grade.has_time else grade.status  # missing, but there is still time
        by_exercise[name] = {"status": status, "score": grade.score, "why": grade.pending}
    return {
        "student": row.student,
        "name": row.name,
        "total": row.total,
        "final": row.is_final,
        "exercises": by_exercise,
    }
