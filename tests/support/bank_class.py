"""What grading must make of a class from the banks (``autograder sample``)."""

from collections.abc import Iterator

from autograder.authoring.proving.sample import SampleStudent
from autograder.base.result import Result
from autograder.exercises.exercise import Exercise


def differences(student: SampleStudent, exercise: Exercise, result: Result | None) -> Iterator[str]:
    """Each way in which a result is another than this student's, as a line."""
    if result is None or result.status != "graded":
        yield f"expected a grade, got {result.reason if result else 'no result'}"
        return

    for step in result.steps:
        written = step.name in student.sources
        lost = [check for check in step.checks if check.has_failed or check.earned < check.points]
        if not written and len(lost) < len(step.checks):
            yield f"{step.name} is blank, and has {step.score} points"
        elif written and step.name == student.loses_first.partition("-")[0]:
            first = next((f"{step.name}-{check.name}" for check in lost), "nothing")
            if first != student.loses_first:
                yield f"loses {first} first, not {student.loses_first}"
        elif written and lost:
            yield f"loses {step.name}-{lost[0].name}: {lost[0].message}"
