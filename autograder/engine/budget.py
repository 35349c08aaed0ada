"""Limits for one submission: the time of its workers, and time and memory of the grader itself.

A clock charges it with each request to a worker, and says when the grader gives up.

Checks, diagnoses and pictures look at values that student code returned. So the grader's own work
for a submission is charged to that submission, too, and ends when its time is over.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, TypeVar

from autograder.base.errors import Unusable
from autograder.engine.student_errors import Stopped

try:
    import resource
except ImportError:  # Windows has no such limits; there a student checks their own notebook
    resource = None  # type: ignore[assignment]

MEMORY = "RLIMIT_DATA"
"""The limit on memory: on data, and not on the stack.

If the stack cannot grow, the system ends the process; a failed allocation is a MemoryError.
"""

MORE_MEMORY = 256 << 20
"""Bytes by which the grader may grow while it grades a submission."""

CALLED_MEMORY = 32 << 20
"""The part of them for a function of a check that student code calls, with arguments of its
choice."""

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096

MORE_SECONDS = 10.0
"""After twice the submission's own time and these CPU seconds, the system ends a grader that is
stuck."""

MOST_KEPT = 4 << 20
"""Bytes of calls that are kept per submission, for diagnoses and pictures."""

TICK_SECONDS = 0.05
"""CPU seconds between two checks whether a submission's time is over."""

Found = TypeVar("Found")
Hook = Callable[["sys.UnraisableHookArgs"], Any]


class OutOfTime(BaseException):
    """The grader's own work for a submission has used up the submission's time.

    No Exception: nothing in a check takes it for an answer.
    """


class Budget:
    """The time of one submission: elapsed time of its workers, CPU time of the grader.

    Args:
        seconds: how much there is.
        whole: what this is a part of; what is spent of a part is spent of the whole.
        patience: with more than 1, workers are charged with CPU time, too, as a busy machine makes
            them wait. By the clock they may take so many times as long, should they only sleep.
    """

    def __init__(self, seconds: float, whole: Budget | None = None, patience: float = 1.0) -> None:
        self.left = seconds
        self.patience: float = whole.patience if whole else patience
        self.total: float = whole.total if whole else seconds
        self.timeouts: Counter[str] = Counter()
        self.kept = 0
        self._whole = whole
        self._root: Budget = whole._root if whole else self
        self._charged = time.thread_time()
        self._added: AddedCells | None = None

    def part(self, share: float = 1.0) -> Budget:
        """A part of the whole, for further runs, in which no function is known to hang yet."""
        return Budget(min(share * self.total, self.left), self)

    @property
    def added(self) -> AddedCells:
        """The time for cells that the student added, over all runs, and how much of it is used."""
        root = self._root
        if root._added is None:
            root._added = AddedCells(root.total, patience=root.patience)
        return root._added

    def spend(self, seconds: float) -> None:
        """Subtract the time that a worker took."""
        self._root._charged = time.thread_time()
        self._spend(seconds)

    def charge(self) -> None:
        """Subtract the CPU time of the grader since the last charge."""
        now = time.thread_time()
        self._spend(now - self._root._charged)
        self._root._charged = now

    def resume(self) -> None:
        """Charge nothing for the grader's work since the last charge: it was for others."""
        self._root._charged = time.thread_time()

    def keep(self, size: int) -> bool:
        """Whether this many more bytes may be kept."""
        if self._root.kept + size > MOST_KEPT:
            return False
        self._root.kept += size
        return True

    @property
    def is_over(self) -> bool:
        """Whether the time is over, including time that has not been charged yet."""
        return time.thread_time() - self._root._charged >= self.left

    def at_work(self) -> _AtWork:
        """Interrupt the work in this block with ``OutOfTime`` when this time is over."""
        return _AtWork(self)

    def _spend(self, seconds: float) -> None:
        self.left -= seconds
        if self._whole is not None:
            self._whole._spend(seconds)


