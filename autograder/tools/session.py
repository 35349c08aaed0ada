"""A student's session with a notebook: its checks, what has come of them, and what to think about.

The build fills in ``CHECKS`` and ``HINTS``.
"""

import contextlib
import copy
import html
import inspect
import io
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from itertools import takewhile
from types import CodeType, FunctionType, TracebackType
from typing import Any, NamedTuple

import numpy as np

from autograder.tools.answers import standing_in
from autograder.tools.exceptions import EXACT, said_by
from autograder.tools.likeness import digest, equals
from autograder.tools.relations import Explained, relation
from autograder.tools.showing import (
    CARD,
    FAINT,
    as_picture,
    as_text,
    below,
    fitting_question,
    in_notebook,
    lines,
    own_lines,
    present,
    statement,
)
from autograder.tools.tally import (
    CHECKS,
    COUNTING,
    FIRST,
    RESULTS,
    culprit,
    failing_before,
    in_points,
    place_of,
    progress,
    reaches,
    state_of,
    step_of,
    still_open,
    still_to_do,
    undefined,
)

REVEAL = True
"""Somebody reads what is printed; False where a check is graded, and only its message counts."""

HINTS = ""
"""Questions about common mistakes, as JSON: each with the digests of answers that it is for, in
letters that stand for digits of base 4: a digest in hexadecimal takes half as much again once it is
packed. ``source`` leaves them out, so that nobody reads them by accident."""

SEEN: list[Any] = []
"""What the check that is running has been given."""

SHOWN: list[dict[str, Any]] = []
"""What it has compared for people to see: what it is, both values, the entries that are wrong,
whether any is, and what the check asks then."""

COMPARED: dict[str, list[Any]] = {}
"""By check, and under "" for the one that is running: wrong answers beside the right ones."""

RUNNING: list[str] = []
"""The visible check that is running, if any: of hidden ones nobody says the name."""

GIVEN: dict[str, dict[str, Any]] = {}
"""By visible check: the arguments of the first call that it has made of its step's function.
"softmax-practice" has those of a trial in which a property did not hold."""

JUDGED: dict[str, object] = {}
"""The function that each of these checks has judged."""


NEARLY: dict[str, str] = {}
"""By question: nearly the line, in words. The build fills it in."""

MARKS: dict[str, str] = {}
"""What fingerprint said of each check that fails."""

QUESTIONS: dict[str, str] = {}
"""What the table of mistakes asks about each check that fails; empty if it does not know it."""

OR_ELSE = " Or else: "
"""Between two questions, where two mistakes answer a check alike."""

DIGITS = str.maketrans("ABCD", "0123")
"""Of a digest in ``HINTS``."""

RETRIED: list[BaseException | None] = []
"""While a check runs again, with earlier steps right: how that ended."""


def remember(*values: object) -> None:
    """Remember what a check has been given, where somebody waits for a hint."""
    if REVEAL:
        SEEN.extend(values)


def compared(got: object, wanted: object, explained: Explained) -> None:
    """Remember a wrong answer beside the right one, where somebody waits for a hint.

    Args:
        explained: where to look for what relates the two.
    """
    if REVEAL:
        COMPARED.setdefault("", []).append((got, wanted, explained))


def reveal(what: str, got: Any, wanted: Any, problem: str, ask: str, wrong: Any = None) -> None:
    """Remember an answer beside the right one, where somebody reads it; most see only wrong ones.

    Args:
        problem: how they differ; empty if they do not.
        wrong: which entries are wrong, where that can be said.
    """
    shown = {"what": what, "got": got, "wanted": wanted, "wrong": wrong}
    SHOWN.append({**shown, "problem": problem, "ask": ask})


def fingerprint(name: str, error: BaseException) -> str:
    """A digest of what the failing check ``name`` has been given; empty if it tells nothing.

    Many mistakes end in the same exception: there, the step's earlier failures count, too.
    """
    if isinstance(error, AssertionError):
        return digest(name, error, SEEN)
    before = [other for other in takewhile(name.__ne__, CHECKS) if step_of(other) == step_of(name)]
    return digest(name, error, [*SEEN, *filter(None, map(MARKS.get, before))])


