"""The page that a student gets: what was graded, what went wrong, and the question that helps.

It is built from our own templates, never by converting a notebook; the templates escape all values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timezone, tzinfo
from typing import TYPE_CHECKING

from autograder.base.result import Result, StepResult
from autograder.base.text import late, once_right, points, points_of
from autograder.course.gradebook.marks import Marks
from autograder.exercises.exercise import Exercise
from autograder.show.disclosure import as_student_sees
from autograder.show.pages.changes import PageFacts
from autograder.show.pages.document import day_of, show
from autograder.show.pages.solutions import Solution
from autograder.show.pages.steps import ShownQuestion, Steps, docstrings, to_mend

if TYPE_CHECKING:
    from autograder.submissions.submission import Submission

FIRST = 3  # steps to fix that are explained at the top; the others are only named
LONGEST = 160  # characters of a reason


@dataclass
class StudentPage:
    """The page of a student with a result.

    Args:
        submission: the graded submission; without it the page has no code.
        marks: the student's marks in the gradebook, for the final score.
        hidden: how much of hidden checks is shown (``disclosure``).
        solutions: the solutions that the student may see, by step or question.
        asked: the questions that only this student has, by step.
    """

    exercise: Exercise
    result: Result
    submission: Submission | None
    marks: Marks | None
    hidden: str = "message"
    solutions: Mapping[str, Solution] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._cells = self.marks.cells if self.marks else {}
        self._seen = as_student_sees(self.result, self.hidden)
        # The gradebook's score, or else that of the checks.
        said = self.marks or self.result
        self._score, self._most = said.score, said.max_score

    def facts(self) -> PageFacts:
        """The numbers and a teacher's comments on the page."""
        questions = {cell.id for cell in self.exercise.cells if cell.kind == "manual"}
        points = {id: check.earned for id, check in self._seen.by_id.items()}
        remarks: dict[str, str] = {}
        for id, cell in self._cells.items():
            # Checks that are completely hidden count only in the score.
            if cell.is_scored and (id in points or id in questions):
                points[id] = cell.score
            if cell.remark:
                remarks[id] = cell.remark

        score = "none" if self._score is None else points_of(self._score, self._most)
        return PageFacts(
            self._seen.submission_sha256,
            score,
            points,
            remarks,
            hidden=self.hidden,
            solutions=len(self.solutions),
        )

    def html(
        self,
        *,
        name: str = "",
        is_older: bool = False,
        handed_in: str = "",
        facts: PageFacts | None = None,
        zone: tzinfo | None = None,
    ) -> str:
        """The page: self-contained, without scripts and links.

        Args:
            name: the student's name, if known.
            is_older: whether a later submission is not graded yet.
            handed_in: the time of the submission, and its source.
            facts: with the changes since the previous page, if any.
            zone: the time zone of the times; None for UTC.
        """
        exercise, result, cells = self.exercise, self.result, self._cells
        answer = self.submission.answer if self.submission else None
        given = {name: docstrings(exercise.cell(name).source) for name in exercise.steps}
        steps = Steps(
            exercise.sentences, answer, cells, self._seen.steps, given, self.solutions, self.asked
        )
        wrong = to_mend(self._seen.steps)
        carried = []
        for step in self._seen.steps:
            if step.carried and step not in wrong:
                carried.append(step.name)

        # The text at the end of the notebook names the next exercise.
        last = exercise.cells[-1]
        is_asked = last.is_code or last.kind == "manual"

        return show(
            "feedback_result.html.jinja",
            exercise=exercise.name,
            title=exercise.title,
            student=result.student or "",
            name=name,
            result=result,
            graded_on=day_of(result.graded_at, zone or timezone.utc),
            hides=self.hidden == "never",
            is_older=is_older,
            handed_in=handed_in,
            changes=facts.changes if facts else (),
            changed_on=facts.on if facts else "",
            marks=self.marks,
            score=self._score,
            most=self._most,
            parts=list(_parts(self.marks)) if self.marks else [],
            explained=FIRST,
            to_mend=list(zip(wrong, map(self._reason, wrong))),
            carried=carried,
            closing=_first_heading("" if is_asked else last.source),
            remarks=[(cell, entry.remark) for cell, entry in cells.items() if entry.remark],
            categories=self._seen.categories,
            sections=steps.sections(),
            questions=self._questions(steps),
            title_of={cell: cell_title(exercise, cell) for cell in cells},
        )

    def _questions(self, steps: Steps) -> list[ShownQuestion]:
        """The questions that a person grades."""
        questions = []
        for cell in self.exercise.cells:
            if cell.kind == "manual" and cell.id in self._cells:
                question = steps.question(cell, _heading(self.exercise, cell.id))
                # A bonus question without answer and mark is left out.
                is_marked = question.marks.manual_score is not None or question.marks.remark
                if question.answer or is_marked or not cell.is_extra:
                    questions.append(question)
        return questions

    def _reason(self, step: StepResult) -> str:
        """The shortest help: the question, or else the message of the first failing check.

        This is the mistake in the step itself, if its checks first report one of an earlier step.
        """
        for check in step.failed:
            if check.hint and check.remaining:
                return once_right(check.remaining_with, check.hint)
            if check.hint:
                return check.hint

        for check in step.failed:
            message = check.message
            if check.remaining:
                message = once_right(check.remaining_with, check.remaining)
            if message:
                line = message.strip().split("\n")[0]
                return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"

        first = step.failed[0]
        return f"Does not hold yet: {self.exercise.sentences.get(step.id_of(first)) or first.name}"


def missing(exercise: Exercise, student: str, name: str = "", is_collected: bool = False) -> str:
    """The page of a student without a graded submission."""
    return show(
        "feedback_missing.html.jinja",
        exercise=exercise.name,
        title=exercise.title,
        student=student,
        name=name,
        is_collected=is_collected,
    )


def cell_title(exercise: Exercise, cell: str) -> str:
    """The title of a cell with a remark: the heading of a question, the id of any other cell."""
    kinds = {one.id: one.kind for one in exercise.cells}
    return _heading(exercise, cell) if kinds.get(cell) == "manual" else cell


def _heading(exercise: Exercise, id: str) -> str:
    """The title of a question that a person grades: the heading above it, or its id."""
    above = ""
    for cell in exercise.cells:
        if cell.id == id:
            break
        above = "" if cell.is_code else cell.source
    return _first_heading(above) or id.replace("_", " ")


def _first_heading(text: str) -> str:
    heading = re.search(r"^#+ +(.+)$", text, re.MULTILINE)
    return heading[1].strip() if heading else ""


def _parts(marks: Marks) -> Iterator[tuple[str, str]]:
    yield "Checks", points(marks.automatic)
    if any(cell.manual_score is not None for cell in marks.cells.values()):
        yield "By hand", _change(marks.by_hand)
    if marks.extra_credit:
        yield "Extra credit", _change(marks.extra_credit)
    if marks.raised:
        yield "Not below 0", _change(marks.raised)
    if marks.late_penalty:
        yield late(marks.seconds_late), _change(-marks.late_penalty)
    elif marks.seconds_late:
        yield late(marks.seconds_late), "no points off"


def _change(value: float) -> str:
    return f"{'minus' if value < 0 else 'plus'} {points(abs(value))}"
