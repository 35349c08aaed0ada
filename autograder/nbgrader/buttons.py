"""The formgrader's buttons, whose work is done in processes of their own.

nbgrader does it within the request, so that nobody else is answered meanwhile: a student whose code
never returns stops the pages of all graders, and whatever they enter.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

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
"""What nbgrader calls a button, and the function of its interface that does the work."""

START = """
import sys
sys.path[:] = sys.argv[4:]
from autograder.nbgrader.buttons import main
main(*sys.argv[1:4])
"""


def work_apart(apihandlers: Any) -> None:
    """Change what the formgrader of this process does at its buttons."""
    for name, action in ACTIONS.items():
        handler = getattr(apihandlers, name)
        handler.post = _post(apihandlers, action)


def _post(apihandlers: Any, action: str) -> Callable[..., Awaitable[None]]:
    async def post(handler: Any, *arguments: str) -> None:
        from autograder.base.errors import Unusable
        from autograder.course.gradebook import config

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
    from nbgrader.converters import NbGraderException  # type: ignore[import-untyped]
    from nbgrader.exchange import ExchangeError  # type: ignore[import-untyped]

    from autograder.base.errors import Unusable
    from autograder.course.course import find
    from autograder.course.gradebook import config

    # What has not changed need not be graded again.
    options = {"force": False} if action == "autograde" else {}
    try:
        api = config.api(find(state))
        answer: dict[str, Any] = getattr(api, action)(*arguments, **options)
    except Unusable as error:
        return {"success": False, "log": str(error)}
    except Exception:
        return {"success": False, "error": traceback.format_exc()}

    # Where it was refused, the log says why, and a traceback says nothing more.
    refusals = tuple(
        f"{one.__module__}.{one.__name__}: " for one in (NbGraderException, ExchangeError)
    )
    last = answer.get("error", "").rstrip().rpartition("\n")[2]
    if last.startswith(refusals) and "log" in answer:
        del answer["error"]
    return answer
