"""Questions for students while they work: what each misconception answers to a visible check, and
the reference called differently.

No wrong answer is shipped. The setup cell has a table from digests to questions; a visible check
that fails makes the digest of what it was given and looks it up. It works offline, and in any
notebook.
"""

from __future__ import annotations

import base64
import bz2
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograder.authoring.experimented import experimented
from autograder.authoring.proving import answers
from autograder.authoring.proving.trial import Bench
from autograder.exercises.exercise import Exercise, from_notebook
from autograder.exercises.misconceptions import Misconception, Misconceptions


def table(full: bytes, bank: Misconceptions) -> str:
    """The line of the setup cell that fills in ``HINTS``; empty if there are none.

    Where several mistakes answer a check alike, what became of the step's earlier checks may tell
    them apart. Those that are alike throughout have the question that the bank has for all of them,
    or, two of them, both of theirs. Else they have none: better none than a wrong one.
    """
    exercise = from_notebook(json.loads(full))
    suspects: dict[str, list[Misconception]] = defaultdict(list)
    closer: dict[tuple[str, str], list[Misconception]] = defaultdict(list)
    for digest, verdicts, wrong in _digests(exercise, bank.entries) if bank.entries else ():
        suspects[digest].append(wrong)
        closer[digest, verdicts].append(wrong)

    hints = {}
    for digest, mistakes in sorted(suspects.items()):
        hints[digest] = bank.question(mistakes)
    for (digest, verdicts), mistakes in sorted(closer.items()):
        question = bank.question(mistakes)
        if question != hints[digest]:
            hints[digest + verdicts] = question

    kinds: dict[str, dict[str, str]] = defaultdict(dict)
    for digest, experiment in experimented(exercise):
        kinds[digest].setdefault(experiment.name, experiment.sentence)
    for digest, sentences in kinds.items():
        if digest not in suspects and len(sentences) == 1:
            hints[digest] = next(iter(sentences.values()))

    questions = sorted(set(filter(None, hints.values())))
    numbers = {}
    for mark, hint in hints.items():
        if hint:
            numbers[mark] = questions.index(hint)
    text = json.dumps([questions, numbers], ensure_ascii=False, separators=(",", ":"))
    # Other than zlib's, the bytes of bz2 are the same on every system.
    packed = base64.b85encode(bz2.compress(text.encode())).decode()
    return f"tools.HINTS = {packed!r}" if numbers else ""


def _digests(
    exercise: Exercise, misconceptions: Iterable[Misconception]
) -> Iterator[tuple[str, str, Misconception]]:
    """The digest of every visible check that a misconception fails, after p or f for each earlier
    one of the step.
    """
    bench = Bench(exercise)
    for wrong in misconceptions:
        bench.bind(answers.wrong(wrong))
        verdicts = ""
        for check in bench.of(wrong.step):
            if check.hidden:
                continue
            passes, digest = bench.verdict(check)
            if digest:
                yield digest, verdicts, wrong
            verdicts += "p" if passes else "f"
