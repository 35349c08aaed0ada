"""Every kind of value that crosses: what a check gets is what it would get in the notebook."""

from dataclasses import replace

import pytest

from autograder.base.settings import Settings
from autograder.sandbox import levels
from tests.support.requirements import isolation_level
from tests.support.toy import PATIENT, exercise, grade, verdict
from tests.support.value_kinds import KINDS, SAME, SETUP, STACK

pytestmark = pytest.mark.usefixtures("kept_parents")


@pytest.mark.parametrize("level", levels.NAMES)
def test_every_kind_arrives_as_what_it_is_in_both_directions(level):
    checks = [
        f"value = {value}\nthere = f(value)\n"
        "assert type(there) is type(value), type(there)\nassert equal(there, value), there"
        for value in KINDS.values()
    ]
    toy = exercise(*checks, setup=SETUP + SAME)
    settings = Settings(isolation=level, call_seconds=60, submission_seconds=600)
    with isolation_level():
        result = grade(toy, settings=settings, f="import copy\ndef f(x): return copy.deepcopy(x)")
    assert dict(zip(KINDS, (check.message for check in result.checks))) == dict.fromkeys(KINDS, "")


def test_a_student_gets_what_a_notebook_would_give():
    check = """
    assert f(Pair(1, 2), Point(3.0, 4.0), collections.Counter("aab"), collections.defaultdict(list), {1})
    """
    answer = """
    def f(pair, point, counter, default, some):
        default["new"].append(1)
        assert pair._replace(first=5) == Pair(5, 2) and pair.second == 2
        assert isinstance(point, Point) and point == Point(3.0, 4.0) and point.length() == 5
        assert counter.most_common(1) == [("a", 2)] and counter["z"] == 0
        return default == {"new": [1]} and some | {2} == {1, 2}
    """
    assert verdict(check, answer, setup=SETUP).message == ""


def test_a_class_that_only_a_check_knows_reaches_the_student_as_one_that_is_like_it():
    check = """
    Triple = collections.namedtuple("Triple", "a b c")

    @dataclasses.dataclass
    class Box:
        inside: list

    box = Box([1])
    assert f(Triple(1, 2, 3), box) == 4
    assert box.inside == [1, 2]
    """
    answer = """
    def f(triple, box):
        box.inside.append(triple.b)
        return triple.a + triple._asdict()["c"]
    """
    assert verdict(check, answer, setup=SETUP).message == ""


def test_a_record_of_a_students_own_class_has_its_attributes_and_equals_the_authors():
    check = """
    @dataclasses.dataclass
    class Card:
        suit: str
        rank: int

    Hand = collections.namedtuple("Hand", "card count")
    hand, card = f()
    assert card == Card("spades", 3) and Card("spades", 3) == card and card != Card("spades", 4)
    assert hand == Hand(card, 1) and hand.card.rank == 3 and hand.count == 1 and len(hand) == 2
    assert repr(hand) == "Hand(card=Card(suit='spades', rank=3), count=1)"
    assert f()[1] == card
    """
    answer = """
    import collections, dataclasses
    @dataclasses.dataclass
    class Card:
        suit: str
        rank: int
        def __eq__(self, other): return True
    Hand = collections.namedtuple("Hand", "card count")
    def f(): return Hand(Card("spades", 3), 1), Card("spades", 3)
    """
    assert verdict(check, answer, setup=SETUP).message == ""


def test_no_code_of_a_students_class_runs_in_the_grader():
    check = "point = f()\nassert type(point) is Point and point.length() == 5, point"
    answer = """
    class Point:
        __dataclass_fields__ = Point.__dataclass_fields__
        def __init__(self): self.x, self.y = 3.0, 4.0
        def length(self): return "mine"
    def f(): return Point()
    """
    assert verdict(check, answer, setup=SETUP).message == ""


def test_changes_to_sets_counters_and_dataclasses_are_seen_by_the_check():
    check = """
    some, counter, point, other = {1}, collections.Counter("a"), Point(1.0), Point(1.0)
    f(some, counter, [point], other)
    assert some == {1, 2} and counter == {"a": 2} and type(counter) is collections.Counter
    assert point == Point(7.0) and other == Point(1.0)
    """
    answer = """
    def f(some, counter, points, other):
        some.add(2); counter["a"] += 1; points[0].x = 7.0
    """
    assert verdict(check, answer, setup=SETUP).message == ""