class AddedCells(Budget):
    """The time for cells that a student added: as much again as for all else, so that experiments
    take no points from answers."""

    def __init__(self, seconds: float, patience: float = 1.0) -> None:
        super().__init__(seconds, patience=patience)
        self.idle: set[str] = set()
        """Added cells that took long and bind nothing that others use: they run once."""
        self.took: dict[str, float] = {}
        """Seconds, by the name of the cell."""


class Watch:
    """The submission whose time a tick checks.

    An object's attributes and not a class's: whenever one of those is set, Python forgets what it
    has looked up in that class, and with it, bit by bit, in all others.
    """

    def __init__(self) -> None:
        self.watched: Budget | None = None
        """The time that ends the grader's current work; None if it must not be interrupted."""
        self.interrupted: Budget | None = None
        """The time that has ended the current work, until that work is left."""


WATCH = Watch()
"""The one of this process."""


class _AtWork:
    """Sets the time that is watched, and restores the one before.

    A class, because it is entered some hundred times per submission. No tick interrupts its
    methods.
    """

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget
        self._outer: Budget | None = None

    def __enter__(self) -> None:
        self._outer = WATCH.watched or WATCH.interrupted
        WATCH.watched, WATCH.interrupted = self._budget, None

    def __exit__(self, *_: object) -> None:
        WATCH.watched, WATCH.interrupted = self._outer, None


def unwatched() -> _AtWork:
    """Let nothing interrupt this block: conversations with a worker have deadlines of their own."""
    return _AtWork(None)


def extra(budget: Budget, find: Callable[[], Found | None]) -> Found | None:
    """Facts beyond the verdicts, found in the time that is left for the submission.

    None if they cannot be found. The search looks at values of the student's choice, and no verdict
    may depend on how it ends.
    """
    if budget.is_over:
        return None

    try:
        with budget.at_work():
            return find()
    except Unusable:  # the teacher's bank is
        raise
    except (Exception, OutOfTime, Stopped):
        return None


@contextlib.contextmanager
def limits(seconds: float) -> Iterator[None]:
    """Limit this process to what one submission may use: memory, and CPU time.

    Two clocks: one ends the current work with ``OutOfTime``. Much later, one of the system ends the
    process, in case it is stuck in a function of NumPy.
    """
    with _limit(_memory() + MORE_MEMORY), _ended_after(2 * seconds + MORE_SECONDS), _ticking():
        yield


def called() -> contextlib.AbstractContextManager[None]:
    """Limit this process to the memory that a function of a check may use.

    Nothing may interrupt this block: the limit is removed at its end.
    """
    return _limit(_memory() + CALLED_MEMORY)


@contextlib.contextmanager
def _limit(most: int) -> Iterator[None]:
    try:
        kind = getattr(resource, MEMORY)
        before = resource.getrlimit(kind)
        for limit in before:
            if limit != resource.RLIM_INFINITY:
                most = min(most, limit)
        resource.setrlimit(kind, (most, before[1]))
    # None on this system; or this process is locked, and has limits.
    except (AttributeError, ValueError, OSError):
        yield
        return

    try:
        yield
    finally:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, before)


