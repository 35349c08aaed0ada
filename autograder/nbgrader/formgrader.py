"""What we change of nbgrader's formgrader, in the server that shows it.

It works in one session for as long as its server runs. It gives up a lock after five seconds, and
its session is of no use from then on: every score that a person enters is lost with an error. So it
waits longer here, and each request begins with a session that works and has read nothing yet, of
what others may have changed since. What its buttons do is done apart, a due date that somebody
enters goes into the course's settings, its links lead somewhere below every address, and its pages
ask no other machine for anything.
"""

from __future__ import annotations

import asyncio
import html
import json
import os
import re
import sys
import traceback
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from importlib import resources
from pathlib import Path
from typing import Any

from autograder.base import settings, times
from autograder.base.errors import Unusable
from autograder.course.course import find
from autograder.course.gradebook import config
from autograder.exercises.exercise import belongs

PATIENCE = 30
"""Seconds to wait for a lock that another program holds; more than ours hold one for."""

OWN_ONLY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data:"
"""What a page may load: nbgrader's own scripts stand in the page, and some of them make others."""

BASE = "nbgrader.server_extensions.formgrader.base"
"""Where nbgrader has what all requests of the formgrader share."""

UTILS = "js/utils.js"
"""The script that all pages of the formgrader load."""


ACTIONS = {
    "AssignHandler": "generate_assignment",
    "UnReleaseHandler": "unrelease",
    "ReleaseHandler": "release_assignment",
    "CollectHandler": "collect",
    "AutogradeHandler": "autograde",
    "GenerateAllFeedbackHandler": "generate_feedback",
    "ReleaseAllFeedbackHandler": "release_feedback",
    "GenerateFeedbackHandler": "generate_feedback",
    "ReleaseFeedbackHandler": "release_feedback",
}
"""What nbgrader calls a button, and the function of its interface that does the work.

nbgrader does it within the request, so that nobody else is answered meanwhile: a student whose code
never returns stops the pages of all graders, and whatever they enter.
"""

START = """
import sys
sys.path[:] = sys.argv[4:]
sys.modules.setdefault("rfc3987_syntax", None)
from autograder.nbgrader.formgrader import main
main(*sys.argv[1:4])
"""
"""The program behind a button; ``cli.main`` says why it goes without a grammar of addresses."""


def change() -> None:
    """Change the formgrader of this process; nothing where there is none.

    nbgrader's configuration calls it, which every server of the formgrader reads: on a hub, too.
    """
    base: Any = sys.modules.get(BASE)
    if base is None or base.Gradebook is _gradebook:
        return  # each request reads the configuration again
    from nbgrader.server_extensions.formgrader import (
        apihandlers,
        handlers,
    )

    base.Gradebook = _gradebook
    base.BaseHandler.on_finish = _begin_anew

    # nbgrader's pages ask for MathJax, which ``shown_markdown`` makes superfluous.
    policy = base.JupyterHandler.content_security_policy
    base.BaseHandler.content_security_policy = property(
        lambda handler: f"{policy.fget(handler)}; {OWN_ONLY}"
    )

    for name, action in ACTIONS.items():
        getattr(apihandlers, name).post = _post(apihandlers, action)
    _keep_due_dates(apihandlers)
    _extend_script(handlers)


def _extend_script(handlers: Any) -> None:
    """Put ours behind nbgrader's script."""

    class Script(handlers.BaseHandler):  # type: ignore[misc]
        @handlers.web.authenticated  # type: ignore[untyped-decorator]
        def get(self) -> None:
            ours = resources.files(__package__) / "formgrader.js"
            self.set_header("Content-Type", "text/javascript; charset=utf-8")
            self.write(Path(handlers.static_path, UTILS).read_text(encoding="utf-8"))
            self.write(ours.read_text(encoding="utf-8"))

    handlers.default_handlers.append((f"/formgrader/static/{UTILS}", Script))


def _keep_due_dates(apihandlers: Any) -> None:
    """Let a due date that somebody enters go where ``release --due`` has it.

    In the gradebook alone it would be gone after the next command, which follows the settings.
    """
    nbgraders = apihandlers.AssignmentHandler.put

    def put(self: Any, assignment: str) -> None:
        if not belongs(Path(self.coursedir.root), assignment.strip()):
            nbgraders(self, assignment)
            return
        try:
            due = _kept_due(self, assignment.strip())
        except Unusable as error:
            self.set_status(409)
            self.finish(str(error))
            return

        # nbgrader would take a zone that it does not know for UTC.
        said = {
            "duedate_notimezone": due and f"{due:%Y-%m-%dT%H:%M:%S}",
            "duedate_timezone": "+0000",
        }
        self.get_json_body = lambda: said
        nbgraders(self, assignment)

    apihandlers.AssignmentHandler.put = apihandlers.web.authenticated(put)


