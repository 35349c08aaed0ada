"""Late policies as a teacher would write them."""

from nbgrader.plugins import BasePlugin  # type: ignore[import-untyped]


class HalfAPointAnHour(BasePlugin):  # type: ignore[misc]
    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        return 0.5 * (total_seconds_late // 3600)


class Broken(BasePlugin):  # type: ignore[misc]
    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        return score / 0
