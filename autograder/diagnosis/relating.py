"""Names a mistake that no bank has: by what relates a step's answers to the right ones.

First by experiment, the reference called differently; then by comparison; at last by where the
step goes wrong. A relation must explain every call, and more than chance would.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from autograder.diagnosis.calls import Function, Probe
from autograder.diagnosis.circumstances import (
    changing,
    circumstance,
    circumstances,
    forgetful,
    keeping,
    stale,
)
from autograder.diagnosis.evidence import AnsweredCall, Relation, answers, is_telling, tried, worth
from autograder.diagnosis.experiments import (
    Experiment,
    Namespace,
    looking_back,
    one_step_too_many,
    with_arguments,
    with_parts,
    with_source,
    with_steps,
)
from autograder.engine.compiled_exercise import CompiledExercise
from autograder.exercises.exercise import Exercise
from autograder.tools import relations
from autograder.tools.likeness import ALIKE_ATOL, ALIKE_RTOL, ENOUGH, SURE, as_numbers

if TYPE_CHECKING:
    from autograder.exercises.misconceptions import Misconception


Known = Callable[[Sequence[Probe]], "Misconception | None"]
"""What names a misconception of the bank behind some calls."""

Kinds = tuple[tuple[str, str, str], ...]
"""Of exceptions: a name, a pattern that their texts have, and what is said."""

# fmt: off
EXACT: Kinds = (
    ("mask_of_other_shape", r"boolean index did not match",
     "A mask in your code has not the shape of what it selects from. What could stretch it to "
     "that shape?"),
    ("no_plain_value", r"^CannotCross",
     "Your function returns something that is no plain array, number or list. Of which type is "
     "it, and which type does the docstring promise?"),
    ("axes_left_over", r"no '\.\.\.' ellipsis provided",
     "An einsum of yours meets axes that it does not name and that its output does not keep. "
     "Print the shapes that it gets: what should become of the axes in front?"),
    ("fixed_number_of_axes", r"values to unpack|tuple index out of range|axes don't match array|"
     r"out of bounds for array of dimension|einstein sum subscripts|einsum|too many indices|"
     r"axis .* out of bounds|invalid axis|invalid index to scalar",
     "Your code counts on a number of axes that is not always there. How many may an argument "
     "have, and from which end can you count them?"),
    ("several_for_one", r"setting an array element with a sequence|inhomogeneous shape",
     "An array is made of parts of different shapes. What does each function that you call "
     "return: one thing, or several?"),
    ("joined_of_other_shapes", r"must have the same shape|concatenation axis must match",
     "Your code joins arrays of different shapes. Must they become one array, and along which axis "
     "do they fit?"),
    ("array_for_a_number", r"arrays can be converted to Python scalars",
     "A function that takes a single number gets a whole array. Which one takes arrays, or what "
     "should your loop go over?"),
    ("truth_of_an_array", r"truth value of an array",
     "Your code asks whether a whole array is true. What do you want to know about it?"),
    ("uneven_parts", r"equal division|cannot reshape array",
     "Your code cuts an axis into parts that do not come out even, or reshapes to another size. "
     "Which axis should be cut, and how long is it?"),
    ("computes_with_none", r"NoneType",
     "Your code computes with None. Which argument may be left out, or which of your functions "
     "returns nothing?"),
    ("beyond_the_end", r"index out of range|out of bounds for axis",
     "Your code asks for an entry that is not there. How many entries are there, and which place "
     "has the last one?"),
    ("divides_by_zero", r"ZeroDivisionError|sum to zero",
     "Your code divides by 0. Which numbers add up to nothing there, and what should become of "
     "their neighbours?"),
    ("out_of_memory", r"MemoryError|Unable to allocate|array is too big|dimension size exceeded",
     "Your code asks for more memory than there is. Which of your arrays or lists grows with the "
     "size of a number, and not with how many there are?"),
    ("key_missing", r"KeyError",
     "Your code looks up a key that is not there. What should happen where it is met for the "
     "first time?"),
    ("nothing_to_choose_from", r"empty sequence|iterable argument is empty|zero-size array",
     "Your code asks for the largest or smallest of nothing. Which input leaves nothing?"),
    ("no_value_yet", r"UnboundLocalError",
     "A name in your code is used before it has a value. On which way through the function does "
     "it get none?"),
    ("too_large_for_a_byte", r"range\(0, 256\)",
     "A number that is no byte is taken for one. Which of your numbers stand for something else, "
     "and for what?"),
    ("endless_recursion", r"RecursionError",
     "Your function calls itself again and again. In which case should it stop, and does it get "
     "there?"),
    ("broken_bytes", r"UnicodeDecodeError|UnicodeEncodeError",
     "Your code meets bytes or letters that its rule cannot read. What does the docstring say of "
     "them?"),
    ("waits_for_typing", r"^EOFError",
     "Your code waits for somebody to type. Nobody does while the checks run: which argument "
     "brings what it asks for?"),
    ("opens_a_file", r"FileNotFoundError|IsADirectoryError|Permission denied|Read-only file system",
     "Your code opens a file that is not there, or not for it, when the checks run. Which "
     "argument brings what it looks for?"),
    ("reaches_outside", r"can't start new thread|Operation not permitted|urlopen error",
     "Your code starts a thread or a program, or asks a network, and checks allow none of these. "
     "What can it do with its arguments alone?"),
    ("own_assertion", r"^AssertionError",
     "Your code insists on something that is not always so. Of which arguments is it untrue, and "
     "what does the docstring say of these?"),
    ("value_for_a_function", r"object is not callable",
     "Your code calls a name that stands for a value, and no function. Which line, perhaps in a "
     "cell that you added, gave it another value?"),
    ("types_do_not_fit", r"unsupported operand|can only concatenate|not subscriptable|not iterable|"
     r"not supported between|must be str|a bytes-like object",
     "Two values in your code are of types that do not go together. Of which type is each, and "
     "of which should it be?"),
    ("whole_number_needed", r"cannot be interpreted as an integer|must be integers|only integer",
     "A number that counts or says a length must be whole. Which of your divisions gives another "
     "kind?"),
    ("not_hashable", r"unhashable",
     "A list or an array cannot be a key or lie in a set. What can stand for it there?"),
    ("name_missing", r"name '.*' is not defined",
     "Your code uses a name before anything has defined it. Where should it come from?"),
    ("attribute_missing", r"has no attribute",
     "Your code asks something of a value that such values do not have. Of which type is it, and "
     "of which should it be?"),
    ("wrong_number_of_arguments", r"positional argument|unexpected keyword|required argument",
     "A function is called with other arguments than it takes. Which ones does its docstring "
     "name?"),
)
"""By the text of an exception: what it says of a mistake."""

VAGUE: Kinds = (
    ("shapes_do_not_fit", r"broadcast|matmul:|not aligned|mismatch|must match|same shape",
     "Two arrays in your code do not fit each other. Print their shapes before they meet: which "
     "axes should be of the same length?"),
)
"""The same, where several mistakes end so."""
# fmt: on


def relate(
    compiled: CompiledExercise, step: str, probes: Sequence[Probe], known: Known
) -> Relation | Misconception | None:
    """The relation that explains a step's answers, if one does.

    Where none does, two mistakes may hide each other: then the one that stands alone in calls of
    one kind, which may be a misconception of the bank.
    """
    space = compiled.laboratory()
    answered = list(answers(space[step], probes))
    right = [answer for answer in answered if answer.is_right]
    wrong = [answer for answer in answered if not answer.is_right]
    if not wrong:
        return changing(space[step], probes) or forgetful(probes) or _tiny(right)

    with np.errstate(all="ignore"):
        begun: list[Experiment] = []
        return (
            # Of a function that answers the same call in two ways no value says anything.
            forgetful(probes)
            or _refusing(wrong)
            or _by_experiment(space, compiled.exercise, step, answered, begun)
            or _first(keeping(space[step], answered), wrong, right)
            or _by_exception(wrong, EXACT)
            or _first(begun, wrong, right)
            or _where_it_is_wrong(begun, wrong)
            or _by_circumstance(space[step], wrong, right, only_given=False)
            or _in_part(space[step], wrong, right, begun, known)
            or _by_comparison(wrong, right, vague=True)
            or _by_circumstance(space[step], wrong, right, only_given=True)
            or _by_exception(wrong, VAGUE)
            or changing(space[step], probes)
            or _by_some_exceptions(wrong)
        )


def _in_part(
    function: Function,
    wrong: Sequence[AnsweredCall],
    right: Sequence[AnsweredCall],
    begun: Sequence[Experiment],
    known: Known,
) -> Relation | Misconception | None:
    """What explains the wrong calls of one kind, the first among them."""
    samples = [answer.arguments for answer in (*wrong, *right)]
    seen = [list(range(len(wrong)))]
    for one in (
        *circumstances(function, samples, only_given=True),
        *circumstances(function, samples, only_given=False),
    ):
        places = [place for place, call in enumerate(wrong) if not one.holds(call.arguments)]
        some = [wrong[place] for place in places]
        if places[:1] != [0] or places in seen or worth(some) < ENOUGH:
            continue
        seen.append(places)

        if not any(map(_is_hardly_wrong, some)):
            found = known([answer.probe for answer in (*some, *right)])
            if found is not None:
                return found
        relation = _first(begun, some, right) or _by_comparison(some, right, vague=False)
        if relation is not None:
            return _said_of(one.elsewhere, relation)
    return None


def _is_hardly_wrong(answer: AnsweredCall) -> bool:
    """Whether an answer is so near to the right one that a bank's tolerance sees no difference."""
    a, b = as_numbers(answer.got.value), as_numbers(answer.right.value)
    return a is not None and b is not None and a.shape == b.shape and np.allclose(a, b, rtol=1e-5)


