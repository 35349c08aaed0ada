"""Mutants that tools made of the solution: the checks kill every one that differs from a right
answer."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from autograder.authoring.proving.trial import Bench
from autograder.exercises import exercise, right_answers
from autograder.exercises.answer_bank import Answer
from tests.support.courses import ROOT

MUTANTS = json.loads(
    (Path(__file__).parent / "mutants" / "attention.json").read_text(encoding="utf-8")
)
KEYS = (0, 1)

ANY_REAL_DTYPE = "1 and 0 count as True and False, and any real dtype is right"
EMPTY_ROW = "a row of nothing but -inf may become anything"
NOTHING_SEEN = "a query that sees nothing is not graded"
NAME = "nobody asks for this name, or for the text of an error"
SIZE = "NumPy works out any size that is negative"
LETTERS = "the same letters, all of them large"
ONE_MORE_AXIS = "an axis of length 1 in front of the last two changes no broadcast of (n, n)"

EQUIVALENT = (
    # step, what the changed line is like, why no check can tell
    ("softmax", r"np\.asarray\(scores, (dtype=None)?\)", ANY_REAL_DTYPE),
    ("softmax", r"top = np\.where\((None|top (==|<|<=|is) [+-]?np\.inf), -?[01]\.0, top\)", EMPTY_ROW),
    ("softmax", r"np\.where\((None|total (==|<|<=) -?[01]\.0), [012]\.0, total\)", EMPTY_ROW),
    ("causal_mask", r"np\.tri\(.*n_keys - n_queries, (dtype=None)?\)", ANY_REAL_DTYPE),
    ("padding_mask", r"np\.reshape\(lengths, \((-2|~1), 1, 1\)\)", SIZE),
    ("split_heads", r"raise ValueError\(None\)", NAME),
    ("multi_head_attention", r"if mask is not None or np\.ndim\(mask\) > 2:", ONE_MORE_AXIS),
    ("multi_head_attention", r"if mask is not None and np\.ndim\(mask\) (>= 2|!= 2|> 1):", ONE_MORE_AXIS),
    ("project_qkv", r'np\.einsum\("\.\.\.ND,DK->\.\.\.NK"', LETTERS),
    ("project_qkv", r"namedtuple\(.*\)\(X @ W_Q, X @ W_K, X @ W_V\)", NAME),
    ("project_qkv", r"reshape\(.*(-2|~1).*\)", SIZE),
    ("weighted_sum", r"if row\.any\(\) else -?1\.0", NOTHING_SEEN),
    ("weighted_sum", r'np\.einsum\("\.\.\.IJ,\.\.\.JD->\.\.\.ID"', LETTERS),
)  # fmt: skip


def plain(answer: str) -> str:
    """The function of an answer without docstring and comment lines, as tests/support/mutate.py saw it."""
    undocumented = re.sub(r'\n    """.*?"""\n', "\n", answer, count=1, flags=re.DOTALL)
    return (
        "\n".join(line for line in undocumented.split("\n") if not re.match(r"\s*#", line)).strip()
        + "\n"
    )


def sources() -> Iterator[tuple[str, str, list[dict[str, object]]]]:
    """The step, the function, and its mutants."""
    master = exercise.load(ROOT, "attention")
    unusual = {
        answer.name: answer
        for answer in right_answers.load(right_answers.path_of(ROOT, "attention"))
    }
    for about in MUTANTS:
        of = (
            unusual[about["answer"]].source
            if about["answer"] in unusual
            else master.cell(about["step"]).source
        )
        source = plain(of)
        assert hashlib.sha256(source.encode()).hexdigest() == about["sha256"], (
            f"{about['step']}: run make mutants"
        )
        yield about["step"], source, about["mutants"]


def mutated(source: str, mutant: dict[str, object]) -> str:
    lines = source.split("\n")
    lines[int(str(mutant["line"]))] = str(mutant["becomes"])
    return "\n".join(lines)


def survives(bench: Bench, answer: Answer) -> bool:
    """Whether a mutant keeps all points of its step with one of the keys."""
    for key in KEYS:
        try:
            bench.bind(answer)
        except Exception:
            return False
        if not any(bench.failure(check, str(key)) for check in bench.of(answer.step)):
            return True
    return False


def test_every_step_has_mutants_and_none_is_of_a_solution_that_has_changed_since():
    steps = {step for step, _, mutants in sources() if mutants}
    assert steps == set(exercise.load(ROOT, "attention").functions)


def test_every_mutant_is_killed_or_known_to_be_right():
    bench, unknown, met = Bench(exercise.load(ROOT, "attention")), [], set()
    for step, source, mutants in sources():
        for mutant in mutants:
            line = str(mutant["becomes"]).strip()
            excuses = {
                entry for entry in EQUIVALENT if entry[0] == step and re.search(entry[1], line)
            }
            met |= excuses
            if (
                survives(bench, Answer(line, step, mutated(source, mutant), wrong=True))
                and not excuses
            ):
                unknown.append(f"{step}: {mutant['operator']}: {line}")
    assert not unknown, "\n".join(unknown)
    assert met == set(EQUIVALENT), "an excuse that no mutant needs"
