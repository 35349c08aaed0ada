"""Where attacks are graded: each between two honest neighbours, and afterwards everything is looked
at.

Run as a program (``python -m tests.support.attacks.arena LEVEL...``) it prints what is wrong after each attack,
one JSON object a line.
Pages and notebooks are looked at where the packages that make them are installed.
"""

from __future__ import annotations

import contextlib
import ctypes
import html.parser
import json
import math
import os
import shutil
import signal
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from autograder.base.errors import Unusable
from autograder.base.result import Result
from autograder.base.settings import Settings
from autograder.engine import budget
from autograder.grader.graded import Graded
from autograder.grader.grader import Grader
from tests.support.attacks.attack import MARK, SUCCEEDED, Attack
from tests.support.attacks.target import (
    INPUT,
    NAIVE,
    REFERENCE,
    SOURCE,
    exercise,
    handed_in,
    master,
)

MEMORY_MB = 64
PATIENCE = 20
"""So many times as long an attack may take that is to be seen to succeed, on a busy machine."""
ELSEWHERE = {"wasm": {"A25", "B38", "B65", "E17", "E28"}}
"""Attacks that come to another end at a level: there are no such calls, or numbers of 32 bits."""
SECRET = b"canary_secret_7d21f8"
FILE, ENVIRONMENT, OTHERS, GRADEBOOK = (
    "canary_file_4b77c1",
    "canary_environment_0e95d3",
    "canary_others_b81a66",
    "canary_gradebook_33fd09",
)
CANARIES = (
    INPUT,
    INPUT.upper(),
    SOURCE,
    REFERENCE,
    SECRET.decode(),
    FILE,
    ENVIRONMENT,
    OTHERS,
    GRADEBOOK,
)