def test_the_argument_itself_comes_back_as_itself_where_it_can_change():
    check = "for thing in ({1}, Point(1.0), collections.Counter()): assert f(thing) is thing"
    assert verdict(check, "def f(x): return x", setup=SETUP).message == ""


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("KeyError", "'k'"),
        ("ValueError", "'text', 3"),
        ("OSError", "2, 'gone'"),
        ("IndexError", ""),
    ],
)
def test_an_exception_crosses_with_what_it_was_made_with(kind, arguments):
    check = f"""
    def g(): raise {kind}({arguments})
    try:
        f(g)
    except {kind} as error:
        assert error.args == ({arguments}{"," if arguments else ""}), error.args
        told = str(error)
    assert told == str({kind}({arguments})), told
    """
    answer = f"""
    def f(g):
        try:
            g()
        except {kind} as error:
            raise {kind}(*error.args) from None
    """
    assert verdict(check, answer).message == ""


@pytest.mark.parametrize(
    "arguments", ["[1]", "object()", "'x' * 2000", "10 ** 400", "*range(9)", "print"]
)
def test_what_is_not_plain_in_an_exception_stays_behind(arguments):
    check = "try:\n    f()\nexcept ValueError as error:\n    assert error.args == (), error.args"
    assert verdict(check, f"def f(): raise ValueError({arguments})").message == ""


def test_equal_answers_to_the_same_call_may_hold_sets_and_records():
    answer = """
    count = [0]
    def f(x):
        count[0] += 1
        point = Point(x + count[0] * 1e-15, 1j)
        return {1, "a"}, point, np.array(["a"]), fractions.Fraction(1, 3)
    """
    assert verdict("f(1.0)", answer, setup=SETUP).message == ""
    assert (
        "two different answers"
        in verdict("f(1.0)", answer.replace("e-15", "e-3"), setup=SETUP).message
    )


PRINTED = """
import contextlib, io
heard = io.StringIO()
with contextlib.redirect_stdout(heard):
    try:
        f(3)
    except ValueError:
        pass
assert heard.getvalue() == WANTED, repr(heard.getvalue())
"""


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("for k in range(n): print(k, end=' ')", "0 1 2 "),
        ("print('a')\n    raise ValueError", "a\n"),
        ("import sys\n    sys.stdout.write('\\u20ac')", "\u20ac"),
        ("return n", ""),
    ],
)
def test_what_a_function_prints_reaches_a_check_that_listens(answer, wanted):
    check = PRINTED.replace("WANTED", repr(wanted))
    said = verdict(check, f"def f(n):\n    {answer}")
    assert said.message == ""
    if wanted:
        assert verdict(check, f"def f(n):\n    print('other')\n    {answer}").status == "failed"


def test_what_is_printed_without_end_is_said():
    check = PRINTED.replace("WANTED", "''")
    said = verdict(check, "def f(n): print('x' * 10 ** 6)", hidden=True)
    assert (
        said.message
        == "f returned more than 100000 characters of printed text, which no check can use"
    )


USES = """
stack = Stack()
assert isinstance(stack, Stack) and len(stack) == 0 and not stack
assert stack.push(1) is stack and stack.push(2).items == [1, 2]
assert 2 in stack and 3 not in stack and list(stack) == [1, 2] and stack[-1] == 2
assert stack == Stack([1, 2]) and stack != Stack() and stack != [1, 2]
assert (stack + [3]).pop() == 3 and Stack.of(1, 2) == stack
stack.items = [5]
assert stack.pop() == 5
try:
    stack.pop()
except IndexError as error:
    assert str(error) == "pop from an empty stack"
else:
    raise AssertionError("nothing raised")
assert f([Stack([1, 2]), stack]) == 2
"""


def test_objects_of_a_step_that_is_a_class_stay_in_the_worker_and_answer_calls():
    toy = exercise(USES, steps="Stack f", Stack=STACK)
    result = grade(toy, Stack=STACK, f="def f(stacks): return sum(map(len, stacks))")
    assert [check.message for check in result.checks] == [""]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("self.items.append(item)", "NotImplementedError"),
        ("return self.items.pop()", "return self.items[0]"),
    ],
)
def test_a_wrong_class_fails(wrong, message):
    toy = exercise(USES, steps="Stack f", Stack=STACK)
    answer = STACK.replace(wrong, message if message.startswith("return") else f"raise {message}")
    result = grade(toy, Stack=answer, f="def f(stacks): return 2")
    assert [check.status for check in result.checks] != ["passed"]


