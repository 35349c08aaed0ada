"""Questions for students while they work: what each misconception answers to a visible check, as a
digest.

No wrong answer is shipped. The setup cell has a table from digests to questions; a visible check
that fails makes the digest of what it was given and looks it up. It works offline, and in any
notebook.
"""

from __future__ import annotations

import codecs
import json
from collections import defaultdict
from collections.abc import Iterable

from autograder.exercises.exercise import Exercise, from_notebook
from autograder.exercises.misconceptions import Misconception
from autograder.proving.trial import Answer, Bench


def table(full: bytes, misconceptions: Iterable[Misconception]) -> str:
    """The line that binds ``HINTS`` in the setup cell; nothing for an exercise whose setup makes no
    digests.

    A digest that several mistakes share has no question, unless they are of one family: better none
    than a wrong one.
    """
    exercise = from_notebook(json.loads(full))
    if "def fingerprint(" not in exercise.setup:
        return ""
    suspects: dict[str, list[Misconception]] = defaultdict(list)
    for digest, wrong in _answers(exercise, misconceptions):
        suspects[digest].append(wrong)
    hints = {
        digest: found[0].hint
        for digest, found in suspects.items()
        if len({_group(one) for one in found}) == 1
    }
    questions = sorted(set(hints.values()))
    digests = {digest: questions.index(hint) for digest, hint in sorted(hints.items())}
    # Turned not for secrecy, but so that nobody reads the questions of others' mistakes by
    # accident.
    text = codecs.encode(
        json.dumps([questions, digests], ensure_ascii=False, separators=(",", ":")), "rot13"
    )
    turn_back = f'__import__("json").loads(__import__("codecs").decode({text!r}, "rot13"))'
    # A function, for whoever passes never needs the table.
    return f"HINTS = lambda: (lambda texts, found: {{digest: texts[n] for digest, n in found.items()}})(*{turn_back})"


def _group(wrong: Misconception) -> str:
    return wrong.family or wrong.name


def _answers(
    exercise: Exercise, misconceptions: Iterable[Misconception]
) -> Iterable[tuple[str, Misconception]]:
    """The digest of every visible check that a misconception fails."""
    bench = Bench(exercise)
    for wrong in misconceptions:
        bench.bind(Answer(wrong.name, wrong.step, wrong.source, wrong=True))
        for check in bench.of(wrong.step):
            digest = "" if check.hidden else bench.fingerprint(check)
            if digest:
                yield digest, wrong
