"""Writes tests/solutions/mutants/<exercise>.json: what mutation tools make of the solution's functions.

``make mutants`` runs this after a solution has changed, in an environment of its own: mutmut and
cosmic-ray bring more packages than the whole kit, and would make every installation slower for a
file that hardly ever changes. Of both tools only the operators are used; their runners start a test
suite for every mutant, where a few checks will do.
"""

import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import libcst
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from mutmut.mutation.mutators import mutation_operators

from autograder.exercises import exercise, right_answers

ROOT = Path(__file__).resolve().parents[2]


def by_mutmut(source: str) -> Iterator[tuple[str, str]]:
    """Every mutant that an operator of mutmut makes, under the operator's name."""
    module = libcst.parse_module(source)
    nodes: list[libcst.CSTNode] = []

    class Collector(libcst.CSTVisitor):
        def on_visit(self, node: libcst.CSTNode) -> bool:
            nodes.append(node)
            return True

    module.visit(Collector())
    for node in nodes:
        for kind, operator in mutation_operators:
            if isinstance(node, kind):
                for changed in operator(node):
                    mutant = module.deep_replace(node, changed)
                    assert isinstance(mutant, libcst.Module)
                    yield f"mutmut {operator.__name__.removeprefix('operator_')}", mutant.code


def by_cosmic_ray(source: str) -> Iterator[tuple[str, str]]:
    """Every mutant that an operator of cosmic-ray makes without arguments of its own."""
    for name in operator_names():
        try:
            operator = get_operator(name)()
        except TypeError:
            continue  # it asks which variable to replace
        occurrence = 0
        while (mutant := mutate_code(source.encode(), operator, occurrence)) is not None:
            yield (
                f"cosmic-ray {name.partition('/')[2]}",
                mutant.decode() if isinstance(mutant, bytes) else mutant,
            )
            occurrence += 1


def mutants(source: str) -> Iterator[dict[str, object]]:
    """The different ones among them that are Python, as the line that changed."""
    seen = {ast.dump(ast.parse(source))}
    lines = source.split("\n")
    for operator, mutant in (*by_mutmut(source), *by_cosmic_ray(source)):
        try:
            tree = ast.dump(ast.parse(mutant))
        except SyntaxError:
            continue
        if tree in seen:
            continue
        seen.add(tree)
        changed = [
            number
            for number, line in enumerate(mutant.split("\n"))
            if [line] != lines[number : number + 1]
        ]
        assert len(changed) == 1 and len(mutant.split("\n")) == len(lines), mutant
        yield {"operator": operator, "line": changed[0], "becomes": mutant.split("\n")[changed[0]]}


def plain(answer: str) -> str:
    """The function of an answer without docstring and comment lines."""
    node = ast.parse(answer).body[0]
    assert isinstance(node, ast.FunctionDef)
    first = node.body[0]
    skipped = (
        range(first.lineno, (first.end_lineno or 0) + 1) if ast.get_docstring(node) else range(0)
    )
    lines = enumerate(answer.split("\n"), start=1)
    kept = [line for number, line in lines if number not in skipped and not re.match(r"\s*#", line)]
    return "\n".join(kept).strip() + "\n"


def main(name: str) -> None:
    master = exercise.load(ROOT, name)
    unusual = right_answers.load(right_answers.path_of(ROOT, name))
    found = []
    for step in master.steps:
        answers = [("the solution", master.cell(step).source)]
        if not list(mutants(plain(answers[0][1]))):
            # No tool has anything to put in place of @, so other right answers stand in.
            answers = [(answer.name, answer.source) for answer in unusual if answer.step == step]
        for answer, source in answers:
            digest = hashlib.sha256(plain(source).encode()).hexdigest()
            made = list(mutants(plain(source)))
            found.append({"step": step, "answer": answer, "sha256": digest, "mutants": made})
    text = json.dumps(found, indent=1, ensure_ascii=False)
    # One mutant a line, so that a change can be read.
    text = re.sub(
        r'\{\s+("operator": .*),\s+("line": .*),\s+("becomes": .*)\s+\}', r"{\1, \2, \3}", text
    )
    path = ROOT / "tests" / "solutions" / "mutants" / f"{name}.json"
    path.write_text(text + "\n", encoding="utf-8")
    print(sum(len(answer["mutants"]) for answer in found), "mutants")


if __name__ == "__main__":
    main(*sys.argv[1:])