def _memory() -> int:
    """Bytes of this process's data and stack; if unknown, more than any process has."""
    try:
        # Not ``open``: this is asked whenever student code calls a function of a check.
        descriptor = os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return 1 << 46
    try:
        return int(os.read(descriptor, 200).split()[5]) * _PAGE
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Let the system end this process after this much more CPU time.

    It is a timer, and not RLIMIT_CPU: no process can read the clock of that limit, which differs
    from all others by many seconds after minutes of computing on a busy machine. It would end the
    grader of a large class for its age.
    """
    try:
        before = signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    except AttributeError:  # Windows
        yield
        return

    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, *before)


@contextlib.contextmanager
def _ticking() -> Iterator[None]:
    try:
        before = signal.signal(signal.SIGPROF, _tick)
    except (AttributeError, ValueError):  # Windows; and signals reach the main thread alone
        yield
        return

    hook = sys.unraisablehook
    sys.unraisablehook = _silent(hook)
    signal.setitimer(signal.ITIMER_PROF, TICK_SECONDS, TICK_SECONDS)

    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.unraisablehook = hook
        # A tick that is still on its way finds a handler: by default it would end the process.
        if before is not signal.SIG_DFL:
            signal.signal(signal.SIGPROF, before)


_SWITCHES = (_AtWork.__enter__.__code__, _AtWork.__exit__.__code__)


def _tick(_: int, frame: FrameType | None) -> None:
    if frame is not None and frame.f_code in _SWITCHES:
        return

    # The work ends within a tick, unless something in it has swallowed the exception.
    budget = WATCH.watched or WATCH.interrupted
    if budget is not None and budget.is_over and not _is_loading(frame):
        WATCH.watched, WATCH.interrupted = None, budget
        raise OutOfTime


def _is_loading(frame: FrameType | None) -> bool:
    """Whether a module is being loaded: some stay damaged for good when that is interrupted."""
    while frame is not None:
        code, name = frame.f_code, str(frame.f_globals.get("__name__"))
        if code.co_filename.startswith("<frozen importlib"):
            return True
        if name.startswith("autograder.engine.") and code.co_name != "<module>":
            return False  # what is watched has begun above here
        frame = frame.f_back
    return False


def _silent(hook: Hook) -> Hook:
    """A hook for exceptions that Python drops: in a finalizer, or during garbage collection.

    The next tick raises a dropped ``OutOfTime`` again, so nobody needs to see it.
    """

    def dropped(what: sys.UnraisableHookArgs) -> None:
        if not isinstance(what.exc_value, OutOfTime):
            hook(what)

    return dropped


GRACE_SECONDS = 0.5
"""Time between the worker's own alarm and the grader's, which kills: code that catches everything
survives the alarm."""

GRACE_SHARE = 0.05
"""The longest grace, as a share of a submission's time: even the last call must not take much more
than the time that is left."""


class Clock:
    """Charges a submission's budget with requests, and knows when an answer is late.

    Requests are nested if both sides call each other: only the outermost one counts and has a
    deadline.

    Args:
        computed: the CPU seconds of the worker so far; None if unknown.
    """

    def __init__(
        self,
        budget: Budget,
        call_seconds: float,
        computed: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.budget = budget
        self._ask_computed = computed
        self._computed: float | None = None
        self._call_seconds = float(call_seconds)
        self.depth = 0
        self.deadline = 0.0
        self.given = 0.0
        """Seconds for the current request."""
        self._begun = 0.0

    @property
    def seconds(self) -> float:
        """Seconds for the next call."""
        return max(0.0, min(self._call_seconds, self.budget.left * self.budget.patience))

    @property
    def timeouts(self) -> Counter[str]:
        """How often each function did not return in time."""
        return self.budget.timeouts

    @contextlib.contextmanager
    def charging(self, budget: Budget) -> Iterator[None]:
        """Let another budget pay."""
        outer, self.budget = self.budget, budget
        outer.charge()
        budget.resume()
        try:
            yield
        finally:
            self.budget = outer
            outer.resume()

    def enter(self) -> float:
        """Begin a request; return the seconds until its deadline."""
        now = time.monotonic()
        if self.depth == 0:
            self.budget.charge()
            grace = min(GRACE_SECONDS, GRACE_SHARE * self.budget.total)
            self._begun, self._computed = now, self._worker_seconds()
            self.given = self.seconds
            self.deadline = now + self.given + grace

        self.depth += 1
        return max(self.deadline - now, 0.001)

    def leave(self) -> None:
        """End a request, however it went."""
        self.depth -= 1
        if self.depth == 0:
            self.spend()

    def spend(self) -> None:
        """Subtract the time since the request began, or since the last call of this method."""
        now, computed = time.monotonic(), self._worker_seconds()
        took = now - self._begun
        if computed is not None and self._computed is not None:
            took = max(took / self.budget.patience, computed - self._computed)
        self.budget.spend(took)
        self._begun, self._computed = now, computed

    def _worker_seconds(self) -> float | None:
        if self.budget.patience <= 1:
            return None
        with unwatched():
            return self._ask_computed()
