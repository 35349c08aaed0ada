"""Canvas, Moodle and an LTI platform as small servers, which refuse what the real ones refuse.

Each is written from what is published of the interface: Canvas's REST documentation, Moodle's
``mod/assign/externallib.php`` and ``lib/external``, 1EdTech's AGS 2.0, NRPS 2.0 and Security Framework
1.0. What they keep is plain data that a test reads; a request of another form than published is answered
as the platform would, and remembered in ``complaints``.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


@dataclass
class Asked:
    """A request: its path, its query, its headers in lower case, its body."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, list[str]]:
        return parse_qs(self.body.decode(), keep_blank_values=True)


@dataclass
class Answer:
    """``data`` goes as JSON; an ellipsis is no body at all."""

    status: int
    data: Any = ...
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Pupil:
    """Somebody in the platform's course; ``closed`` in the platform's own word."""

    id: str
    name: str
    login: str
    email: str = ""
    score: float | None = None
    comments: list[str] = field(default_factory=list)
    pages: list[bytes] = field(default_factory=list)
    closed: str = ""


class Double:
    """What the three have in common: an address, a crowd, a limit, bad days.

    ``rest``: after so many requests a second of rest is asked for, by a clock that only ``sleep`` moves.
    ``faults``: of these shares of requests a random one fails before, or after, it has done its work.
    """

    def __init__(self, pupils: list[Pupil]) -> None:
        self.pupils = {one.id: one for one in pupils}
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.rest = 0
        self.faults = 0.0
        self.random = random.Random(0)
        self.clock = 0.0
        self._free = 0
        self._busy_until = 0.0
        self.url = ""

    def answer(self, asked: Asked) -> Answer:
        raise NotImplementedError

    def sleep(self, seconds: float) -> None:
        """Stands in for ``time.sleep``."""
        self.clock += seconds

    def slow_down(self) -> Answer:
        return Answer(429, {"message": "slow down"}, {"Retry-After": "7"})

    def handle(self, asked: Asked) -> Answer | None:
        """The answer; None for a line that goes dead."""
        self.requests.append(f"{asked.method} {asked.path}")
        if self.clock < self._busy_until:
            self.complaints.append("asked again before the time it was told to wait for")
            return Answer(429, headers={"Retry-After": "7"})
        self._free += 1
        if self.rest and self._free > self.rest:
            self._free, self._busy_until = 0, self.clock + 7
            return self.slow_down()
        if self.random.random() < self.faults / 2:
            return self.random.choice([None, Answer(500, {"message": "oh"}), Answer(502)])
        said = self.answer(asked)
        if self.random.random() < self.faults / 2:
            return self.random.choice([None, Answer(500, {"message": "lost"})])
        return said

    def page_of(self, rows: list[Any], asked: Asked, size: int) -> tuple[list[Any], dict[str, str]]:
        """A page of rows, and the header that leads to the next one; its name is not a number."""
        mark = asked.query.get("page", ["bookmark:0"])[0]
        start = int(mark.removeprefix("bookmark:"))
        headers = {}
        if start + size < len(rows):
            rest = [(key, value) for key, values in asked.query.items() for value in values]
            kept = "".join(f"{key}={value}&" for key, value in rest if key != "page")
            link = f"{self.url}{asked.path}?{kept}page=bookmark:{start + size}"
            headers["Link"] = f'<{link}>; rel="next"'
        return rows[start : start + size], headers


