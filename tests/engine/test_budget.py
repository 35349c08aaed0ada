"""What the grader itself does for a submission is charged to that submission, and bounded."""

import signal
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.base.errors import Fault
from autograder.base.settings import Settings
from autograder.engine import budget, recorded_calls
from autograder.engine.budget import WATCH, Budget
from autograder.engine.run import Run
from autograder.exercises.cell_code import ExerciseCode
from autograder.grader import grader as grading
from autograder.grader.apart import apart
from autograder.grader.grader import Grader
from autograder.sandbox.worker.protocol import bounds
from tests.support import processes
from tests.support.attacks.arena import MEMORY_MB, _measured
from tests.support.toy import exercise, submission

pytestmark = pytest.mark.usefixtures("kept_parents")

SECONDS = 2.0
SLACK = 3
"""The ticks by which a grader looks at its clock come late where the machine is busy: so many times
as long as they should."""
SHORT = Settings(isolation="process", call_seconds=SECONDS, submission_seconds=SECONDS)
LONG = Settings(isolation="process", call_seconds=60, submission_seconds=600)
RIGHT = "def f(*args):\n    return 1"
LOOPING = "if f() != 1:\n    while True:\n        pass"


def graded(toy, *answers, settings=SHORT):
    """The results of these answers to the same exercise, from one grader."""
    with Grader(toy, b"key", settings) as grader:
        return [grader.grade(submission(toy, f=answer), "ada").result for answer in answers]


@pytest.fixture
def fast(monkeypatch):
    """The clock of the grader's own work runs four times as fast: so long is nobody kept waiting."""
    clock = SimpleNamespace(thread_time=lambda: 4 * time.thread_time(), monotonic=time.monotonic)
    monkeypatch.setattr(budget, "time", clock)


def test_a_check_that_never_ends_with_an_answer_ends_with_the_submissions_time(fast):
    begun = time.process_time()
    hostile, honest = graded(exercise(LOOPING, "assert f() == 1"), "def f():\n    return 2", RIGHT)

    assert time.process_time() - begun < SLACK * SECONDS
    assert [check.status for check in hostile.checks] == ["failed", "failed"]
    assert (
        hostile.checks[0].message
        == "what f returned takes longer to look at than the 2 s of a submission"
    )
    assert honest.score == 2


def test_time_that_is_over_in_a_finalizer_is_over_after_it(fast, capfd):
    # What is raised there Python drops, and prints.
    toy = exercise("""
    import time
    def work(seconds):
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass
    class Slow:
        def __del__(self):
            work(0.75)
    f()
    Slow()
    work(2.5)
    """)
    (hostile,) = graded(toy, RIGHT)

    assert (
        hostile.checks[0].message
        == "what f returned takes longer to look at than the 2 s of a submission"
    )
    assert capfd.readouterr().err == ""