def hint(name: str, error: BaseException, names: Mapping[str, Any] = {}) -> str:
    """The question to ask about a failure of the check ``name``; empty if there is none."""
    questions = by_mark(HINTS)
    # In a copy that is checked, the check itself has met another kind of error: the wire's.
    mark = MARKS[name] = fingerprint(name, error)
    question = questions.get(mark + earlier(name, names), questions.get(mark))
    asked: dict[str, str] = {}
    for other in COMPARED:
        is_failing = other != name and step_of(other) == step_of(name) and MARKS.get(other)
        if is_failing and JUDGED.get(other) is names.get(step_of(name)):
            asked[other] = QUESTIONS.get(other, "")
    if question is not None:
        known = [one for one in question.split(OR_ELSE) if one in asked.values()]
        QUESTIONS[name] = known[0] if len(known) == 1 else question
        return QUESTIONS[name]

    # What no table knows may yet show in the answers of all of a step's checks.
    QUESTIONS[name] = ""
    pairs = []
    for other, wrong in COMPARED.items():
        if step_of(other) == step_of(name):
            pairs += wrong
    found = relation(pairs, lambda got, wanted, explained: explained(got, wanted, {}))
    if not found and not isinstance(error, AssertionError):
        found = said_by([f"{type(error).__name__}: {error}"], EXACT)
    if not found:
        return ""
    # Where it explains what a table knows as well, it is that mistake, seen from afar.
    known = list({asked[other] for other in asked if asked[other] and COMPARED[other]})
    return known[0] if len(known) == 1 else found[1]


@cache
def by_mark(hints: str) -> dict[str, str]:
    """The questions by what has been seen; read once, which is slow."""
    found: dict[str, str] = {}
    for question, marks in json.loads(hints or "{}").items():
        for letters, verdicts in re.findall("([A-D]{12})([pf]*)", marks):
            mark = f"{int(letters.translate(DIGITS), 4):06x}{verdicts}"
            found[mark] = f"{found[mark]}{OR_ELSE}{question}" if mark in found else question
    return found


def earlier(name: str, names: Mapping[str, Any]) -> str:
    """A letter for each earlier visible check of the step, p or f; p for one that only waits.

    Empty where one of them has not judged the function as it is now.
    """
    letters = ""
    for other, about in CHECKS.items():
        if other == name:
            return letters
        if step_of(other) == step_of(name) and not about["hidden"]:
            if other not in JUDGED or JUDGED[other] is not names.get(step_of(name)):
                return ""
            letters += "p" if state_of(other) in ("passes", "waits") else "f"
    return letters


class Retry(NamedTuple):
    """What came of a check with earlier steps right, or with so many of them.

    ``called``: those of them that it called, ``unknown``: with what nobody knows the right answer
    to. ``said`` tells one failure from another.
    """

    error: BaseException | None
    called: set[str]
    unknown: set[str]
    said: str = ""
    question: str = ""


