"""Canvas: its REST API, through ``canvasapi``.

One request enters a score, a comment and the student's page: all of them, or none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from canvasapi.course import Course as CanvasCourse
from canvasapi.exceptions import CanvasException, InvalidAccessToken, ResourceDoesNotExist
from canvasapi.requester import Requester
from canvasapi.upload import Uploader

from autograder.base.errors import Unusable
from autograder.course.collecting.naming import Claim
from autograder.course.course import KEYS, Course
from autograder.show.exports.match_students import StudentLine
from autograder.show.exports.push import web
from autograder.show.exports.push.push import NewScore, PlatformScore
from autograder.show.exports.safe_csv import number

TOKEN = KEYS["canvas"]

_NO_POINTS = ("not_graded", "pass_fail")
"""Canvas's grading types without points."""


class Canvas:
    """An assignment in Canvas; ``assignments.NAME`` is the number at the end of its URL."""

    name = "Canvas"
    takes_pages = True
    takes_more = True
    max_score = 0.0

    def __init__(self, course: Course, exercise: str) -> None:
        address = web.needed(course, "push.address").rstrip("/")
        number_there = web.needed(course, "push.course")
        token = web.secret(course, TOKEN)
        self._id = course.settings.assignments[exercise]
        self._web = web.Web(self.name, token)
        self._requester = Requester(address, token)
        # canvasapi's own session waits for ever, and gives up if Canvas asks it to wait.
        self._requester._session = self._web.session
        self._course = CanvasCourse(self._requester, {"id": int(number_there)})
        self._submissions: dict[str, Any] = {}

    def read(self) -> list[PlatformScore]:
        """Everybody who is enrolled as a student, with the entered score; see ``Platform``."""
        with self._errors("correct push.course and assignments in autograder.toml"):
            assignment = self._course.get_assignment(self._id)
            self._refuse(assignment)
            self.max_score = float(assignment.points_possible)
            self._submissions = {str(one.user_id): one for one in assignment.get_submissions()}
            people = list(self._course.get_users(enrollment_type=["student"], include=["email"]))

        is_over = getattr(assignment, "in_closed_grading_period", False)
        entries = []
        for person in people:
            id = str(person.id)
            own = self._submissions.get(id)
            closed = "in a closed grading period of Canvas" if is_over else ""
            if own is None:
                closed = "not assigned to them in Canvas"
            elif getattr(own, "excused", False):
                closed = "excused in Canvas"
            # The score as entered: Canvas may subtract points for lateness, by its own rule.
            score = None if own is None else getattr(own, "entered_score", own.score)
            entries.append(PlatformScore(id, _line(person), score, closed))
        return entries

    def write(self, change: NewScore) -> None:
        """Enter a score, with a comment and the student's page; see ``Platform``."""
        submission = self._submissions[change.id]
        comment: dict[str, Any] = {"text_comment": change.comment}
        with self._errors():
            if change.page.is_file():
                place = f"courses/{self._course.id}/assignments/{self._id}/submissions"
                place = f"{place}/{change.id}/comments/files"
                is_there, file = Uploader(self._requester, place, str(change.page)).start()
                if not is_there:
                    raise self._web.refused("did not take the page")
                comment["file_ids"] = [file["id"]]
            submission.edit(submission={"posted_grade": number(change.new)}, comment=comment)

    def _refuse(self, assignment: Any) -> None:
        """Refuse an assignment into which scores cannot go one by one."""
        if assignment.grading_type in _NO_POINTS or assignment.points_possible is None:
            cause, repair = "the assignment has no points", "let Canvas show its grade as points"
        elif getattr(assignment, "anonymize_students", False):
            cause, repair = "hides who is who (anonymous grading)", "switch that off, or use --to"
        elif getattr(assignment, "moderated_grading", False) and not assignment.grades_published:
            cause, repair = "grades are moderated and not published", "publish them there first"
        elif getattr(assignment, "group_category_id", None) and not getattr(
            assignment, "grade_group_students_individually", False
        ):
            cause = "would give one student's score to the whole group"
            repair = "choose there to grade each student individually"
        else:
            return
        raise Unusable(self.name, cause, repair)

    @contextmanager
    def _errors(self, repair: str = "") -> Iterator[None]:
        try:
            with self._web.errors():
                yield
        except InvalidAccessToken:
            repair = f"make a new one (Account, Settings, Approved integrations) for {TOKEN}"
            raise self._web.refused("does not accept the access token", repair) from None
        except ResourceDoesNotExist:
            raise self._web.refused("404 Not Found", repair) from None
        except CanvasException as error:
            raise self._web.refused(f"{type(error).__name__}: {error}", repair) from None


def _line(person: Any) -> StudentLine:
    """Canvas's data about a person, of which some may be missing."""
    keys = ("login_id", "email", "sis_user_id", "name")
    login, email, sis, name = (str(getattr(person, key, None) or "") for key in keys)
    return StudentLine(Claim("canvas", name, str(person.id), email), (login, sis), name or login)
