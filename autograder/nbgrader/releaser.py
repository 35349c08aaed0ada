"""nbgrader's release of feedback, which says who still waits for a person's marks."""

from __future__ import annotations

from nbgrader.exchange.default import ExchangeReleaseFeedback  # type: ignore[import-untyped]

from autograder.gradebook import config, unmarked


class FeedbackReleaser(ExchangeReleaseFeedback):  # type: ignore[misc]
    """``nbgrader release_feedback`` and the formgrader's button."""

    def copy_files(self) -> None:
        super().copy_files()
        course = config.course_of(self.coursedir)
        students = unmarked.students(course, self.coursedir.assignment_id)
        if students:
            self.log.warning(unmarked.said(students))