def test_time_that_is_over_leaves_no_module_half_loaded(fast, tmp_path, monkeypatch):
    """Some modules cannot be loaded again, and the next student's check needs them."""
    slow = "import time\nend = time.thread_time() + 2.5\nwhile time.thread_time() < end: pass\n"
    (tmp_path / "slow_to_load.py").write_text(f"{slow}IS_WHOLE = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    check = """
    f()
    import slow_to_load
    while True: pass
    """
    (hostile,) = graded(exercise(check), RIGHT)
    assert "takes longer to look at" in hostile.checks[0].message
    assert sys.modules.pop("slow_to_load").IS_WHOLE


def test_time_that_is_over_is_over_whatever_swallows_that(fast):
    swallowing = """
    import time
    def work(seconds):
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass
    f()
    for _ in range(3):
        try:
            work(2.5)
        except BaseException:
            pass
    work(2.5)
    """
    begun = time.process_time()
    hostile, honest = graded(exercise(swallowing), RIGHT, RIGHT, settings=SHORT)

    assert time.process_time() - begun < SLACK * SECONDS
    for result in (hostile, honest):
        # On a busy machine the worker may have used it up before the check does.
        assert "2 s" in result.checks[0].message and result.checks[0].status == "failed"
    assert WATCH.watched is None and WATCH.interrupted is None


def test_an_answer_is_read_in_the_time_that_its_making_has_left(fast):
    answer = """
    import time
    answer = [dict.fromkeys([n * (2 ** 61 - 1) for n in range(1, 1001)]) for _ in range(50)]
    def f():
        time.sleep(0.7 * SECONDS)
        return answer
    """.replace("SECONDS", str(SECONDS))
    begun = time.process_time()
    (hostile,) = graded(exercise("f()"), answer, settings=SHORT)

    assert time.process_time() - begun < SLACK * SECONDS
    assert hostile.checks[0].message == "the submission had used up its 2 s"


def test_a_function_of_the_check_that_never_ends_ends_with_the_submissions_time(fast):
    toy = exercise("def forever(x):\n    while x: pass\nassert f(forever) is None")
    hostile, honest = graded(toy, "def f(g):\n    return g(1)", "def f(g):\n    return g(0)")

    assert hostile.checks[0].message == "the submission had used up its 2 s"
    assert honest.score == 1


def test_an_answer_that_takes_long_to_read_is_read_in_the_submissions_time(fast):
    # Keys with the same hash: each new one is compared with all that are there.
    answer = """
    keys = [n * (2 ** 61 - 1) for n in range(1, 1001)]
    answer = [dict.fromkeys(keys) for _ in range(20)]
    def f():
        return answer
    """
    begun = time.process_time()
    hostile, honest = graded(exercise(*["f()"] * 40), answer, RIGHT)

    assert time.process_time() - begun < SLACK * SECONDS
    assert "the submission had used up its 2 s" in {check.message for check in hostile.checks}
    assert honest.score == 40


def test_memory_that_a_check_asks_for_with_an_answer_ends_the_check_alone():
    toy = exercise("assert np.ones(f(), dtype='u1').all()", "assert f() == 2 ** 40")
    hostile, honest = graded(toy, "def f():\n    return 2 ** 40", "def f():\n    return 1")

    assert [check.status for check in hostile.checks] == ["failed", "passed"]
    assert "MemoryError" in hostile.checks[0].message
    assert honest.status == "graded"


@pytest.mark.parametrize("of_grading", ["example", "diagnose"])
@pytest.mark.parametrize("error", [MemoryError, ValueError, RecursionError, budget.OutOfTime])
def test_what_is_said_beyond_the_verdicts_never_changes_them(monkeypatch, of_grading, error):
    def fails(*_):
        raise error

    monkeypatch.setattr(grading, of_grading, fails)
    (result,) = graded(exercise("assert f() == 1", "assert f() == 2"), RIGHT)

    assert [check.status for check in result.checks] == ["passed", "failed"]


BOMBS = {
    "an array without entries": "np.empty((60_000_000, 0))",
    "an axis as long as NumPy allows": "np.empty((2 ** 31 - 1, 0, 1))",
    "texts as wide as the longest": "['x' * 1_000_000] + [''] * 400",
    "lists of one text": "[['x' * 10_000] * 2] * 90_000",
    "keys as wide as the longest": "{**{str(n): 0 for n in range(900)}, 'x' * 3_000: 0}",
    "many truth values": "np.zeros(16_000_000, bool)",
    "as many truth values as cross": f"np.zeros((1, 1, 1, 1, 1, 1, {bounds.MAX_NUMBERS}, 1), bool)",
    "a large text in a dictionary": "{'a': 'x' * 2_000_000}",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_answer_makes_the_grader_grow(bomb):
    check = """
    answer = f()
    if isinstance(answer, dict):
        answer = list(answer)
    array = np.asarray(answer)
    if array.dtype.kind in "biuf":
        assert abs(array.sum(axis=-1, dtype=float) - 1).all()
    """
    toy = exercise(*[check] * 40)
    answer = f"import numpy as np\ndef f():\n    return {BOMBS[bomb]}"
    right = "def f():\n    return [[3.0]]"
    settings = Settings(isolation="process", call_seconds=5, submission_seconds=20)

    with Grader(toy, b"key", settings) as grader:
        grader.grade(submission(toy, f=right), "ada")
        with _measured() as cost:
            assert grader.grade(submission(toy, f=answer), "mallory").result.status == "graded"
        assert cost.memory_mb < MEMORY_MB
        assert grader.grade(submission(toy, f=right), "ada").result.score == 40


# Proof that these tests would see a hole: each protection is left out, and what it prevents
# happens.

# A worker belongs to the student.
FORGED = "import sys\nbounds = sys.modules['autograder.sandbox.worker.protocol.bounds']\n"
SUM = "np.asarray(f()).sum(axis=-1, dtype=float)"
TEXTS = "np.asarray(f())"
TOO_MUCH = {
    "memory of the grader": (
        (budget, "MORE_MEMORY", 1 << 40),
        "np.empty(f(), dtype='u1')",
        "def f():\n    return 1_000_000_000",
    ),
    "numbers in an array": (
        (bounds, "numbers", lambda shape: 0),
        SUM,
        f"{FORGED}bounds.numbers = lambda shape: 0\nimport numpy as np\ndef f():\n    return np.empty((20_000_000, 0))",
    ),
    "width of texts": (
        (bounds, "are_wide", lambda values, longest: False),
        TEXTS,
        f"{FORGED}bounds.are_wide = lambda *_: False\ndef f():\n    return ['x' * 200_000] + [''] * 200",
    ),
}


@pytest.mark.parametrize("protection", TOO_MUCH)
def test_what_is_too_much_fails_and_passes_where_its_protection_is_left_out(
    monkeypatch, protection
):
    hole, check, answer = TOO_MUCH[protection]
    toy = exercise(check)

    (held,) = graded(toy, answer, settings=LONG)
    assert held.checks[0].status == "failed"

    monkeypatch.setattr(*hole)
    (passed,) = graded(toy, answer, settings=LONG)
    assert passed.checks[0].status == "passed", passed.checks[0].message


def test_a_function_of_a_check_has_little_memory_for_what_student_code_calls_it_with(monkeypatch):
    # More than there may be room for in what other tests have left free.
    toy = exercise("assert f(lambda n: np.ones((n, n), dtype='u1').any()) == 'too large'")
    answer = "def f(g):\n    try:\n        return str(g(14_000))\n    except MemoryError:\n        return 'too large'"
    with Grader(toy, b"key", LONG) as grader:
        with _measured() as cost:
            held = grader.grade(submission(toy, f=answer), "mallory").result
        monkeypatch.setattr(budget, "CALLED_MEMORY", 1 << 40)
        let_go = grader.grade(submission(toy, f=answer), "mallory").result

    assert held.score == 1, held.checks[0].message
    assert cost.memory_mb < MEMORY_MB
    assert let_go.score == 0


@pytest.mark.parametrize(
    ("make", "work"),
    [("namespace", "namespace"), ("reference", "answered"), ("laboratory", "rewritten")],
)
def test_time_that_is_over_does_not_interrupt_the_teachers_cells(monkeypatch, make, work):
    """A library that is interrupted there leaves half an object, which fails when it is freed."""
    toy = exercise("f()")
    with Grader(toy, b"key", LONG) as grader:
        compiled = grader._compiled
        run, ticked = getattr(ExerciseCode, work), []

        def tick(code, *args):
            budget._tick(0, sys._getframe())
            ticked.append(work)
            return run(code, *args)

        monkeypatch.setattr(ExerciseCode, work, tick)
        with Budget(0).at_work():
            made = getattr(compiled, make)
            if make == "namespace":
                made(grading.parse(submission(toy, f="f = None"), toy))
            elif callable(made):
                made()

    assert ticked == [work]


def test_numpys_library_for_matrices_has_its_memory_before_any_is_limited():
    program = """
import resource
from autograder.base.settings import Settings
from autograder.engine import budget
from autograder.grader.grader import Grader
from tests.support.toy import exercise
import numpy as np
with Grader(exercise("f()"), b"key", Settings(isolation="process")):
    square = np.ones((200, 200))
    limit = budget._memory() + (4 << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    square @ square
"""
    processes.python(program)


DEEP = """
class Deep:
    def __init__(self, depth):
        self.depth = depth
    def __lt__(self, other):
        if self.depth:
            sorted([Deep(self.depth - 1)] * 2)
        return True

def work(size):
    kept = []
    try:
        while True:
            kept.append(bytearray(size))
    except MemoryError:
        pass
    sorted([Deep(250), Deep(250)])
    return len(kept)

assert f(work) > 0
"""


def test_a_stack_that_grows_where_memory_is_used_up_ends_no_grader():
    """In a process of its own: a stack that has grown once never needs to again."""
    program = f"""
from autograder.base.settings import Settings
from autograder.grader.grader import Grader
from tests.support.toy import exercise, submission
toy = exercise({DEEP!r})
with Grader(toy, b"key", Settings(isolation="process")) as grader:
    answer = "def f(work):\\n    return work(4096)"
    result = grader.grade(submission(toy, f=answer), "mallory").result
    print(result.status)
"""
    assert processes.python(program).stdout == "graded\n"


def test_a_check_goes_on_for_as_long_as_it_likes_where_the_clock_is_left_out(fast, monkeypatch):
    toy = exercise(
        "import time\nf()\nend = time.process_time() + 1\nwhile time.process_time() < end: pass"
    )
    taken = []
    for tick in (budget._tick, lambda *_: None):
        monkeypatch.setattr(budget, "_tick", tick)
        begun = time.process_time()
        graded(toy, RIGHT, settings=replace(SHORT, submission_seconds=0.5))
        taken.append(time.process_time() - begun)

    assert taken[0] < 1 <= taken[1]


def test_calls_are_kept_while_they_are_small_and_few(monkeypatch):
    monkeypatch.setattr(recorded_calls, "MAX_CALL", 64 << 10)  # many large ones take long
    small, large = "def f(x):\n    return x", "def f(x):\n    return 'x' * 70_000"
    toy = exercise(*["for n in range(100): f(np.zeros(700))"] * 12)
    kept = {}

    with Grader(toy, b"key", LONG) as grader:
        for answer in (small, large):
            spent = Budget(30)
            run = Run(grader._compiled, grading.parse(submission(toy, f=answer), toy), spent)
            kept[answer] = [
                call
                for _, verdict in run.verdicts({check.id for check in toy.checks})
                for call in verdict.calls
            ]
            assert sum(call.size for call in kept[answer]) == spent.kept <= budget.MOST_KEPT

    assert len(kept[small]) > 300
    assert kept[large] == []


def test_no_call_is_kept_whose_arguments_the_students_code_chose():
    toy = exercise("a = np.zeros(3)\nf(a)\nf(a)", "a = np.zeros(3)\nf(a)")

    with Grader(toy, b"key", LONG) as grader:
        data = submission(toy, f="def f(a):\n    a[...] = 1e9\n    return 1")
        run = Run(grader._compiled, grading.parse(data, toy), Budget(30))
        calls = [
            len(verdict.calls) for _, verdict in run.verdicts({check.id for check in toy.checks})
        ]

    assert calls == [1, 1], (
        "the second call of the first check is left out, and the next check begins anew"
    )


def test_a_worker_that_hangs_up_and_goes_on_is_not_taken_for_one_that_the_system_killed(
    monkeypatch,
):
    runs = []
    ask = grading.ordinary_verdicts
    monkeypatch.setattr(grading, "ordinary_verdicts", lambda *args: runs.append(1) or ask(*args))
    (result,) = graded(
        exercise("f()"), "import os\ndef f():\n    os.closerange(3, 64)\n    while True: pass"
    )

    assert result.checks[0].message == "f ended its process"
    assert len(runs) == 1


def test_a_second_run_has_the_time_that_the_first_has_left(monkeypatch):
    left = []
    ask = grading.ordinary_verdicts
    monkeypatch.setattr(
        grading, "ordinary_verdicts", lambda *args: left.append(args[2].left) or ask(*args)
    )
    slow = "import os, signal, time\ndef f():\n    time.sleep(0.5)\n    os.kill(os.getpid(), signal.SIGKILL)"
    graded(exercise("f()"), slow)

    assert len(left) == 2
    assert left[1] <= SECONDS - 0.5


def test_what_is_spent_of_a_part_is_spent_of_the_whole():
    whole = Budget(10)
    part = whole.part(0.1)
    part.part().spend(3)

    assert (part.total, whole.total) == (10, 10)
    assert part.left == pytest.approx(-2, abs=0.5)
    assert whole.left == pytest.approx(7, abs=0.5)


def test_the_process_is_as_it_was_when_the_submission_is_done():
    def limits():
        memory = budget.resource.getrlimit(budget.resource.RLIMIT_DATA)
        return memory, signal.getitimer(signal.ITIMER_PROF), signal.getitimer(signal.ITIMER_VIRTUAL)

    before = limits()
    graded(exercise("f()"), RIGHT)

    assert limits() == before
    assert np.empty(300_000_000, dtype="u1").size, "and there is as much memory as before"


def test_the_system_ends_a_grader_that_does_not_come_back(monkeypatch):
    monkeypatch.setattr(budget, "MORE_SECONDS", 0.1)

    def endless():
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)  # an attack's test may have set it
        with budget.limits(0.1):
            while True:
                pass

    with pytest.raises(Fault, match="was ended by SIGVTALRM"):
        apart(endless)


def test_what_a_grader_has_computed_before_is_not_counted():
    # The system counts that by a clock of its own, which drifts from all that can be read.
    with budget.limits(60):
        most, _ = budget.resource.getrlimit(budget.resource.RLIMIT_CPU)
        left, _ = signal.getitimer(signal.ITIMER_VIRTUAL)

    assert most == budget.resource.RLIM_INFINITY
    assert left == pytest.approx(2 * 60 + budget.MORE_SECONDS, abs=5)
