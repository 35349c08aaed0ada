"""Two mistakes at once: the reference called differently, and what relates an answer to that."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.engine.alterations import alterations
from autograder.engine.calls import Alteration
from autograder.engine.evidence import AnsweredCall, Relation, prediction, worth
from autograder.engine.experiment import Namespace
from autograder.engine.experiments import altered
from autograder.tools import relations
from autograder.tools.likeness import alike

_LIKELY = frozenset({"complemented", "exchanged", "negated", "transposed"})

_ENDINGS = ("were left out", "were not given")

_BESIDE = frozenset(
    {
        "argument_added",
        "argument_multiplied",
        "argument_subtracted",
        "averaged",
        "axes_in_other_order",
        "axis_missing",
        "complemented",
        "cut_off",
        "multiplied_again",
        "negated",
        "one_part_missing",
        "other_order_of_parts",
        "parts_added",
        "parts_too_many",
        "reversed",
        "rounded",
        "scaled",
        "summed",
        "taken_from_one",
        "transposed",
    }
)
"""Relations that no answer has by itself, whatever it is held against."""


def together(space: Namespace, step: str, wrong: Sequence[AnsweredCall]) -> Relation | None:
    """What explains all wrong answers, if each is related to what a likely change answers."""
    if len(wrong) < 2 or any(answer.got.raised or answer.right.raised for answer in wrong):
        return None
    # Most changes are not the one, and the call that tells most says so first.
    wrong = sorted(wrong, key=lambda answer: -worth([answer]))
    for change in alterations(space[step], [answer.arguments for answer in wrong]):
        if change.name not in _LIKELY and not change.phrase.endswith(_ENDINGS):
            continue
        found = _beside(change, space, step, wrong)
        if found is not None and found[0] in _BESIDE:
            name, sentence = found
            sentence = sentence[0].lower() + sentence[1:]
            both = f"Two mistakes meet. It is as if {change.phrase}, and beside that {sentence}"
            return Relation(name, both)
    return None


def _beside(
    change: Alteration, space: Namespace, step: str, wrong: Sequence[AnsweredCall]
) -> tuple[str, str] | None:
    """What relates the answers to those after a change."""
    experiment = altered(space[step], change)
    pairs = []
    for answer in wrong:
        outcome = prediction(experiment, answer)
        if outcome is None or outcome.raised:
            return None
        pairs.append((answer.got.value, outcome.value, answer.arguments))
        if len(pairs) == 1:
            unchanged = alike(outcome.value, answer.right.value)
            if unchanged or relations.relation(pairs, least=1, vague=False) is None:
                return None
    return relations.relation(pairs, vague=False)