@contextmanager
def online(double: Double) -> Iterator[Double]:
    """The double, at an address of this machine."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

        def _do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            address = urlsplit(self.path)
            headers = {key.lower(): value for key, value in self.headers.items()}
            body = self.rfile.read(length)
            asked = Asked(self.command, address.path, parse_qs(address.query), headers, body)
            with lock:
                said = double.handle(asked)
            if said is None:
                self.close_connection = True
                return
            data = b"" if said.data is ... else json.dumps(said.data).encode()
            self.send_response(said.status)
            for key, value in said.headers.items():
                self.send_header(key, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = _do

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    double.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield double
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class CanvasDouble(Double):
    """Course 4711 with assignment 815."""

    token = "canvas~SecretOfTheTeacher"

    def __init__(self, pupils: list[Pupil]) -> None:
        super().__init__(pupils)
        self.assignment: dict[str, Any] = {
            "id": 815, "course_id": 4711, "points_possible": 14.0, "grading_type": "points", "anonymize_students": False,
            "moderated_grading": False, "grades_published": True, "group_category_id": None,
            "grade_group_students_individually": False, "in_closed_grading_period": False,
        }  # fmt: skip
        self.may_grade = True
        self.deducted = 0.0
        self._files: dict[int, tuple[str, bytes]] = {}
        self._waiting: dict[str, tuple[str, str, int]] = {}

    def answer(self, asked: Asked) -> Answer:
        if asked.path.startswith("/upload/"):
            return self._upload(asked)
        if asked.headers.get("authorization") != f"Bearer {self.token}":
            refused = {"errors": [{"message": "Invalid access token."}]}
            return Answer(401, refused, {"WWW-Authenticate": 'Bearer realm="canvas-lms"'})
        base = "/api/v1/courses/4711"
        of_assignment = f"{base}/assignments/815"
        if asked.path == of_assignment:
            return Answer(200, self.assignment)
        if asked.path == f"{of_assignment}/submissions" and asked.method == "GET":
            rows = [self._submission(one) for one in self.pupils.values() if one.closed != "away"]
            return self._listed(rows, asked)
        if asked.path in (f"{base}/users", f"{base}/search_users"):
            if asked.query.get("enrollment_type[]") != ["student"]:
                self.complaints.append("asked for teachers, too")
            return self._listed([self._user(one) for one in self.pupils.values()], asked)
        found = re.fullmatch(rf"{of_assignment}/submissions/(\d+)(/comments/files)?", asked.path)
        if found and found[1] in self.pupils:
            if not self.may_grade:
                return Answer(403, {"status": "unauthorized", "errors": [{"message": "not you"}]})
            change = self._new_file if found[2] else self._grade
            return change(self.pupils[found[1]], asked)
        return Answer(404, {"errors": [{"message": "The specified resource does not exist."}]})

    def slow_down(self) -> Answer:
        """Its older word for the same, in which no time stands."""
        self._busy_until = self.clock + 2
        return Answer(403, "403 Forbidden (Rate Limit Exceeded)")

    def _listed(self, rows: list[Any], asked: Asked) -> Answer:
        size = min(int(asked.query.get("per_page", ["10"])[0]), 100)
        page, headers = self.page_of(rows, asked, size)
        return Answer(200, page, headers)

    def _user(self, one: Pupil) -> dict[str, Any]:
        return {"id": int(one.id), "name": one.name, "login_id": one.login, "sis_user_id": None}

    def _submission(self, one: Pupil) -> dict[str, Any]:
        score = None if one.score is None else one.score - self.deducted
        return {
            "id": 10_000 + int(one.id), "user_id": int(one.id), "assignment_id": 815, "score": score,
            "entered_score": one.score, "excused": one.closed == "excused",
        }  # fmt: skip

    def _new_file(self, one: Pupil, asked: Asked) -> Answer:
        name, size = asked.form["name"][0], int(asked.form["size"][0])
        mark = f"{len(self._waiting)}"
        self._waiting[mark] = (one.id, name, size)
        data = {"upload_url": f"{self.url}/upload/{mark}", "upload_params": {"key": f"k{mark}"}}
        return Answer(200, {**data, "file_param": "file"})

    def _upload(self, asked: Asked) -> Answer:
        mark = asked.path.removeprefix("/upload/")
        if "authorization" in asked.headers:
            self.complaints.append("the token went to where files are kept")
        head = f"Content-Type: {asked.headers['content-type']}\n\n".encode()
        parts = BytesParser().parsebytes(head + asked.body).get_payload()
        fields = [part.get_param("name", header="content-disposition") for part in parts]
        data = parts[-1].get_payload(decode=True)
        user, name, size = self._waiting.get(mark, ("", "", -1))
        if fields != ["key", "file"] or len(data) != size:
            return Answer(400, {"message": "file must come last, and be as large as said"})
        id = len(self._files) + 1
        self._files[id] = (user, data)
        return Answer(201, {"id": id, "url": f"{self.url}/files/{id}", "display_name": name})

    def _grade(self, one: Pupil, asked: Asked) -> Answer:
        known = {"submission[posted_grade]", "comment[text_comment]", "comment[file_ids][]"}
        if asked.method != "PUT" or not set(asked.form) <= known:
            self.complaints.append(f"{asked.method} {sorted(asked.form)}")
            return Answer(400, {"errors": [{"message": "unknown parameter"}]})
        files = [
            self._files.get(int(id), ("", b"")) for id in asked.form.get("comment[file_ids][]", [])
        ]
        if any(user != one.id for user, _ in files):
            return Answer(400, {"errors": [{"message": "no such file"}]})
        if one.closed:
            self.complaints.append(f"graded {one.name}, who is {one.closed}")
        one.score = float(asked.form["submission[posted_grade]"][0])
        one.comments += asked.form.get("comment[text_comment]", [])
        one.pages += [data for _, data in files]
        return Answer(200, self._submission(one))


class MoodleDouble(Double):
    """Course 4711 with an assignment whose address ends in 815 and whose own id is 31."""

    token = "0123456789abcdef0123456789abcdef"

    def __init__(self, pupils: list[Pupil]) -> None:
        super().__init__(pupils)
        self.assignment: dict[str, Any] = {
            "id": 31, "cmid": 815, "name": "Counting", "grade": 14, "markingworkflow": 0,
        }  # fmt: skip
        self.functions = {
            "mod_assign_get_assignments": self._assignments,
            "mod_assign_list_participants": self._participants,
            "mod_assign_get_grades": self._grades,
            "mod_assign_save_grades": self._save,
            "mod_assign_get_submission_status": self._status,
            "gradereport_user_get_grade_items": self._items,
        }
        self.breaks_at = ""

    def answer(self, asked: Asked) -> Answer:
        if asked.path != "/webservice/rest/server.php" or asked.method != "POST" or asked.query:
            self.complaints.append(f"{asked.method} {asked.path}: a token in an address is logged")
            return Answer(404)
        given = {key: values[0] for key, values in asked.form.items()}
        if given.pop("moodlewsrestformat", "") != "json":
            return Answer(200)
        if given.pop("wstoken", "") != self.token:
            return _moodle_error(
                "moodle_exception", "invalidtoken", "Invalid token - token not found"
            )
        function = self.functions.get(given.pop("wsfunction", ""))
        if function is None:
            return _moodle_error(
                "webservice_access_exception", "accessexception", "Access control exception"
            )
        try:
            return Answer(200, function(_unflat(given)))
        except (KeyError, TypeError, ValueError) as error:
            said = f"Invalid parameter value detected ({error})"
            self.complaints.append(said)
            return _moodle_error("invalid_parameter_exception", "invalidparameter", said)
        except PermissionError as error:
            return _moodle_error("dml_missing_record_exception", "invalidrecord", str(error))

    def _assignments(self, given: dict[str, Any]) -> Any:
        courses = given["courseids"]
        if courses != {"0": "4711"}:
            return {"courses": [], "warnings": [{"message": "No access rights in course context"}]}
        return {"courses": [{"id": 4711, "assignments": [self.assignment]}], "warnings": []}

    def _participants(self, given: dict[str, Any]) -> Any:
        self._own(given["assignid"])
        skip, limit = int(given["skip"]), int(given["limit"])
        rows = []
        for one in self.pupils.values():
            rows.append(
                {"id": int(one.id), "fullname": one.name, "username": one.login, "idnumber": ""}
            )
        return rows[skip:][: limit or None]

    def _grades(self, given: dict[str, Any]) -> Any:
        self._own(given["assignmentids"]["0"])
        rows = []
        for one in self.pupils.values():
            if one.score is not None or one.comments:
                grade = f"{-1 if one.score is None else one.score:.5f}"
                rows.append({"id": 1, "userid": int(one.id), "attemptnumber": 0, "grade": grade})
        return {"assignments": [{"assignmentid": 31, "grades": rows}], "warnings": []}

    def _items(self, given: dict[str, Any]) -> Any:
        if given != {"courseid": "4711"}:
            raise ValueError(given)
        rows = []
        for one in self.pupils.values():
            state = {
                "gradeislocked": one.closed == "locked",
                "gradeisoverridden": one.closed == "overridden",
            }
            items = [
                {"cmid": 7, "gradeislocked": True},
                {"cmid": 815, "locked": None, **state},
                {"id": 1},
            ]
            rows.append({"userid": int(one.id), "gradeitems": items})
        return {"usergrades": rows, "warnings": []}

    def _status(self, given: dict[str, Any]) -> Any:
        self._own(given["assignid"])
        text = "".join(self.pupils[given["userid"]].comments)
        fields = [{"name": "comments", "text": text, "format": 1}]
        return {
            "feedback": {
                "plugins": [{"type": "file"}, {"type": "comments", "editorfields": fields}]
            }
        }

    def _save(self, given: dict[str, Any]) -> Any:
        self._own(given["assignmentid"])
        if given["applytoall"] not in ("0", "1"):
            raise ValueError("applytoall")
        wanted = {"userid", "grade", "attemptnumber", "addattempt", "workflowstate", "plugindata"}
        texts = []
        for grade in given["grades"].values():
            comment = grade["plugindata"]["assignfeedbackcomments_editor"]
            if set(grade) != wanted or set(comment) != {"text", "format"}:
                raise ValueError("Missing or unexpected keys in single structure")
            texts.append(comment["text"])
        # What stands before the one that fails is saved.
        for grade, text in zip(given["grades"].values(), texts):
            one = self.pupils.get(grade["userid"])
            if one is None or one.login == self.breaks_at:
                raise PermissionError("Can't find data record in database table user.")
            if one.closed or float(grade["grade"]) > self.assignment["grade"]:
                continue  # without a word
            one.score, one.comments = round(float(grade["grade"]), 5), [text]
        return None

    def _own(self, id: str) -> None:
        if int(id) != self.assignment["id"]:
            raise PermissionError("Can't find data record in database table assign.")


def _moodle_error(exception: str, code: str, message: str) -> Answer:
    return Answer(200, {"exception": exception, "errorcode": code, "message": message})


def _unflat(form: dict[str, str]) -> dict[str, Any]:
    """``grades[0][userid]`` as tables in tables."""
    tables: dict[str, Any] = {}
    for name, value in form.items():
        *way, last = re.findall(r"[^\[\]]+", name)
        place = tables
        for part in way:
            place = place.setdefault(part, {})
        place[last] = value
    return tables


class LtiDouble(Double):
    """A platform with a line item of 14 points, whose address has a query as Moodle's has."""

    client, key_id = "tool-4711", "key-1"

    def __init__(self, pupils: list[Pupil]) -> None:
        super().__init__(pupils)
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        kind = serialization.PrivateFormat.PKCS8
        plain = serialization.NoEncryption()
        self.private = key.private_bytes(serialization.Encoding.PEM, kind, plain).decode()
        self._public = key.public_key()
        self.audience = ""
        self.granted = set(_SCOPES)
        self.lifetime = 3600
        self.tokens: dict[str, tuple[float, set[str]]] = {}
        self._seen: set[str] = set()
        self._latest: dict[str, str] = {}
        self.refused: set[str] = set()

    def answer(self, asked: Asked) -> Answer:
        if asked.path == "/token":
            return self._token(asked)
        routes: dict[tuple[str, str], tuple[str, str, Callable[[Asked], Answer]]] = {
            ("GET", "/lineitems"): ("lineitem.readonly", _kind("lis.v2.lineitemcontainer"), self._items),
            ("GET", "/lineitems/5/lineitem/results"): ("result.readonly", _kind("lis.v2.resultcontainer"), self._results),
            ("POST", "/lineitems/5/lineitem/scores"): ("score", _kind("lis.v1.score"), self._score),
            ("GET", "/members"): ("contextmembership.readonly", _kind("lti-nrps.v2.membershipcontainer"), self._roll),
        }  # fmt: skip
        route = routes.get((asked.method, asked.path))
        if route is None:
            self.complaints.append(f"{asked.method} {asked.path}: no such service")
            return Answer(404)
        scope, kind, work = route
        given = asked.headers.get("authorization", "").removeprefix("Bearer ")
        until, scopes = self.tokens.get(given, (0.0, set()))
        if time.time() > until:
            return Answer(401, {"error": f"invalid_token {given}"})
        if not any(one.endswith(f"/{scope}") for one in scopes):
            return Answer(403, {"error": "insufficient_scope"})
        header = "accept" if asked.method == "GET" else "content-type"
        if asked.headers.get(header, "").partition(";")[0] != kind:
            self.complaints.append(f"{header}: {asked.headers.get(header)}")
            return Answer(406 if asked.method == "GET" else 415)
        return work(asked)

    def _token(self, asked: Asked) -> Answer:
        form = dict(parse_qsl(asked.body.decode()))
        kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        asked_for = set(form.get("scope", "").split())
        try:
            signed = form["client_assertion"]
            head = jwt.get_unverified_header(signed)
            claims = jwt.decode(
                signed,
                self._public,
                algorithms=["RS256"],
                audience=self.audience or f"{self.url}/token",
                issuer=self.client,
                options={"require": ["iss", "sub", "aud", "iat", "exp", "jti"]},
            )
        except (jwt.PyJWTError, KeyError) as error:
            return Answer(401, {"error": "invalid_client", "error_description": str(error)})
        is_right = (form.get("grant_type"), form.get("client_assertion_type")) == (
            "client_credentials",
            kind,
        )
        is_own = claims["sub"] == self.client and head.get("kid") == self.key_id
        if (
            not is_right
            or not is_own
            or claims["jti"] in self._seen
            or claims["exp"] > time.time() + 3600
        ):
            return Answer(400, {"error": "invalid_request"})
        self._seen.add(claims["jti"])
        if not asked_for <= set(_SCOPES):
            self.complaints.append("asked for more than reading, and writing scores")
        scopes = asked_for & self.granted
        if not scopes:
            return Answer(400, {"error": "invalid_scope"})
        token = f"opaque-{len(self.tokens)}"
        self.tokens[token] = (time.time() + self.lifetime, scopes)
        said = {"access_token": token, "token_type": "Bearer", "expires_in": self.lifetime}
        return Answer(200, {**said, "scope": " ".join(scopes)})

    def _items(self, asked: Asked) -> Answer:
        if asked.query.get("type_id") != ["1"]:
            return Answer(400)
        rows = []
        for number, label in ((3, "Essay"), (4, "Quiz"), (5, "Counting")):
            id = f"{self.url}/lineitems/{number}/lineitem?type_id=1"
            rows.append({"id": id, "label": label, "scoreMaximum": 14 if number == 5 else 10})
        page, headers = self.page_of(rows, asked, 2)
        return Answer(200, page, headers)

    def _results(self, asked: Asked) -> Answer:
        if asked.query.get("type_id") != ["1"]:
            return Answer(400)
        rows = []
        for one in self.pupils.values():
            if one.score is not None:
                share = {"resultScore": one.score / 14, "resultMaximum": 1}
                rows.append({"id": f"{self.url}/result/{one.id}", "userId": one.id, **share})
        page, headers = self.page_of(rows, asked, 50)
        return Answer(200, page, headers)

    def _roll(self, asked: Asked) -> Answer:
        role = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
        rows = [{"user_id": "t1", "name": "Tina Teacher", "roles": [f"{role}Instructor"]}]
        for one in self.pupils.values():
            about = {"user_id": one.id, "name": one.name, "email": one.email or None}
            rows.append({**about, "status": one.closed or "Active", "roles": [f"{role}Learner"]})
        page, headers = self.page_of(rows, asked, 50)
        return Answer(200, {"id": asked.path, "members": page}, headers)

    def _score(self, asked: Asked) -> Answer:
        if asked.query.get("type_id") != ["1"]:
            return Answer(400)
        score = json.loads(asked.body)
        wanted = {
            "userId",
            "scoreGiven",
            "scoreMaximum",
            "comment",
            "timestamp",
            "activityProgress",
            "gradingProgress",
        }
        is_whole = set(score) == wanted and score["scoreMaximum"] > 0 <= score["scoreGiven"]
        states = (score.get("activityProgress"), score.get("gradingProgress"))
        if not is_whole or states != ("Completed", "FullyGraded"):
            return Answer(400, {"error": "not a score"})
        if datetime.fromisoformat(score["timestamp"]).utcoffset() is None:
            return Answer(400, {"error": "a time without a zone"})
        one = self.pupils.get(score["userId"])
        if one is None:
            return Answer(404, {"error": "no such user"})
        if one.id in self.refused or one.closed:
            return Answer(403, {"error": f"may not; you sent {asked.headers['authorization']}"})
        if score["timestamp"] <= self._latest.get(one.id, ""):
            return Answer(409, {"error": "there is a newer score"})
        self._latest[one.id] = score["timestamp"]
        one.score = score["scoreGiven"] / score["scoreMaximum"] * 14
        one.comments.append(score["comment"])
        return Answer(204)


_SCOPES = (
    "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly",
    "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly",
    "https://purl.imsglobal.org/spec/lti-ags/scope/score",
    "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly",
)


def _kind(name: str) -> str:
    return f"application/vnd.ims.{name}+json"
