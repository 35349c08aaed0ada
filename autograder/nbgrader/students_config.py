"""What nbgrader's programs for students are told, for all accounts of a machine at once.

``/etc/jupyter/nbgrader_config.py`` calls ``configure``. So a newer kit needs no newer file there.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

HANDLERS = "nbgrader.server_extensions.assignment_list.handlers"
"""Where nbgrader has what JupyterLab's list of assignments asks for."""


def configure(c: Any, exchange: str, accounts: Sequence[str]) -> None:
    """Fill nbgrader's configuration for students.

    Args:
        exchange: the folder of the exchange.
        accounts: the accounts that courses belong to, by name or number.
    """
    c.Exchange.root = exchange
    # Two courses may have an exercise of the same name.
    c.Exchange.path_includes_course = True
    c.KnownCourses.accounts = list(accounts)
    c.ExchangeFactory.list = "autograder.nbgrader.students.Lister"
    c.ExchangeFactory.fetch_assignment = "autograder.nbgrader.students.Fetcher"
    c.ExchangeFactory.submit = "autograder.nbgrader.students.Submitter"
    c.ExchangeFactory.fetch_feedback = "autograder.nbgrader.students.FeedbackFetcher"

    handlers: Any = sys.modules.get(HANDLERS)
    if handlers is not None:
        # JupyterLab shows students what this says when their submission is refused.
        handlers.traceback = SimpleNamespace(format_exc=_refusal)


def _refusal() -> str:
    """What went wrong: where the exchange refuses, without the traceback."""
    from nbgrader.exchange import ExchangeError

    error = sys.exc_info()[1]
    return str(error) if isinstance(error, ExchangeError) else traceback.format_exc()
