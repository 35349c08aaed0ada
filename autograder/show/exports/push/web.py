"""Requests to a platform: they wait for a busy one, use only HTTPS, and never show secrets."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.response import BaseHTTPResponse
from urllib3.util.retry import Retry

from autograder.base import files
from autograder.base.errors import Unusable
from autograder.base.text import one_line
from autograder.course.course import Course

SECONDS = (10, 60)  # to connect, and until the next bytes
TRIES = 6  # a busy platform is asked again, at last after half a minute
MOST_WAIT = 120  # seconds that a platform may ask us to wait for it
WAITS = (2, 5, 15, 40)  # seconds, if Canvas answers 403 in place of 429
BUSY = (429, 503)  # the request was not processed, and may be sent again
MOST_SECRET = 100_000  # bytes
LOOPBACK = ("localhost", "127.0.0.1", "::1")

_TOKEN = re.compile(r"[\x21-\x7e]+")
"""A token in one line. Libraries quote headers with other characters in their errors."""


class _Patience(Retry):
    """Waits as long as a busy platform says; a request that may have been processed is not
    repeated."""

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:
        if status_code in BUSY:
            return bool(self.total)
        return super().is_retry(method, status_code, has_retry_after)

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        seconds = super().get_retry_after(response)
        return None if seconds is None else min(seconds, MOST_WAIT)


class _Line(HTTPAdapter):
    """Sends everything encrypted, also after a redirection."""

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> Any:
        address = urlsplit(request.url or "")
        if address.scheme != "https" and address.hostname not in LOOPBACK:
            where = f"{address.scheme}://{address.hostname}"
            raise Unusable(where, "is no HTTPS", "ask for an address with https://")
        options["timeout"] = SECONDS
        answer = super().send(request, *args, **options)
        for wait in WAITS:
            if answer.status_code != 403 or b"Rate Limit Exceeded" not in answer.content:
                break
            time.sleep(wait)
            answer = super().send(request, *args, **options)
        return answer


class Web:
    """The requests to one platform.

    Args:
        name: the platform's name in messages.
        secrets: texts that no message may show, whatever the platform answers.
    """

    def __init__(self, name: str, *secrets: str) -> None:
        self.name = name
        self.secrets = list(secrets)
        self.session = requests.Session()
        # Otherwise a line in ~/.netrc would replace our own token.
        self.session.auth = lambda request: request

        patience = _Patience(
            total=TRIES,
            connect=2,  # usually the URL is wrong, and a person is waiting
            backoff_factor=1,
            allowed_methods=("GET",),
            status_forcelist=(502, 504),
            raise_on_status=False,
        )
        line = _Line(max_retries=patience)
        self.session.mount("https://", line)
        self.session.mount("http://", line)

    def ask(self, method: str, url: str, **options: Any) -> requests.Response:
        """The answer to a request.

        Raises:
            Unusable: there is none, or the platform refuses.
        """
        with self.errors():
            # A redirection could send a token in the body anywhere.
            answer = self.session.request(method, url, allow_redirects=False, **options)
        if answer.status_code >= 300:
            words = re.sub(r"<[^<>]*>", " ", answer.text[:2000])  # without the tags of a page
            raise self.refused(f"{answer.status_code} {answer.reason}: {words}")
        return answer

    def refused(self, cause: str, repair: str = "") -> Unusable:
        """The platform's message, in one line without secrets."""
        for secret in self.secrets:
            cause = cause.replace(secret, "…")
        return Unusable(self.name, one_line(cause.strip(" :"), 200), repair)

    def json(self, method: str, url: str, **options: Any) -> tuple[Any, requests.Response]:
        """The JSON of an answer, and the answer.

        Raises:
            Unusable: as for ``ask``, or the answer is not JSON.
        """
        answer = self.ask(method, url, **options)
        with self.errors():
            return answer.json(), answer

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn network errors into one line.

        Raises:
            Unusable: the platform could not be reached, or did not answer.
        """
        again = "check the address and the network, and run it again"
        try:
            yield
        except requests.exceptions.SSLError:
            raise self.refused("its certificate is not valid", "correct the address") from None
        except requests.exceptions.ReadTimeout:
            raise self.refused(f"did not answer within {SECONDS[1]} s", "run it again") from None
        except requests.exceptions.JSONDecodeError:
            raise self.refused("did not answer in JSON", "correct the address") from None
        except requests.RequestException as error:
            raise self.refused(f"cannot be reached ({type(error).__name__})", again) from None


def secret(course: Course, file: str, is_key: bool = False) -> str:
    """A token, or the text of a key, that only the teacher can read.

    Args:
        file: its path in the course's folder. An environment variable of this name has precedence.

    Raises:
        Unusable: there is none, somebody else can read it, or it is no token.
    """
    variable = f"AUTOGRADER_{file.upper().replace('.', '_')}"
    text, where = os.environ.get(variable, "").strip(), variable

    if not text:
        path = course.state / file
        where = str(path)
        try:
            with files.open_regular(path) as opened:
                about = os.fstat(opened.fileno())
                is_open = about.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
                if not files.WINDOWS and (is_open or about.st_uid != os.getuid()):
                    repair = f"make it yours alone: chmod 600 {path}"
                    raise Unusable(path, "others can read it", repair)
                text = opened.read(MOST_SECRET).decode("ascii", "replace").strip()
        except FileNotFoundError:
            repair = f"write it there and chmod 600, or set {variable}"
            raise Unusable(path, "is not there", repair) from None
        except files.Refused as why:
            raise Unusable(path, str(why), f"make it a file, or set {variable}") from None

    if not is_key and not _TOKEN.fullmatch(text):
        raise Unusable(where, "holds no token", "write nothing but the token into it, in one line")
    return text


def needed(course: Course, name: str) -> str:
    """The value of a setting without which nothing can be pushed.

    Raises:
        Unusable: it is not set.
    """
    value = str(getattr(course.settings, name.replace(".", "_")))
    if not value:
        repair = "docs/exports.md says what to write"
        raise Unusable("autograder.toml", f"{name} is not set", repair)
    return value