class Arena:
    """A grader at one level, two honest neighbours, and canaries in every place that is none of a
    student's business."""

    def __init__(self, level: str, without: frozenset[str] = frozenset()) -> None:
        self.level = level
        self.settings = Settings(
            isolation=level, call_seconds=0.3, submission_seconds=2, memory_mb=512
        )
        budget.GRACE_SECONDS = 0.2  # what hangs is most of the time that all attacks take
        self._subreaper = _adopt_orphans()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{GRADEBOOK}-"))
        self._plant()
        os.environ["TEACHER_TOKEN"] = ENVIRONMENT
        try:
            self._grader = Grader(exercise(), SECRET, self.settings, without)
        except Unusable:
            shutil.rmtree(self.folder)
            raise
        finally:
            del os.environ["TEACHER_TOKEN"]
        self._honest = [
            handed_in(label=f"# {OTHERS}\ndef label(text): return text.upper()"),
            handed_in(softmax=NAIVE),
        ]
        self._alone = [
            self._verdicts(self._grader.grade(data, "neighbour").result) for data in self._honest
        ]
        self._next = 0
        self._baselines: dict[bytes, float] = {}
        self._children = _descendants()

    def _plant(self) -> None:
        self.folder.chmod(0o755)
        other = self.folder / "submitted" / "bob" / "target"
        other.mkdir(parents=True)
        for path in (self.folder / "canary.txt", self.folder / "gradebook.db", self.folder / "secret", other / "target.ipynb",
                     self.folder / "attack_module.py"):  # fmt: skip
            path.write_text(f"# {FILE}\nraise ValueError('{SUCCEEDED}')\n")
            path.chmod(0o666)

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self._grader.__exit__()
        budget.GRACE_SECONDS = 0.5
        for process in _descendants() - self._subreaper:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def alone(self) -> list[list[tuple[str, float]]]:
        """The verdicts on the neighbours, as they were before any attack."""
        return self._alone

    def problems(self, attack: Attack) -> list[str]:
        """Everything that is not as it would be without the attack."""
        most = self._baseline(attack)
        data = attack.submission.replace(b"<<folder>>", str(self.folder).encode())
        with _measured() as cost:
            graded = self._grader.grade(data, "mallory")
        result = graded.result
        # The neighbour before was graded after the attack before.
        self._next = 1 - self._next
        found = self._neighbour(self._next)
        if cost.memory_mb > MEMORY_MB:
            found.append(f"the grader grew by {cost.memory_mb} MB")
        seconds = self._shortest(data, cost.seconds)
        if seconds > self.settings.submission_seconds + 1:
            found.append(f"grading took {seconds:.1f} s")
        if result.status != attack.status:
            found.append(f"the status is {result.status}: {result.reason}")
        found += _wrong_score(result, most)
        found += _told(result, graded, str(self.folder))
        said = [result.reason or "", *result.warnings, *(check.message for check in result.checks)]
        heard = any(attack.said in text for text in said) or attack.id[:3] in ELSEWHERE.get(
            self.level, ()
        )
        if attack.said and not heard:
            found.append(f"nothing says {attack.said!r}: {said}")
        found += _control_characters(said)
        return found + self._left_behind(patience=0 if found else 30)

    def is_harmed_by(self, attack: Attack) -> bool:
        """Whether an attack is seen to succeed; on a busy machine, perhaps, with more time alone."""
        if self.problems(attack):
            return True

        usual = self.settings
        self._give(
            replace(
                usual,
                call_seconds=PATIENCE * usual.call_seconds,
                submission_seconds=PATIENCE * usual.submission_seconds,
            )
        )
        try:
            return bool(self.problems(attack))
        finally:
            self._give(usual)

    def _give(self, settings: Settings) -> None:
        """Have the grader work by these settings from now on."""
        self.settings = self._grader._settings = self._grader._compiled.settings = settings

    def _shortest(self, data: bytes, seconds: float) -> float:
        """The time of grading, of three times the shortest if the first was too long: on a busy
        machine workers are kept waiting, too."""
        for _ in range(2):
            if seconds > self.settings.submission_seconds + 1:
                with _measured() as cost:
                    self._grader.grade(data, "mallory")
                seconds = min(seconds, cost.seconds)

        return seconds

    def _baseline(self, attack: Attack) -> float:
        if attack.baseline not in self._baselines:
            score = self._grader.grade(attack.baseline, "mallory").result.score
            assert score is not None
            self._baselines[attack.baseline] = score
        return self._baselines[attack.baseline]

    def _neighbour(self, number: int) -> list[str]:
        for _ in range(3):
            now = self._verdicts(self._grader.grade(self._honest[number], "neighbour").result)
            if now == self._alone[number]:
                return []
            # Whom an attack makes wait waits each time; whom other programs make wait does not.
            if not any("did not return within" in message for message, _ in now):
                break
        return [f"neighbour {number} got {now}, alone {self._alone[number]}"]

    @staticmethod
    def _verdicts(result: Result) -> list[tuple[str, float]]:
        assert result.status == "graded", result.reason
        return [(check.message, check.earned) for check in result.checks]

    def _left_behind(self, patience: float) -> list[str]:
        """Processes and files of the attack, as soon as all processes have gone, or after so many
        seconds: what ends by itself may take long on a busy machine."""
        # The worker of the reference lives on, for it runs nothing of a student's.
        self._grader._reference.__exit__()
        until = time.monotonic() + patience
        while (more := _descendants() - self._children) and time.monotonic() < until:
            time.sleep(0.02)
        found = [f"a process is left: {_command(process)}" for process in more]
        self._children |= more  # the next attack is not to blame for them
        places = {
            "/tmp",
            "/var/tmp",
            "/dev/shm",
            "/",
            os.getcwd(),
            str(self.folder),
            os.path.expanduser("~"),
        }
        found += [
            f"a file is left in {place}"
            for place in places
            if os.path.lexists(os.path.join(place, MARK))
        ]
        planted = (self.folder / "canary.txt", self.folder / "gradebook.db")
        return found + [
            f"{path.name} was changed" for path in planted if FILE not in path.read_text()
        ]


class _Cost:
    seconds = 0.0
    memory_mb = 0


@contextlib.contextmanager
def _measured() -> Iterator[_Cost]:
    """How long it took but for waiting while others had the processor, and by how much the grader's
    memory grew."""
    cost = _Cost()
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # begins the high-water mark anew
    begun = time.monotonic() - _kept_waiting()
    yield cost
    cost.seconds = time.monotonic() - _kept_waiting() - begun
    cost.memory_mb = (_status("VmHWM") - before) >> 10


def _kept_waiting() -> float:
    """For how many seconds this process could have run, but others did."""
    try:
        return int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9
    except OSError:  # this system does not count it
        return 0.0