def test_an_object_cannot_be_like_any_other():
    liar = (
        STACK.replace("isinstance(other, Stack) and self.items == other.items", "True").replace(
            "return self.items.pop()", "return self"
        )
        + "\n    def __lt__(self, other): return True\n    def __float__(self): return 5.0\n"
    )
    for check in (
        "assert Stack([5]).pop() == 5",
        "assert Stack([5]).pop() < 6",
        "assert float(Stack([5]).pop()) == 5",
    ):
        toy = exercise(check, steps="Stack", Stack=STACK)
        assert [one.status for one in grade(toy, Stack=liar).checks] == ["failed"], check


def test_objects_cross_only_where_a_step_is_a_class():
    answer = STACK + "\ndef f(): return Stack()"
    assert (
        verdict("f()", answer).message == "f returned a value of type Stack, which no check can use"
    )


def test_an_object_is_gone_with_its_process():
    check = (
        "stack = Stack()\ntry:\n    stack.crash()\nexcept BaseException:\n    pass\nstack.push(1)"
    )
    toy = exercise(check, "assert len(Stack([1])) == 1", steps="Stack", Stack=STACK)
    result = grade(
        toy, Stack=STACK + "\n    def crash(self):\n        import os\n        os._exit(0)\n"
    )
    assert [one.status for one in result.checks] == ["failed", "passed"]
    assert result.checks[0].message == "Stack is gone: the process that made it has ended"


def test_an_unwritten_method_is_still_to_be_written():
    toy = exercise("assert Stack().push(1)", steps="Stack", Stack=STACK)
    answer = STACK.replace("self.items.append(item)", "raise NotImplementedError")
    (check,) = grade(toy, Stack=answer, settings=PATIENT).checks
    assert (check.status, check.message) == ("unattempted", "Stack is still to be written")


BANK = """
from autograder.exercises.misconceptions import misconception


@misconception(step="Stack", caught_by="Stack-c0")
class Queue:
    \"\"\"Which one came last?\"\"\"

    def __init__(self, items=()):
        self.items = list(items)

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop(0)


@misconception(step="Stack", caught_by="Stack-c0")
class Peeks:
    \"\"\"Is it still there afterwards?\"\"\"

    def __init__(self, items=()):
        self.items = list(items)

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items[-1]
"""


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (STACK.replace("return self.items.pop()", "return self.items.pop(0)"), "Queue"),
        (STACK.replace("return self.items.pop()", "return self.items[-1]"), "Peeks"),
        (STACK.replace("return self.items.pop()", "return None"), None),
    ],
)
def test_a_mistake_in_a_class_is_named_by_what_its_checks_say(tmp_path, answer, name):
    bank = tmp_path / "toy_misconceptions.py"
    bank.write_text(BANK)
    by_hand = """
    stack = Stack([1, 2])
    for wanted in (2, 1):
        got = stack.pop()
        assert got == wanted, f"got {got}, not {wanted}"
    """
    drawn = "item = int(rng.integers(9))\nassert Stack([item]).pop() == item"
    toy = replace(exercise(by_hand, drawn, steps="Stack", Stack=STACK), bank=bank)
    checks = grade(toy, Stack=answer).checks
    assert checks[0].status == "failed" and checks[0].misconception == name


CALLBACK_BANK = """
from autograder.exercises.misconceptions import misconception


@misconception(step="f", caught_by="f-c0")
def backwards(x, first, second):
    \"\"\"Which of the two comes first?\"\"\"
    return first(second(x))
"""


@pytest.mark.parametrize(
    ("answer", "name"),
    [("first(second(x))", "backwards"), ("second(first(x))", None), ("first(x)", None)],
)
def test_a_mistake_with_functions_is_named_by_what_the_checks_say(tmp_path, answer, name):
    bank = tmp_path / "toy_misconceptions.py"
    bank.write_text(CALLBACK_BANK)
    by_hand = """
    got = f(3, lambda x: g(x), lambda x: 10 * x)
    assert got == 40, f"got {got}, not 40"
    """
    right = {"g": "def g(x): return x + 1", "f": "def f(x, first, second): return second(first(x))"}
    toy = replace(exercise(by_hand, steps="g f", **right), bank=bank)
    mine = {**right, "f": f"def f(x, first, second): return {answer}"}
    (check,) = grade(toy, **mine).checks
    assert (check.status == "passed") == (answer == "second(first(x))")
    assert check.misconception == name