def _where_it_is_wrong(
    begun: Sequence[Experiment], wrong: Sequence[AnsweredCall]
) -> Relation | None:
    """What explains all wrong calls: those that are right may be a case that the student has
    thought of."""
    relation = _first(begun, wrong, ()) if worth(wrong) >= SURE else None
    return _said_of("where it is wrong", relation) if relation else None


def _said_of(where: str, relation: Relation) -> Relation:
    """A relation that holds in some calls."""
    sentence = relation.sentence[0].lower() + relation.sentence[1:]
    return Relation(relation.name, f"{where[0].upper()}{where[1:]}, {sentence}")


def _refusing(wrong: Sequence[AnsweredCall]) -> Relation | None:
    """All that is wrong is that nothing is refused."""
    for answer in wrong:
        if answer.got.raised or not answer.right.raised:
            return None
    return Relation(
        "does_not_refuse",
        "Your function answers where the docstring asks for an error. "
        "Which arguments can it not serve?",
    )


def _by_experiment(
    space: Namespace,
    exercise: Exercise,
    step: str,
    answered: Sequence[AnsweredCall],
    begun: list[Experiment],
) -> Relation | None:
    right = [answer for answer in answered if answer.is_right]
    wrong = [answer for answer in answered if not answer.is_right]
    samples = [answer.arguments for answer in (*wrong, *right)]
    place = exercise.steps.index(step)
    earlier = {}
    for name in reversed((*exercise.needed, *exercise.steps[:place])):
        earlier[name] = exercise.cell(name).source

    return (
        _first(with_arguments(space, step, samples), wrong, right, begun)
        or _first(with_parts(space, step, samples), wrong, right, begun)
        # By chance an earlier answer may resemble the right one: its first row, say.
        or stale(answered)
        or _by_comparison(wrong, right, vague=False)
        or _first(one_step_too_many(space, exercise.steps, step, samples), wrong, right, begun)
        or _first(with_source(space, step, exercise.cell(step).source), wrong, right, begun)
        or _first(with_steps(space, step, earlier, samples), wrong, right, begun)
        or _first(looking_back(space[step], samples), wrong, right, begun)
    )