def _status(name: str) -> int:
    return next(
        int(line.split()[1])
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith(name)
    )


def _wrong_score(result: Result, most: float) -> list[str]:
    if result.score is None:
        return []
    if not math.isfinite(result.score) or not 0 <= result.score <= result.max_score:
        return [f"the score is {result.score}"]
    return [f"earned {result.score}, without the attack {most}"] if result.score > most else []


def _told(result: Result, graded: Graded, folder: str) -> list[str]:
    """Canaries, and ``SUCCEEDED``, in what a student may read of the result; their own words there
    do not count."""
    shown = {"the result": result.to_json()}
    if graded.submission is not None:
        own = "\n".join(cell.source for cell in graded.submission.cells)
        shown |= _pages(graded, own)
    found = []
    for where, text in shown.items():
        found += [
            f"{canary} in {where}" for canary in CANARIES if canary in text.replace(folder, "")
        ]
        if SUCCEEDED in text:
            found.append(f"{SUCCEEDED} in {where}: {text[text.index(SUCCEEDED) :][:100]}")
        if where == "the page":
            found += [f"live HTML in {where}: {live}" for live in _Live(text).found]
    return found


def _pages(graded: Graded, own: str) -> dict[str, str]:
    try:
        from markupsafe import escape

        from autograder.course.gradebook import autograded
        from autograder.show.pages.student_page import StudentPage
    except ImportError:  # the packages of a teacher's installation; the other runs have them
        return {}
    filled = autograded.Template(master()).filled(graded.result, graded.submission)
    notebook = filled.decode()
    page = StudentPage(exercise(), graded.result, graded.submission, None).html()
    for line in own.splitlines():
        if any(word in line for word in (*CANARIES, SUCCEEDED)):
            notebook = notebook.replace(json.dumps(line, ensure_ascii=False)[1:-1], "")
            page = page.replace(escape(line), "")
    return {"the page": page, "the notebook": notebook}


class _Live(html.parser.HTMLParser):
    """Whatever in a page could run or lead somewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        # Our own pictures, and links to places of the page itself.
        is_ours = (tag == "svg" and about.get("class") in ("bar", "picture")) or (
            tag == "a" and (about.get("href") or "").startswith("#")
        )
        if (
            tag in ("script", "img", "svg", "iframe", "object", "embed", "form", "a", "base")
            and not is_ours
        ):
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().lower().startswith(
                ("javascript:", "data:")
            ):
                self.found.append(f"{tag} {name}")


def _control_characters(texts: Iterable[str]) -> list[str]:
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return [f"a control character in {text[:80]!r}" for text in texts
            if any(unicodedata.category(c) in kinds and c not in "\n\t" for c in text)]  # fmt: skip


def _adopt_orphans() -> set[int]:
    """From now on processes whose parent has ended become children of this one, where they can be
    seen."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    return _descendants()


NOT_OURS: set[int] = set()
"""Processes below this one that work for themselves."""


def _descendants() -> set[int]:
    """The processes below this one that still run."""
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        process = waiting.pop()
        started = [child for child in _children(process) if child not in NOT_OURS]
        waiting += started
        found.update(child for child in started if _state(child) not in "ZX")
    return found


def _children(process: int) -> list[int]:
    # Ordinary users run this module from a copy of the folder of attacks, which has no tests.support.
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):
            found += map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split())
    return found


def _state(process: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return "X"


def _command(process: int) -> str:
    with contextlib.suppress(OSError):
        return (
            Path(f"/proc/{process}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode(errors="replace")[:200]
        )
    return str(process)


def main() -> None:
    """Every attack at each level that the command line names."""
    from tests.support.attacks import ATTACKS

    for level in sys.argv[1:]:
        try:
            with Arena(level) as arena:
                print(json.dumps({"level": level, "neighbours": arena.alone}), flush=True)
                for attack in ATTACKS:
                    problems = arena.problems(attack)
                    print(
                        json.dumps({"level": level, "attack": attack.id, "problems": problems}),
                        flush=True,
                    )
        except Unusable as reason:
            print(json.dumps({"level": level, "unusable": str(reason)}), flush=True)


if __name__ == "__main__":
    main()
