"""The formgrader beside others who write to the gradebook: it waits for them, and goes on after.

And its pages ask no other machine for anything.

nbgrader's formgrader works in one session for as long as its server runs. It gives up a lock after
five seconds, and its session is of no use from then on: every score that a person enters is lost
with an error. So it waits longer here, and each request begins with a session that works and
has read nothing yet, of what others may have changed since.
"""

from __future__ import annotations

import sys
from typing import Any

PATIENCE = 30
"""Seconds to wait for a lock that another program holds; more than ours hold one for."""

OWN_ONLY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data:"
"""What a page may load: nbgrader's own scripts stand in the page, and some of them make others."""

BASE = "nbgrader.server_extensions.formgrader.base"
"""Where nbgrader has what all requests of the formgrader share."""


def make_patient() -> None:
    """Change the formgrader of this process; nothing where there is none.

    nbgrader's configuration calls it, which every server of the formgrader reads: on a hub, too.
    """
    base: Any = sys.modules.get(BASE)
    if base is not None:
        base.Gradebook = _gradebook
        base.BaseHandler.on_finish = _begin_anew


def keep_to_itself() -> None:
    """Let the formgrader's pages load nothing from elsewhere: nbgrader's ask for MathJax, which
    ``shown_markdown`` makes superfluous."""
    base: Any = sys.modules.get(BASE)
    if base is None:
        return
    policy = base.JupyterHandler.content_security_policy
    base.BaseHandler.content_security_policy = property(
        lambda handler: f"{policy.fget(handler)}; {OWN_ONLY}"
    )


def _gradebook(address: str, *others: Any) -> Any:
    from nbgrader.api import Gradebook  # type: ignore[import-untyped]

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