def _first(
    experiments: Iterable[Experiment],
    wrong: Sequence[AnsweredCall],
    right: Sequence[AnsweredCall],
    begun: list[Experiment] | None = None,
) -> Relation | None:
    """The first experiment that explains all; where there is ``begun``, it must explain whole
    answers, and those that begin to are kept there."""
    if not any(is_telling(answer.got) for answer in wrong):
        return None
    for experiment in experiments:
        found = tried(experiment, wrong, right)
        if found.explains and (begun is None or not found.parts):
            return Relation(experiment.name, _spoken_of(found.parts, experiment))
        if found.begins and begun is not None:
            begun.append(experiment)
    return None


def _spoken_of(parts: frozenset[int], experiment: Experiment) -> str:
    """What is said of an experiment that explains these parts of an answer, or all of it."""
    if not parts:
        return experiment.sentence
    numbers = " and ".join(str(place + 1) for place in sorted(parts))
    return experiment.sentence_of(
        f"Part {numbers} of your answer is" if len(parts) == 1 else f"Parts {numbers} are"
    )


def _by_comparison(
    wrong: Sequence[AnsweredCall], right: Sequence[AnsweredCall], vague: bool
) -> Relation | None:
    if vague and any(answer.got.raised for answer in wrong):
        return None  # what is vague of some calls says nothing of those that raise
    pairs = []
    for answer in (*wrong, *right):
        if answer.got.raised or answer.right.raised:
            continue
        wanted = answer.got.value if answer.is_right else answer.right.value
        pairs.append((answer.got.value, wanted, answer.arguments))
    found = relations.relation(pairs, vague=vague)
    if found is None:
        return None
    name, sentence = found
    return Relation(name, sentence)


