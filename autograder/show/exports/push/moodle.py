"""Moodle: the functions of its web services (mod/assign/externallib.php).

One student per request: Moodle saves the first half of a batch and refuses the rest without naming
the student. It does not report that it left a locked grade unchanged.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from autograder.base.errors import Unusable
from autograder.course.collecting.naming import Claim
from autograder.course.course import KEYS, Course
from autograder.show.exports.match_students import StudentLine
from autograder.show.exports.push import web
from autograder.show.exports.push.push import NewScore, PlatformScore

TOKEN = KEYS["moodle"]

PAGE = 100  # participants per request
HTML = 1  # Moodle's number for a comment in HTML

_OURS = re.compile(r"\s*<p>autograder: [^<]*</p>")
"""The text that we add to a person's comment."""

_REPAIRS = {
    "invalidtoken": f"put a valid token into {TOKEN}",
    "accessexception": "add this function to the token's service",
    "nopermissions": "let the token's user grade in this course",
    "requireloginerror": "enrol the token's user in this course",
}
"""The repairs, by Moodle's error code."""


class Moodle:
    """An assignment in Moodle; ``assignments.NAME`` is the number at the end of its URL."""

    name = "Moodle"
    takes_pages = False
    takes_more = False
    max_score = 0.0

    def __init__(self, course: Course, exercise: str) -> None:
        address = web.needed(course, "push.address").rstrip("/")
        self._course = web.needed(course, "push.course")
        self._module = course.settings.assignments[exercise]
        self._token = web.secret(course, TOKEN)
        self._web = web.Web(self.name, self._token)
        self._url = f"{address}/webservice/rest/server.php"
        self._id = 0
        self._looked_at: set[str] = set()

    def read(self) -> list[PlatformScore]:
        """All participants of the assignment; see ``Platform``."""
        self._find()
        grades = self._grades()
        closed = self._closed()
        entries = []
        for person in self._participants():
            id = str(person["id"])
            entries.append(PlatformScore(id, _line(person), grades.get(id), closed.get(id, "")))
        return entries

    def write(self, change: NewScore) -> None:
        """Save a grade and a comment; a person's comment stays before ours."""
        comment = f"<p>{html.escape(change.comment)}</p>"
        if change.id in self._looked_at:
            comment = f"{_OURS.sub('', self._comment(change.id))}{comment}"
        grade = {
            "userid": change.id,
            "grade": change.new,
            "attemptnumber": -1,  # the latest
            "addattempt": 0,
            "workflowstate": "",
            "plugindata": {"assignfeedbackcomments_editor": {"text": comment, "format": HTML}},
        }
        self._call("mod_assign_save_grades", assignmentid=self._id, applytoall=0, grades=[grade])

    def _find(self) -> None:
        """Find the assignment by the number in its URL, and refuse one that cannot be pushed to."""
        said = self._call(
            "mod_assign_get_assignments", courseids=[self._course], includenotenrolledcourses=1
        )
        there = list(chain.from_iterable(course["assignments"] for course in said["courses"]))
        wanted = [one for one in there if str(one["cmid"]) == self._module]
        if not wanted:
            names = ", ".join(f"{one['name']} ({one['cmid']})" for one in there) or "none"
            cause = f"course {self._course} has no assignment {self._module}; it has {names}"
            raise self._web.refused(cause, "correct push.course or assignments")

        about = wanted[0]
        self._id, self.max_score = int(about["id"]), float(about["grade"])
        if self.max_score <= 0:
            raise Unusable(self.name, "the assignment has no points", "let its grade be points")
        if about.get("markingworkflow"):
            cause = "a score would set the marking workflow back"
            raise Unusable(self.name, cause, "fill in the worksheet, with --to moodle --fill FILE")

    def _participants(self) -> Iterator[dict[str, Any]]:
        skip = 0
        while True:
            place = {"assignid": self._id, "skip": skip, "limit": PAGE}
            everybody = {"groupid": 0, "filter": "", "includeenrolments": 0}
            page = self._call("mod_assign_list_participants", **place, **everybody)
            yield from page
            if len(page) < PAGE:
                return
            skip += PAGE

    def _grades(self) -> dict[str, float]:
        """The grades by user; Moodle gives students without one a grade below 0."""
        said = self._call("mod_assign_get_grades", assignmentids=[self._id])
        rows = list(chain.from_iterable(one["grades"] for one in said["assignments"]))
        self._looked_at = {str(row["userid"]) for row in rows}
        return {str(row["userid"]): float(row["grade"]) for row in rows if float(row["grade"]) >= 0}

    def _closed(self) -> dict[str, str]:
        """Why a grade cannot be changed, by user: Moodle would silently leave it unchanged."""
        said = self._call("gradereport_user_get_grade_items", courseid=self._course)
        closed = {}
        for user in said["usergrades"]:
            for item in user["gradeitems"]:
                if str(item.get("cmid")) != self._module:
                    continue
                if item.get("locked") or item.get("gradeislocked"):
                    closed[str(user["userid"])] = "locked in Moodle's gradebook"
                elif item.get("gradeisoverridden"):
                    closed[str(user["userid"])] = "overridden in Moodle's gradebook"
        return closed

    def _comment(self, user: str) -> str:
        """The existing comment."""
        said = self._call("mod_assign_get_submission_status", assignid=self._id, userid=user)
        for plugin in said.get("feedback", {}).get("plugins", []):
            for field in plugin.get("editorfields", []) if plugin["type"] == "comments" else []:
                return str(field["text"])
        return ""

    def _call(self, function: str, **parameters: Any) -> Any:
        """The answer of a web service function.

        Raises:
            Unusable: Moodle could not be reached, or refused.
        """
        data = {"wstoken": self._token, "wsfunction": function, "moodlewsrestformat": "json"}
        said, _ = self._web.json("POST", self._url, data={**data, **_flat(parameters)})
        # Moodle refuses with status 200.
        if isinstance(said, dict) and "exception" in said:
            code = str(said.get("errorcode", ""))
            cause = f"{function}: {said.get('message', '')} ({code})"
            raise self._web.refused(cause, _REPAIRS.get(code, ""))
        return said


def _flat(value: Any, name: str = "") -> dict[str, str]:
    """Parameters as a form has them: ``grades[0][userid]``."""
    if not isinstance(value, (dict, list)):
        return {name: str(value)}
    flat: dict[str, str] = {}
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        flat |= _flat(inner, f"{name}[{key}]" if name else str(key))
    return flat


def _line(person: dict[str, Any]) -> StudentLine:
    """Moodle's data about a person, of which some may be missing."""
    name, email = str(person.get("fullname", "")), str(person.get("email", ""))
    ids = (str(person.get("username", "")), str(person.get("idnumber", "")))
    claim = Claim("moodle", name, str(person.get("recordid", "")), email)
    return StudentLine(claim, ids, name or ids[0])
