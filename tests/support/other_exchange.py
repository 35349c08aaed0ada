"""An exchange that is no folder but a service, and nobody answers there."""

from nbgrader.exchange import abc  # type: ignore[import-untyped]


class _Unanswered:
    def start(self) -> None:
        self.log.warning("the service does not answer")  # type: ignore[attr-defined]


class Release(_Unanswered, abc.ExchangeReleaseAssignment):  # type: ignore[misc]
    dest_path = "/assignment/nowhere"


class Collect(_Unanswered, abc.ExchangeCollect):  # type: ignore[misc]
    pass