def _by_exception(wrong: Sequence[AnsweredCall], kinds: Kinds) -> Relation | None:
    """What the exceptions say, where all calls that go wrong raise one."""
    if not all(answer.got.raised for answer in wrong):
        return None
    texts = [f"{answer.got.raised}: {answer.got.text}" for answer in wrong]
    for name, pattern, sentence in kinds:
        if all(re.search(pattern, text) for text in texts):
            return Relation(name, sentence)
    return None


def _by_some_exceptions(wrong: Sequence[AnsweredCall]) -> Relation | None:
    """What the calls that raise have in common, where others go wrong in another way."""
    raised = [answer for answer in wrong if answer.got.raised]
    found = (_by_exception(raised, EXACT) or _by_exception(raised, VAGUE)) if raised else None
    if found is None or len(raised) == len(wrong):
        return found
    return Relation(found.name, f"In some calls your function stops. {found.sentence}")


def _tiny(given: Sequence[AnsweredCall]) -> Relation | None:
    """Nothing is wrong but what should be exactly 0."""
    name = "not_exactly_zero"
    for answer in given:
        if answer.got.raised or answer.right.raised:
            continue

        got, right = answer.got.value, answer.right.value
        parts = [(got, right)]
        if isinstance(got, (tuple, list)) and isinstance(right, tuple) and len(got) == len(right):
            parts = list(zip(got, right))
        for one, other in parts:
            a, b = as_numbers(one), as_numbers(other)
            if a is None or b is None or a.shape != b.shape:
                continue
            # NaN is not tiny; it stands where anything may stand.
            if ((b == 0) & (a != 0) & np.isfinite(a)).any():
                return Relation(name, relations.said(name))
    return None


def _by_circumstance(
    function: Function,
    wrong: Sequence[AnsweredCall],
    right: Sequence[AnsweredCall],
    only_given: bool,
) -> Relation | None:
    raises = all(answer.got.raised for answer in wrong)
    there = [answer.arguments for answer in wrong]
    elsewhere = [answer.arguments for answer in right]
    throughout = all(map(_is_mostly_wrong, wrong))
    found = circumstance(function, there, elsewhere, raises, only_given, throughout)
    return Relation(*found) if found else None


def _is_mostly_wrong(answer: AnsweredCall) -> bool:
    """Whether hardly any number of an answer is right; so is one of another shape, or none."""
    a, b = as_numbers(answer.got.value), as_numbers(answer.right.value)
    if answer.got.raised or answer.right.raised or a is None or b is None or a.shape != b.shape:
        return True
    same = np.isclose(a, b, ALIKE_RTOL, ALIKE_ATOL, equal_nan=True)
    return bool(2 * np.count_nonzero(same) <= b.size)