class check:
    """``with check("softmax-by_hand"):`` runs a visible check, keeps the tally and says where to
    look first.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.own: FunctionType | None = None
        self.changed: list[str] = []
        """The arguments that the step's function has changed in the first call."""
        self.asked = ""
        """The question about a known mistake."""

    def __enter__(self) -> "check":
        RUNNING[:] = [self.name]
        SEEN.clear()
        SHOWN.clear()
        COMPARED[""] = []
        FIRST.pop(self.name, None)
        self.warnings = warnings.catch_warnings()
        self.warnings.__enter__()
        silent()
        # The notebook's own names, in which the student's functions are.
        self.names = sys._getframe(1).f_globals
        self.listen()
        return self

    def listen(self) -> None:
        """Keep the arguments of the first call that the check makes of its step's function."""
        names, step = self.names, step_of(self.name)
        own = names.get(step)
        # Only a notebook's own: where a copy is checked, something else stands for the function.
        if not REVEAL or not isinstance(own, FunctionType):
            return

        @wraps(own)
        def listening(*args: Any, **kwargs: Any) -> Any:
            names[step] = own
            given: dict[str, Any] = {}
            with contextlib.suppress(Exception):  # what does not fit, its call says better
                given = dict(inspect.signature(own).bind(*args, **kwargs).arguments)
                GIVEN[self.name] = copy.deepcopy(given)
            answer = own(*args, **kwargs)
            with contextlib.suppress(Exception):  # what is no array and no number
                for name, value in given.items():
                    if not equals(value, GIVEN[self.name][name]):
                        self.changed.append(name)
            return answer

        names[step], self.own = listening, own

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.warnings.__exit__(kind, error, trace)
        RUNNING.clear()
        if self.own is not None:
            self.names[step_of(self.name)] = self.own
        if not REVEAL:  # nobody reads it
            return False
        if error is not None and not isinstance(error, Exception):  # interrupted
            return False
        if RETRIED:
            RETRIED[-1] = error
            return True

        COMPARED[self.name] = COMPARED.pop("", [])
        is_first = "passes" not in RESULTS.values()
        JUDGED[self.name] = self.names.get(step_of(self.name))
        MARKS[self.name] = fingerprint(self.name, error) if error else ""
        if error is None or trace is None:
            RESULTS[self.name] = "passes"
            worth = CHECKS.get(self.name, {}).get("points")
            passed = f"✓ {self.name}: passed" + (f", {in_points(worth)}" if worth else "")
            self.show(SHOWN if is_first else [], passed + self.purity())
            self.count([])
            return False

        missing = undefined(error)
        if missing or isinstance(error, NotImplementedError):
            empty = missing or culprit(trace) or step_of(self.name)
            own = "fails" if missing else "is unwritten"
            RESULTS[self.name] = own if empty == step_of(self.name) else "waits"
            said = [still_to_do(empty, not missing, self.names)]
            if in_notebook():
                present(f'{CARD}<span class="check-open"></span>', "")
        else:
            RESULTS[self.name] = "fails"
            wrong = [shown for shown in SHOWN if shown["problem"]]
            said = self.reasons(error, trace, sys._getframe(1).f_code)
            self.show(wrong, f"✗ {self.name}", str(self.names.get("__doc__") or ""))
            if in_notebook() and self.name not in FIRST:
                self.levels()

        self.count(said)
        if in_notebook():
            vars(error)["_render_traceback_"] = lambda: lines(*said)
        else:
            shorten(trace, error)
            for sentence in said[1:]:
                print(sentence)
        return False

    def count(self, said: list[str]) -> None:
        """Count this run, where the student wants that."""
        for counted in COUNTING[:1]:
            counted(self.name, any(one.startswith("Think about this") for one in said))

    def purity(self) -> str:
        """What to say of changed arguments, where a hidden check asks that they stay."""
        step = step_of(self.name)
        asked = [name for name in CHECKS if CHECKS[name].get("category") == "purity"]
        if not self.changed or step not in map(step_of, asked):
            return ""
        return (
            f". But {step} changes {' and '.join(self.changed)}: its inputs should stay as they are"
        )

    def reasons(self, error: BaseException, trace: TracebackType, code: CodeType) -> list[str]:
        """What is wrong, and what to look at, in sentences; the first is the error's own."""
        problem = str(error)[:1000]
        question = hint(self.name, error, self.names)
        question, blamed = self.blamed(error, question, culprit(trace), code)
        said = []
        if not isinstance(error, AssertionError):
            problem = f"{type(error).__name__}: {problem}"
            said = own_lines(trace, self.names) if in_notebook() else []
        elif question or blamed.startswith("First"):
            # One question is enough, and this one knows the mistake.
            problem = statement(problem)
            error.args = (problem,)
        said.append(problem)

        self.asked = question
        if question:
            said.append(f"Think about this: {question}")
        elif not isinstance(error, AssertionError) and not blamed.startswith("First"):
            asked = fitting_question(error, trace)
            said += [f"Think about this: {asked}"] if asked else []
        if blamed:
            said.append(blamed)
        return said

    def blamed(
        self, error: BaseException, question: str, raised: str, code: CodeType
    ) -> tuple[str, str]:
        """What to ask, and which earlier step fails, in a sentence; "First …" where this check
        fails for it.

        Args:
            question: what is asked where no earlier step is at fault.
            raised: the step in which an exception came up, or empty.
            code: what runs the check.
        """
        failing = failing_before(self.name)
        suspects = []
        for step in failing:
            if reaches(step_of(self.name), step, self.names) or step == raised:
                suspects.append(step)
        if not suspects:
            return question, still_open(failing)

        before = COMPARED[self.name], MARKS[self.name], QUESTIONS.get(self.name, "")
        said_before = MARKS[self.name] or repr(error)
        mended = self.retry(suspects, code)
        known = COMPARED[self.name], MARKS[self.name], QUESTIONS.get(self.name, "")
        changing = []
        for step in sorted(mended.called, key=suspects.index):
            others = mended.called - {step}
            said = self.retry(others, code).said if others else said_before
            if said != mended.said:
                changing.append(step)
        # What later checks of this step go by is what it answers with the others right.
        kept = known if mended.called else before
        COMPARED[self.name], MARKS[self.name], QUESTIONS[self.name] = kept
        at_fault = [step for step in changing if step not in mended.unknown]
        if not mended.error:  # each of two may do, where they make up for each other
            at_fault = changing or [step for step in suspects if step in mended.called]
        doubtful = [step for step in suspects if step in mended.unknown]
        # The one that has raised something comes first.
        first = next(iter(sorted(at_fault or doubtful, key=raised.__ne__)), "")
        if mended.called and mended.error:
            question = mended.question or question
        elif at_fault:
            question = ""

        # What an exception says of itself may well come of an earlier step's answer.
        is_sure = question and isinstance(error, AssertionError)
        if not first or (is_sure and not at_fault):
            return question, still_open(failing)
        where = place_of(failing[first])
        if not at_fault:
            return question, f"Perhaps first fix {where}."
        if question:
            return question, f"Also still open: {where}."
        FIRST[self.name] = failing[first]
        return question, f"First fix {where}."

    def retry(self, steps: Iterable[str], code: CodeType) -> Retry:
        """What comes of this check with right answers in the place of some earlier steps."""
        # A script is more than its check, and is not run again.
        if self.names.get("__file__") == code.co_filename:
            return Retry(None, set(), set(steps))

        called: set[str] = set()
        unknown: set[str] = set()
        own = {step: self.names[step] for step in steps}
        RETRIED.append(None)
        try:
            for step in own:
                self.names[step] = standing_in(step, own[step], called, unknown)
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, self.names)
        finally:
            self.names.update(own)
            error = RETRIED.pop()

        COMPARED[self.name], MARKS[self.name] = COMPARED.pop("", []), ""
        QUESTIONS[self.name] = ""
        if error is None:
            return Retry(None, called, unknown)
        question = hint(self.name, error, self.names)
        return Retry(error, called, unknown, MARKS[self.name] or repr(error), question)

    def levels(self) -> None:
        """Show below all of this nearly the line, where the bank has words for that."""
        below("Nearly the line", html.escape(NEARLY.get(self.asked, "")))

    def show(self, shown: list[dict[str, Any]], head: str, sentence: str = "") -> None:
        """Show how it went, so many comparisons, and how far the student is."""
        so_far = progress()
        pictures, texts = [], []
        for one in shown:
            values = one["what"], one["got"], one["wanted"]
            pictures.append(as_picture(*values, one["wrong"]))
            texts.append(as_text(*values))

        look = ""
        if sentence:
            look = ' class="check-failed" style="border-left:3px solid #d9480f;padding-left:12px"'
            plain, sentence = sentence, f"<div>{html.escape(sentence)}</div>"
            texts.insert(0, f"{head}: {plain}")
        else:
            texts.append(f"{head}; {so_far}" if so_far else head)
        top = f'<div><b>{head}</b> <span style="{FAINT}">{so_far}</span></div>'
        markup = f"<div{look}>{top}{sentence}{''.join(pictures)}</div>"
        present(f"{CARD}{markup}" if sentence else markup, "\n".join(texts))


