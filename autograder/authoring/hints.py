"""Questions for students while they work: what each misconception answers to a visible check, and
the reference called differently.

No wrong answer is shipped. The setup cell has a table from digests to questions; a visible check
that fails makes the digest of what it was given and looks it up. It works offline, and in any
notebook.
"""

from __future__ import annotations

import codecs
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograder.authoring.experimented import experimented
from autograder.exercises.exercise import Exercise, from_notebook
from autograder.exercises.misconceptions import Misconception
from autograder.proving import answers
from autograder.proving.trial import Bench


def table(full: bytes, misconceptions: Iterable[Misconception]) -> str:
    """The line of the setup cell that fills in ``HINTS``; empty if there are none.

    A digest that several mistakes share has no question, unless they are of one family: better none
    than a wrong one.
    """
    exercise = from_notebook(json.loads(full))
    known = list(misconceptions)
    suspects: dict[str, list[Misconception]] = defaultdict(list)
    for digest, wrong in _digests(exercise, known) if known else ():
        suspects[digest].append(wrong)

    hints: dict[str, str] = {}
    for digest, mistakes in sorted(suspects.items()):
        families = {wrong.family or wrong.name for wrong in mistakes}
        if len(families) == 1:
            hints[digest] = mistakes[0].hint

    kinds: dict[str, dict[str, str]] = defaultdict(dict)
    for digest, experiment in experimented(exercise):
        kinds[digest].setdefault(experiment.name, experiment.sentence)
    for digest, sentences in kinds.items():
        if digest not in suspects and len(sentences) == 1:
            hints[digest] = next(iter(sentences.values()))

    questions = sorted(set(hints.values()))
    numbers = {digest: questions.index(hint) for digest, hint in hints.items()}
    text = json.dumps([questions, numbers], ensure_ascii=False, separators=(",", ":"))
    return f"tools.HINTS = {codecs.encode(text, 'rot13')!r}" if hints else ""


def _digests(
    exercise: Exercise, misconceptions: Iterable[Misconception]
) -> Iterator[tuple[str, Misconception]]:
    """The digest of every visible check that a misconception fails."""
    bench = Bench(exercise)
    for wrong in misconceptions:
        bench.bind(answers.wrong(wrong))
        for check in bench.of(wrong.step):
            digest = "" if check.hidden else bench.fingerprint(check)
            if digest:
                yield digest, wrong