def _kept_due(handler: Any, exercise: str) -> datetime | None:
    """The due date that somebody entered, in UTC; it is in the settings, too."""
    course = config.course_of(handler.coursedir)
    entered = handler.get_json_body() or {}
    said = " ".join(filter(None, map(entered.get, ("duedate_notimezone", "duedate_timezone"))))

    if not entered.get("duedate_notimezone"):
        if exercise in course.settings.due:
            place = course.due_settings
            raise Unusable(exercise, f"its date is kept in {place}", f"remove due.{exercise} there")
        return None

    try:
        due = times.read(said, timezone.utc)
    except ValueError as error:
        raise Unusable(exercise, f"{said!r}: {error}") from None
    if due != course.settings.due.get(exercise):
        settings.keep_due(course.due_settings, exercise, due)
    return due.astimezone(timezone.utc)


def _gradebook(address: str, *others: Any) -> Any:
    from nbgrader.api import Gradebook

    return Gradebook(patient(address), *others)


def patient(address: str) -> str:
    """The address of a database, at which locks are waited for; its own word on that stays."""
    from sqlalchemy.engine import make_url

    url = make_url(address)
    waiting = {"sqlite": ("timeout", f"{PATIENCE}")}
    # A server would wait for ever, and everything else in JupyterLab with it.
    waiting["postgresql"] = ("options", f"-c lock_timeout={PATIENCE}s")
    name, value = waiting.get(url.get_backend_name(), ("", ""))
    if name and name not in url.query:
        url = url.update_query_dict({name: value})
    return url.render_as_string(hide_password=False)


def _begin_anew(handler: Any) -> None:
    """After each request: what was to be kept is committed by then."""
    gradebook = handler.settings.get("nbgrader_gradebook")
    if gradebook is not None:
        gradebook.db.rollback()


def _post(apihandlers: Any, action: str) -> Callable[..., Awaitable[None]]:
    async def post(handler: Any, *arguments: str) -> None:
        try:
            course = config.course_of(handler.coursedir)
            answer = await _apart(course.root, course.state, action, arguments)
        except Unusable as error:
            answer = {"success": False, "log": str(error)}
        handler.write(json.dumps(answer))

    guarded = apihandlers.check_xsrf(apihandlers.check_notebook_dir(post))
    return apihandlers.web.authenticated(guarded)  # type: ignore[no-any-return]


async def _apart(root: Path, state: Path, action: str, arguments: tuple[str, ...]) -> Any:
    """What nbgrader's interface answers, in a process that ends with it."""
    call = (str(state), action, json.dumps(arguments))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", START, *call, *sys.path,
        cwd=root, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        said, _ = await process.communicate()
    except BaseException:
        process.kill()  # the server ends
        raise

    try:
        return json.loads(said)
    except ValueError:
        # Its last words are in the server's log.
        cause = f"the process that did it ended with code {process.returncode}"
        return {"success": False, "log": f"{cause}; try again, or use the command line"}


def main(state: str, action: str, arguments: str) -> None:
    """Do the work of a button in the course of the working directory; the answer, printed."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed goes to the log
    answers.write(json.dumps(act(Path(state), action, json.loads(arguments))))
    answers.close()


def act(state: Path, action: str, arguments: list[str]) -> dict[str, Any]:
    """What nbgrader's interface answers: whether it went well, and its log."""
    from nbgrader.converters import NbGraderException
    from nbgrader.exchange import ExchangeError

    # What has not changed need not be graded again.
    try:
        course = find(state)
        api = config.api(course)
        is_ours = action == "autograde" and belongs(course.root, arguments[0])
        options = {"force": False} if is_ours else {}
        answer: dict[str, Any] = getattr(api, action)(*arguments, **options)
    except Unusable as error:
        return {"success": False, "log": str(error)}
    except Exception:
        return {"success": False, "error": traceback.format_exc()}

    # Where it was refused, the log says why, and a traceback says nothing more.
    last = answer.get("error", "").rstrip().rpartition("\n")[2]
    for refusal in (NbGraderException, ExchangeError):
        name = f"{refusal.__module__}.{refusal.__name__}: "
        if last.startswith(name) and "log" in answer:
            del answer["error"]
    return answer


# Markdown as the formgrader shows it, typeset here: no page may ask the network for a library

STUDENTS = re.compile(r"(`{3,})text\n(?P<text>.*)\n\1", re.DOTALL)
"""A cell of a student's, as ``text.quoted`` makes it."""

_CODE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>)", re.DOTALL)


def shown_markdown(source: str) -> str:
    """A cell as HTML: what a student wrote as pages read it, and our prose as nbconvert does."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    from autograder.show.pages.markdown import FORMULA, typeset, written

    quoted = STUDENTS.fullmatch(source)
    if quoted:
        return f"<blockquote>{written(quoted['text'])}</blockquote>"

    parts = _CODE.split(str(markdown2html_mistune(source)))
    for place in range(0, len(parts), 2):  # every other one is code
        parts[place] = FORMULA.sub(lambda found: typeset(html.unescape(found[0])), parts[place])
    return "".join(parts)