def first(name: str) -> dict[str, Any]:
    """The arguments of the first call in the first check of a step, by name: to print, to change,
    and to call the function with, ``softmax(**tools.first("softmax"))``.

    Args:
        name: the step, or one of its visible checks: "softmax-large_scores"; or "softmax-practice",
            the input of which a property did not hold.

    Raises:
        LookupError: there is no such check, or it has not made a call yet.
    """
    if name in GIVEN:
        return copy.deepcopy(GIVEN[name])
    visible = [check for check in CHECKS if not CHECKS[check]["hidden"]]
    meant = [check for check in visible if name in (check, step_of(check))]
    if not meant:
        raise LookupError(f"no step or visible check is called {name}")
    if meant[0] not in GIVEN:
        raise LookupError(f"run the cell of the check {meant[0]} first")
    return copy.deepcopy(GIVEN[meant[0]])


def shorten(trace: TracebackType, error: BaseException) -> None:
    """Leave these tools out of a traceback where the message says it all."""
    inner = trace
    while inner.tb_next:
        inner = inner.tb_next
    is_ours = inner.tb_frame.f_code.co_filename == shorten.__code__.co_filename
    if is_ours or isinstance(error, NotImplementedError):
        trace.tb_next = None


def demo(scene: Callable[[], object]) -> Callable[[], object]:
    """Play a scene at once. While a step it needs is missing or broken, say so in one line."""
    try:
        scene()
    except Exception as error:
        step = undefined(error) or culprit(error.__traceback__)
        if undefined(error) or isinstance(error, NotImplementedError):
            print(f"This scene waits for your {step}.")
        elif isinstance(error, NameError) and not step:
            print(f"This scene needs {error.name}: run the cells above it, from the first one on.")
        else:
            where = f" in your {step}" if step else ""
            print(f"This scene stopped{where}: {type(error).__name__}: {error}")
    return scene


def silent() -> None:
    """Warn of nothing from here on: a warning on screen counts as a failure in some graders."""
    warnings.simplefilter("ignore")


class Code(str):
    """A text that is shown as it is."""

    def __repr__(self) -> str:
        return str(self)


def source() -> Code:
    """The code that is packed in the cell of tools, without the tables of hints and answers."""
    code = sys._getframe(1).f_globals.get("TOOLS", "")
    return Code(re.sub(r"^tools\.(HINTS|ANSWERS) = .*", "", code, flags=re.MULTILINE))


def ready() -> None:
    """Say that the setup cell has run, and with what."""
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}: ready.")
