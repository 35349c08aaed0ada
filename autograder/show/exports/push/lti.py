"""Any platform with LTI 1.3: its Assignment and Grade Services 2.0, and Names and Roles 2.0.

It only asks to read line items and results and to write scores, which platforms allow to a tool
that syncs grades. The line item must already exist in the platform.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import jwt

from autograder.base.errors import Unusable
from autograder.course.collecting.naming import Claim
from autograder.course.course import KEYS, Course
from autograder.show.exports.match_students import StudentLine
from autograder.show.exports.push import web
from autograder.show.exports.push.push import NewScore, PlatformScore

KEY = KEYS["lti"]

_AGS = "https://purl.imsglobal.org/spec/lti-ags/scope"
SCOPES = (
    f"{_AGS}/lineitem.readonly",
    f"{_AGS}/result.readonly",
    f"{_AGS}/score",
    "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly",
)

_JSON = "application/vnd.ims.{}+json"
LINEITEMS = _JSON.format("lis.v2.lineitemcontainer")
RESULTS = _JSON.format("lis.v2.resultcontainer")
SCORE = _JSON.format("lis.v1.score")
MEMBERS = _JSON.format("lti-nrps.v2.membershipcontainer")

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

SECONDS = 300  # for which our signed assertion is valid
EARLY = 60  # seconds before its end at which a token counts as expired


class Lti:
    """A line item of a platform; ``assignments.NAME`` is its label, tag, resource id or URL."""

    name = "LTI"
    takes_pages = False
    takes_more = True
    max_score = 0.0

    def __init__(self, course: Course, exercise: str) -> None:
        settings = course.settings
        self._client = web.needed(course, "lti.client")
        self._tokens = web.needed(course, "lti.tokens")
        self._audience = settings.lti_audience or self._tokens
        self._key_id = settings.lti_key
        self._lineitems = web.needed(course, "lti.lineitems")
        self._members = web.needed(course, "lti.members")
        self._called = settings.assignments[exercise]
        self._key = web.secret(course, KEY, is_key=True)
        self._web = web.Web(self.name)
        self._token, self._until = "", 0.0
        self._lineitem = ""

    def read(self) -> list[PlatformScore]:
        """All learners of the course; see ``Platform``."""
        about = self._find()
        self._lineitem, self.max_score = about["id"], float(about["scoreMaximum"])
        scores: dict[str, float | None] = {}
        for result in self._pages(_below(self._lineitem, "results"), RESULTS):
            score, most = result.get("resultScore"), result.get("resultMaximum") or 1.0
            scores[str(result["userId"])] = None if score is None else score / most * self.max_score

        entries = []
        for member in self._pages(self._members, MEMBERS):
            roles = [role.rpartition("#")[2] for role in member.get("roles", [])]
            if "Learner" not in roles:
                continue
            id = str(member["user_id"])
            status = member.get("status", "Active")
            closed = "" if status == "Active" else f"{status.lower()} in the platform"
            entries.append(PlatformScore(id, _line(member), scores.get(id), closed))
        return entries

    def write(self, change: NewScore) -> None:
        """Post a score; see ``Platform``."""
        score = {
            "userId": change.id,
            "scoreGiven": change.new,
            "scoreMaximum": self.max_score,
            "comment": change.comment,
            # It must be later than that of any earlier score, to fractions of a second, or it is
            # refused.
            "timestamp": datetime.now(timezone.utc).isoformat(timespec="microseconds"),
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
        }
        headers = {"Content-Type": SCORE, **self._bearer()}
        self._web.ask("POST", _below(self._lineitem, "scores"), headers=headers, json=score)

    def _find(self) -> dict[str, Any]:
        """The line item that the settings name."""
        there = list(self._pages(self._lineitems, LINEITEMS))
        wanted = []
        for one in there:
            names = map(one.get, ("id", "resourceId", "tag", "label"))
            if self._called in names:
                wanted.append(one)
        if len(wanted) != 1:
            how = "several line items are" if wanted else "no line item is"
            labels = ", ".join(str(one.get("label")) for one in there) or "none"
            cause = f"{how} called {self._called}; there are {labels}"
            raise self._web.refused(cause, "correct assignments in autograder.toml")
        return wanted[0]

    def _pages(self, url: str, kind: str) -> Iterator[dict[str, Any]]:
        """The items of a container, on all its pages."""
        while url:
            said, answer = self._web.json("GET", url, headers={"Accept": kind, **self._bearer()})
            yield from said["members"] if isinstance(said, dict) else said
            url = answer.links.get("next", {}).get("url", "")

    def _bearer(self) -> dict[str, str]:
        if time.monotonic() > self._until:
            self._authorize()
        return {"Authorization": f"Bearer {self._token}"}

    def _authorize(self) -> None:
        """Get a token for our signed assertion (1EdTech Security Framework 1.0, section 4.1)."""
        now = int(time.time())
        claims = {
            "iss": self._client,
            "sub": self._client,
            "aud": self._audience,
            "iat": now,
            "exp": now + SECONDS,
            "jti": uuid.uuid4().hex,
        }
        try:
            header = {"kid": self._key_id} if self._key_id else None
            signed = jwt.encode(claims, self._key, algorithm="RS256", headers=header)
        except (jwt.PyJWTError, ValueError, TypeError):
            repair = "put the tool's private RSA key there, as PEM, without a passphrase"
            raise Unusable(KEY, "is no key", repair) from None

        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": ASSERTION,
            "client_assertion": signed,
            "scope": " ".join(SCOPES),
        }
        self._web.secrets.append(signed)
        said, _ = self._web.json("POST", self._tokens, data=form)
        granted = str(said.get("scope", " ".join(SCOPES))).split()
        missing = [scope.rpartition("/")[2] for scope in SCOPES if scope not in granted]
        if missing:
            repair = "allow the tool grade sync, and names and roles, in the platform"
            raise self._web.refused(f"does not grant {', '.join(missing)}", repair)
        self._token = str(said["access_token"])
        self._web.secrets.append(self._token)
        self._until = time.monotonic() + float(said.get("expires_in", 3600)) - EARLY


def _below(address: str, part: str) -> str:
    """The URL of a part of a line item, whose own URL may end in a query."""
    pieces = urlsplit(address)
    return urlunsplit(pieces._replace(path=f"{pieces.path.rstrip('/')}/{part}"))


def _line(member: dict[str, Any]) -> StudentLine:
    """The platform's data about a person, as far as a tool may see it."""
    parts = (member.get("given_name", ""), member.get("family_name", ""))
    name = str(member.get("name") or " ".join(filter(None, parts)))
    email = str(member.get("email") or "")
    ids = (str(member["user_id"]), str(member.get("lis_person_sourcedid") or ""))
    return StudentLine(Claim("plain", name, "", email), ids, name or email or ids[0])
