"""What a student's code may do, and what a check sees of it."""

import json

import pytest

from autograder.base.settings import Settings
from autograder.engine.verdict import ONLY
from autograder.exercises.exercise import from_notebook
from autograder.grader.grader import Grader
from autograder.submissions import parse
from tests.support import written_tools
from tests.support.toy import (
    MIXED,
    PATIENT,
    QUICK,
    added,
    exercise,
    grade,
    notebook,
    submission,
    verdict,
)

pytestmark = pytest.mark.usefixtures("kept_parents")


@pytest.mark.parametrize(
    "value",
    [
        "None", "True", "3", "-(10 ** 30)", "2.5", "float('-inf')", "'text'", "(1, 'a', None)", "[1, [2.0, 'b']]",
        "{'a': 1, 2: (3,)}", "np.arange(6).reshape(2, 3)", "np.array(2.5)", "np.float64(1.5)", "np.bool_(True)",
        "np.zeros((0, 3))", "np.array([True, False])", "np.arange(3, dtype=np.uint8)", "np.ones(2, np.float32)",
        "np.array([1.0, 2.0], '>f8')", "np.asfortranarray(np.arange(6.0).reshape(2, 3))",
    ],
)  # fmt: skip
def test_values_cross_in_both_directions(value):
    check = f"""
    value = {value}
    there = f(value)
    assert type(there) is type(value), type(there)
    if isinstance(value, np.ndarray):
        assert there.shape == value.shape and there.dtype == value.dtype.newbyteorder("="), there.dtype
        assert np.array_equal(there, value)
    else:
        assert there == value
    """
    assert verdict(check, "import copy\ndef f(x): return copy.deepcopy(x)").message == ""


@pytest.mark.parametrize(
    ("given", "arrives"), [("np.float16", "float32"), ("np.longdouble", "float64")]
)
def test_reals_of_other_widths_arrive_as_the_nearest_common_ones(given, arrives):
    check = f"assert f({given}).dtype == '{arrives}'\nassert f({given}).tolist() == [1.5, 2.5]"
    answer = (
        f"import numpy as np\ndef f(kind): return np.array([1.5, 2.5], np.{given.split('.')[1]})"
    )
    assert verdict(check.replace(f"f({given})", "f(0)"), answer).message == ""


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("return slice(3)", "a value of type slice"),
        ("return object()", "a value of type object"),
        ("return np.array([None])", "an array of dtype object"),
        ("return np.ma.masked_array([1.0], [True])", "a masked array"),
        ("return np.zeros(10 ** 7)", "an array of more than 524288 numbers"),
        ("return [[[] for _ in range(1000)] for _ in range(1000)]", "more than 200000 values"),
    ],
)
def test_what_cannot_cross_fails_with_a_message(answer, words):
    said = verdict(
        "f()", f"import numpy as np\ndef f():\n    {answer}", settings=Settings(call_seconds=30)
    )
    assert said.status == "failed"
    assert words in said.message


def test_a_subclass_of_an_array_arrives_as_a_plain_array():
    answer = "import numpy as np\nclass Liar(np.ndarray):\n    def __eq__(self, other): return True\ndef f(): return np.zeros(2).view(Liar)"
    assert verdict("assert type(f()) is np.ndarray and not (f() == 1).any()", answer).message == ""


def test_ranges_and_generators_arrive_as_tuples():
    answer = """
    def f(kind):
        return {"range": range(1, 3), "generator": (x for x in (1, 2))}[kind]
    """
    assert (
        verdict("for kind in ('range', 'generator'): assert f(kind) == (1, 2)", answer).message
        == ""
    )


def test_arguments_go_by_position_and_by_name():
    assert (
        verdict("assert f(1, b=2, c=3) == (1, 2, 3)", "def f(a, b, *, c): return a, b, c").message
        == ""
    )


def test_one_array_passed_twice_arrives_as_one():
    check = "x = np.zeros(2)\nassert f(x, x) is True\nassert f(x, x.copy()) is False\nassert f([x], x) is False"
    assert verdict(check, "def f(a, b): return a is b").message == ""


def test_the_argument_itself_comes_back_as_itself():
    check = "x = np.zeros(2)\nassert f(x) is x\nassert f([x])[0] is x"
    assert verdict(check, "def f(x): return x").message == ""


def test_changes_to_arguments_are_seen_by_the_check():
    check = """
    array, items, table, nested = np.zeros((2, 2)), [1], {"a": 1}, [np.zeros(2)]
    view = array[0]
    f(array, items, table, nested)
    assert array.tolist() == [[0, 0], [7, 0]] and view.tolist() == [0, 0]
    assert items == [1, 2] and table == {"b": 3}
    assert nested[0].tolist() == [5, 5]
    """
    answer = """
    def f(array, items, table, nested):
        array[1, 0] = 7
        items.append(2)
        table.clear(); table["b"] = 3
        nested[0] += 5
    """
    assert verdict(check, answer).message == ""


def test_changes_are_seen_when_the_function_raises_too():
    check = "x = np.zeros(2)\ntry:\n    f(x)\nexcept ValueError:\n    pass\nassert x[0] == 1"
    assert verdict(check, "def f(x):\n    x[0] = 1\n    raise ValueError").message == ""


def test_a_read_only_array_stays_read_only():
    check = "x = np.zeros(2)\nx.flags.writeable = False\ntry:\n    f(x)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError"
    assert verdict(check, "def f(x): x[0] = 1").message == ""


def test_the_memory_of_a_call_is_counted_where_it_runs():
    check = """
    from autograder import tools
    x = np.zeros(100_000)
    answer, held = tools.memory(f, x)
    assert answer == 0 and %s, held
    """
    copies = "def f(x): return float((x + 1).sum() - len(x))"
    looks = "def f(x): return float(x.sum())"
    assert verdict(check % "held > 800_000", copies).message == ""
    assert verdict(check % "held < 100_000", looks).message == ""
    assert verdict(check % "held < 100_000", copies).message != ""


def test_functions_of_the_check_can_be_called_back():
    check = """
    seen = []
    def twice(x, by=2):
        seen.append(x)
        return x * by
    assert f(twice, np.ones(2)).tolist() == [6, 6]
    assert len(seen) == 1
    """
    assert verdict(check, "def f(g, x): return g(x, by=3) * 2").message == ""


def test_a_students_function_passed_as_an_argument_arrives_as_itself():
    answer = "def f(g, *args): return g is h if not args else g(*args)"
    toy = exercise("assert f(h) is True\nassert f(h, 3) == 4", steps="h f")
    assert grade(toy, h="def h(x): return x + 1", f=answer).score == 1


def test_a_function_that_comes_back_can_be_called():
    assert verdict("assert f(3)(4) == 7\nassert [g(1) for g in f(1), f(2)] == [2, 3]".replace("f(1), f(2)", "(f(1), f(2))"),
                   "def f(a): return lambda b: a + b").message == ""  # fmt: skip


def test_a_callback_of_a_callback_reaches_the_student_again():
    check = "assert f(lambda n: f(lambda m: m + 1, n) * 10, 1) == 20"
    assert verdict(check, "def f(g, n): return g(n)").message == ""


def test_a_function_of_a_check_is_called_one_in_messages_as_in_the_notebook():
    message = verdict("f(lambda n: n)", "def f(g): return 1.0 + g").message
    assert "unsupported operand type(s) for +: 'float' and 'function'" in message


def test_a_step_that_is_not_written_is_untried_also_where_a_check_calls_an_earlier_one_first():
    toy = exercise("f(1)", "f(h(1))", steps="h f")
    unwritten = "def {}(x): raise NotImplementedError"
    checks = grade(toy, h=unwritten.format("h"), f=unwritten.format("f")).step("f").checks
    assert [check.status for check in checks] == ["unattempted", "unattempted"]
    assert checks[1].message == "f is still to be written"

    checks = grade(toy, h=unwritten.format("h"), f="def f(x): return x").step("f").checks
    assert [check.status for check in checks] == ["passed", "failed"]
    assert checks[1].message == "h is still to be written"


def test_callables_and_classes_serve_as_steps():
    answer = "class F:\n    def __call__(self, x): return x + 1\nf = F()"
    assert verdict("assert f(1) == 2", answer).message == ""
    assert (
        verdict(
            "assert f(1).__name__",
            "class f:\n    def __init__(self, x): pass\n    def __call__(self): pass",
        ).status
        == "passed"
    )


@pytest.mark.parametrize(
    "kind", ["ValueError", "IndexError", "ZeroDivisionError", "UnicodeError", "OSError", "KeyError"]
)
def test_exceptions_cross_to_the_check(kind):
    check = f"try:\n    f()\nexcept {kind}:\n    pass\nelse:\n    raise AssertionError('nothing raised')"
    assert verdict(check, f"def f(): raise {kind}('x')").message == ""


def test_an_exception_class_of_the_students_own_counts_as_the_builtin_it_derives_from():
    answer = "class Mine(ValueError): pass\ndef f(): raise Mine('x')"
    assert (
        verdict(
            "try:\n    f()\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError", answer
        ).message
        == ""
    )


def test_a_students_assertion_is_not_an_assertion_of_the_check():
    check = "try:\n    f()\nexcept AssertionError:\n    raise\nexcept Exception:\n    pass"
    assert verdict(check, "def f(): raise AssertionError('mine')").status == "passed"


def test_an_exception_of_a_callback_comes_back_as_itself():
    check = """
    mine = LookupError("here")
    def callback():
        raise mine
    try:
        f(callback)
    except LookupError as error:
        assert error is mine
    else:
        raise AssertionError("swallowed")
    """
    assert verdict(check, "def f(g): return g()").message == ""
    assert verdict("def g():\n    raise KeyError('a')\nassert f(g) == 'caught'",
                   "def f(g):\n    try:\n        g()\n    except KeyError:\n        return 'caught'").message == ""  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "words", "settings"),
    [
        ("raise NotImplementedError", "still to be written", PATIENT),
        ("raise SystemExit", "called exit", PATIENT),
        ("raise KeyboardInterrupt", "called exit", PATIENT),
        ("import os; os._exit(0)", "ended its process", PATIENT),
        ("import ctypes; ctypes.string_at(0)", "crashed (signal 11)", PATIENT),
        ("while True: pass", "did not return within 0.5 s", QUICK),
        ("import time\n    time.sleep(99)", "did not return within 0.5 s", QUICK),
        ("import re; re.match('(a+)+$', 'a' * 64 + 'b')", "did not return within 0.5 s", QUICK),
        (
            "while True:\n        try: __import__('time').sleep(9)\n        except BaseException: pass",
            "did not return within 0.5 s",
            QUICK,
        ),
    ],
)
def test_what_never_counts_as_raising(answer, words, settings):
    check = "try:\n    f()\nexcept Exception:\n    pass\nexcept BaseException:\n    pass"
    said = verdict(check, f"def f():\n    {answer}", settings=settings)
    assert said.has_failed and said.earned == 0
    assert words in said.message


def test_a_cell_may_be_as_long_as_a_notebook():
    long = f"def f(x):\n    return x\n#{'x' * (parse.MAX_CODE - 1000)}"
    assert verdict("assert f(1) == 1", long).message == ""


REFUSES = written_tools.setup("refuses")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("", "f is not defined"),
        ("def f()\n    pass", "f is not defined: its cell raised SyntaxError"),
        ("def f():\n    raise ValeuError", "f raised NameError in line 2"),
        ("def f():\n    return object()", "f returned a value of type object"),
    ],
)
@pytest.mark.parametrize("again", [False, True])
def test_what_is_a_slip_never_counts_as_refusing(answer, words, again):
    toy = exercise("tools.refuses(lambda: f(), 'f()')", setup=REFUSES)
    with Grader(toy, b"key", PATIENT) as grader:
        if again:
            assert grader.grade(submission(toy, f="def f(): raise KeyError"), "a").result.score == 1
        (said,) = grader.grade(submission(toy, f=answer), "b").result.checks
    assert said.has_failed and said.earned == 0
    assert words in said.message


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("def ff(): return 1", "f is not defined: its cell defines ff"),
        ("ff, _f = min, max\nclass F: pass", "f is not defined: its cell defines ff"),
        ("def other(): return 1", "f is not defined"),
        ("\n".join(f"f{number} = 0" for number in range(1000)), "f is not defined"),
    ],
)
@pytest.mark.parametrize("hidden", [False, True])
def test_a_function_by_another_name_is_named(answer, said, hidden):
    toy = exercise("assert f() == 1", hidden=hidden)
    assert grade(toy, f=answer).checks[0].message == said


@pytest.mark.parametrize("answer", ["", "def f():\n    return object()"])
def test_a_check_that_takes_any_error_is_not_met_by_a_step_without_an_answer(answer):
    check = "try:\n    f()\nexcept Exception:\n    pass"
    toy = exercise(check)
    with Grader(toy, b"key", PATIENT) as grader:
        for student in ("a", "b"):
            (said,) = grader.grade(submission(toy, f=answer), student).result.checks
            assert said.has_failed and said.earned == 0


@pytest.mark.parametrize(
    ("error", "earned"),
    [("ValueError", 1), ("UnicodeDecodeError('a', b'', 0, 1, '')", 1), ("KeyError", 0)],
)
def test_the_kind_of_error_that_refuses_may_be_named(error, earned):
    check = "tools.refuses(lambda: f(), 'f()', error=ValueError)"
    assert verdict(check, f"def f(): raise {error}", setup=REFUSES).earned == earned


def test_after_two_timeouts_a_function_is_not_called_again():
    toy = exercise("f()", "f()", "f()", "g()", steps="g f")
    result = grade(
        toy, settings=MIXED, g="def g(): return 1", f="import time\ndef f(): time.sleep(99)"
    )
    said = [check.message for check in result.checks]
    assert said[0] == said[1] == "f did not return within 3 s"
    assert "which round is the last one?" in (result.checks[0].hint or "")
    assert "not called again" in said[2]
    assert result.checks[3].status == "passed"


@pytest.mark.parametrize("hidden", [pytest.param((), marks=pytest.mark.everything), (2,)])
def test_later_steps_do_not_wait_for_a_function_that_has_hung_twice(hidden):
    toy = exercise("f()", "f()", "g()", "assert h() == 1", steps="f h g", hidden=hidden)
    with Grader(toy, b"key", MIXED) as grader:
        data = submission(
            toy,
            f="import time\ndef f(): time.sleep(99)",
            g="def g():\n    try: return f()\n    except BaseException: return 1",
            h="def h(): return 1",
        )
        said = grader.grade(data, "a").result.checks
    assert [check.message for check in said] == [
        *["f did not return within 3 s"] * 2,
        "f was not called again: 2 times it did not return in time",
        "",
    ]


def test_a_submission_has_a_time_of_its_own():
    toy = exercise("f(0)", "f(99)", "f(0)")
    result = grade(
        toy,
        settings=Settings(call_seconds=60, submission_seconds=5),
        f="import time\ndef f(seconds): time.sleep(seconds)",
    )
    used_up = "the submission had used up its 5 s"
    assert [check.message for check in result.checks] == ["", used_up, used_up]


def test_what_is_slow_for_hidden_inputs_costs_no_visible_check_its_turn():
    toy = exercise("assert f(1) == 1", "f(2)", "f(2)", "assert f(3) == 3", hidden=(1, 2))
    result = grade(
        toy, settings=MIXED, f="import time\ndef f(n):\n    time.sleep(99 * (n == 2))\n    return n"
    )
    assert [check.status for check in result.checks] == ["passed", "failed", "failed", "passed"]


def test_a_visible_check_is_answered_by_code_that_has_seen_no_hidden_input():
    toy = exercise("assert f(1) == 1", "assert f(2) == 2", "assert f(3) == 3", hidden=(1,))
    result = grade(
        toy, f="seen = set()\ndef f(n):\n    seen.add(n)\n    return -n if 2 in seen else n"
    )
    assert [check.status for check in result.checks] == ["passed", "failed", "passed"]


def test_a_crash_costs_its_own_check_only():
    toy = exercise("assert f(0) == 0", "f(1)", "assert f(2) == 2")
    result = grade(toy, f="import os\ndef f(n): return os._exit(1) if n == 1 else n")
    assert [check.status for check in result.checks] == ["passed", "failed", "passed"]


def test_memory_is_limited_and_the_next_check_goes_on():
    toy = exercise("f(10 ** 12)", "assert f(2) == 2")
    result = grade(toy, f="import numpy as np\ndef f(n): return len(np.ones(n))")
    assert "MemoryError" in result.checks[0].message
    assert result.checks[1].status == "passed"


def test_a_cell_that_raises_does_not_stop_later_cells():
    toy = exercise("assert f(1) == 2")
    nb = notebook(toy, f="def f(x): return x + one")
    nb["cells"].insert(2, added("one = 1\nraise ValueError"))
    assert grade(toy, json.dumps(nb).encode()).score == 1


def test_a_cell_that_hangs_keeps_what_it_has_defined():
    assert (
        verdict(
            "assert f() == 1",
            "import time\ndef f(): return 1\ntime.sleep(99)",
            settings=MIXED,
        ).status
        == "passed"
    )


def test_a_later_redefinition_does_not_reach_an_earlier_check():
    toy = exercise("assert f(1) == 2")
    nb = notebook(toy, f="def helper(x): return x + 1\ndef f(x): return helper(x)")
    nb["cells"].append(added("def helper(x): return 0\ndef f(x): return 0"))
    assert grade(toy, json.dumps(nb).encode()).score == 1


def test_magics_are_ignored_and_said():
    toy = exercise("assert f(1) == 2")
    answer = "%matplotlib inline\n!pip install numpy\nfiles = !ls\ndef f(x):\n    %time y = 0\n    return x + 1\nf?"
    result = grade(toy, f=answer)
    assert result.score == 1
    assert any("%matplotlib inline" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("magic", "kept"),
    [("%%time", True), ("%%timeit -n 1", True), ("%%capture out", True), ("%%bash", False)],
)
def test_some_cell_magics_keep_their_body(magic, kept):
    assert (
        verdict("assert f(1) == 2", f"{magic}\ndef f(x): return x + 1").status == "passed"
    ) is kept


def test_a_percent_sign_in_a_string_is_no_magic():
    answer = 'def f(x):\n    """\n    %d in words\n    !important\n    """\n    return x + 1'
    assert verdict("assert f(1) == 2", answer).status == "passed"


def test_plotting_libraries_are_silent():
    answer = """
    import matplotlib.pyplot as plt
    import seaborn as sns
    from IPython.display import display
    from mpl_toolkits.mplot3d import Axes3D
    figure, (left, right) = plt.subplots(1, 2)
    _, axes = plt.subplots(2, 2)
    axes[0, 1].plot([1])
    left.imshow([[1]], cmap=plt.cm.viridis); plt.colorbar(); plt.show()
    display(figure); get_ipython().run_line_magic("matplotlib", "inline")
    sns.heatmap([[1]])
    def f(x): plt.plot(x); return x
    """
    assert verdict("assert f(1) == 1", answer).message == ""


def test_a_debugger_that_was_left_behind_does_not_stop_anything():
    answer = """
    import doctest, ipdb, pdb
    def f(x):
        breakpoint()
        ipdb.set_trace()
        pdb.set_trace()
        return x
    """
    assert verdict("assert f(1) == 1", answer).message == ""


def test_what_jupyter_has_among_its_names_is_there():
    assert verdict("assert f(1) == 1", "help(len)\ndef f(x): return x").message == ""
    for name in ("exit", "quit"):
        assert verdict("assert f(1) == 1", f"def f(x): {name}()").message == "f called exit"


def test_prints_and_warnings_are_fine():
    answer = "import warnings, sys\ndef f(x):\n    print('x' * 10 ** 6)\n    print(1, file=sys.stderr)\n    warnings.warn('careful')\n    return x"
    assert verdict("assert f(1) == 1", answer).message == ""


def test_a_name_that_nothing_defines_is_said_with_the_reason():
    toy = exercise("assert f(1) == 2")
    (check,) = grade(toy, f="def f(x)\n    return x").checks
    assert check.message.startswith("f is not defined: its cell raised SyntaxError in line 1")


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(
    ("answer", "where"),
    [
        ("def f(x):\n    return torch.tensor(x)", "f raised NameError in line 2 of your cell f"),
        ("torch.ones(2)\ndef f(x): pass", "f is not defined: its cell raised NameError in line 1"),
    ],
)
def test_a_name_that_an_added_cell_should_have_defined_is_said_with_the_reason(
    answer, where, hidden
):
    toy = exercise("assert f(1) == 2", hidden=hidden)
    document = notebook(toy, f=answer)
    document["cells"][1:1] = [added("import no_torch as torch"), added("1 / 0")]
    (check,) = grade(toy, json.dumps(document).encode()).checks

    why = "an added cell raised ModuleNotFoundError in line 1: No module named 'no_torch'"
    missing = "" if hidden else f": name 'torch' is not defined; {why}; {ONLY}"
    assert check.message == where + missing


def test_a_name_that_a_cell_would_have_defined_behind_its_error_is_said_with_the_reason():
    toy = exercise("assert f(1) == 2")
    document = notebook(toy, f="def f(x):\n    return half(x)\n1 / 0\nhalf = abs")
    (check,) = grade(toy, json.dumps(document).encode()).checks
    assert "name 'half' is not defined; your cell f raised ZeroDivisionError in line 3" in (
        check.message
    )


@pytest.mark.parametrize("hidden", [False, True])
def test_a_missing_module_is_said_with_what_checks_run_with(hidden):
    said = verdict("f(1)", "def f(x):\n    import no_torch\n    return x", hidden=hidden)
    text = "" if hidden else ": No module named 'no_torch'"
    where = "f raised ModuleNotFoundError in line 2 of your cell f"
    assert said.message == f"{where}{text}; {ONLY}"

    said = verdict("f(1)", "import no_torch\ndef f(x):\n    return x", hidden=hidden)
    where = "f is not defined: its cell raised ModuleNotFoundError in line 1"
    assert said.message == f"{where}{text}; {ONLY}"


def test_an_exception_is_said_with_its_line():
    said = verdict("f(1)", "def f(x):\n    y = 2\n    return x @ y")
    assert said.message.startswith("f raised TypeError in line 3 of your cell f: ")


def test_a_hidden_check_never_shows_what_an_exception_holds():
    said = verdict("f(41)", "def f(x): raise ValueError(f'the input is {x}')", hidden=True)
    assert "41" not in said.message and "ValueError in line 1" in said.message
    said = verdict("(a, b) = f(41)", "def f(x): return [x] * x", hidden=True)
    assert "41" not in said.message


def test_control_characters_of_a_student_are_shown_not_sent():
    said = verdict("f()", r"def f(): raise ValueError('\x1b[2J\x07')")
    assert "\x1b" not in said.message and "\\x1b" in said.message


def test_random_inputs_follow_from_secret_check_and_submission():
    toy = exercise(
        "raise AssertionError(str(rng.random()))", "raise AssertionError(str(rng.random()))"
    )
    said = [check.message for check in grade(toy, f="a = 1").checks]
    assert said[0] != said[1]
    assert said == [check.message for check in grade(toy, f="a = 1").checks]
    assert said[0] != grade(toy, f="a = 2").checks[0].message
    assert said[0] != grade(toy, f="a = 1", secret=b"another").checks[0].message


def test_a_function_with_two_answers_fails():
    answer = "count = [0]\nimport numpy as np\ndef f(x):\n    count[0] += 1\n    return x + count[0] * 1e-6"
    assert "two different answers" in verdict("f(np.zeros(3))", answer).message
    assert verdict("f(np.zeros(3))", answer.replace("1e-6", "1e-15")).status == "passed"


def test_a_check_that_must_not_be_repeated_is_asked_once():
    answer = "count = [0]\ndef f():\n    count[0] += 1\n    return count[0]"
    once = exercise("f()")
    marks = once.cells[-1].raw["metadata"]["autograder"]
    assert [check.status for check in grade(once, f=answer).checks] == ["failed"]

    marks["repeat"] = False
    once = from_notebook(once.notebook)
    assert [check.status for check in grade(once, f=answer).checks] == ["passed"]


def test_nothing_of_one_check_is_there_for_the_next():
    toy = exercise("left_over = f", "left_over")
    assert [check.status for check in grade(toy, f="f = 1").checks] == ["passed", "failed"]


def test_nothing_of_one_student_is_there_for_the_next():
    toy = exercise("assert f() == 1")
    with Grader(toy, b"k", PATIENT) as grader:
        first = grader.grade(
            submission(toy, f="import builtins\nbuiltins.left = 1\ndef f(): return 1"), "a"
        ).result
        second = grader.grade(
            submission(toy, f="import builtins\ndef f(): return getattr(builtins, 'left', 0)"), "b"
        ).result
    assert (first.score, second.score) == (1, 0)


def test_pictures_that_were_left_alone_run_only_where_an_answer_needs_them():
    plain = "import time\ntime.sleep(99)\nneeded = 3"
    toy = exercise("assert f() == 3", plain="needed = 3")
    assert grade(toy, f="def f(): return needed").score == 1
    slow = exercise("assert f(3) == 3", plain=plain)
    result = grade(slow, settings=MIXED, f="def f(needed): return needed")
    assert (result.score, result.warnings) == (1, ())


@pytest.mark.parametrize(
    "bytes_written",
    [
        "b'x' * 100", "b''", "b'ATG1' + bytes([3]) + bytes(3) + bytes(16) + (2 ** 60).to_bytes(8, 'little')",
        "b'ATG1' + bytes([9]) + bytes(27)", "b'ATG1' + bytes([3]) + bytes(3) + bytes(16) + (1).to_bytes(8, 'little') + b'T'",
    ],
)  # fmt: skip
def test_what_a_worker_writes_itself_is_the_students_own_result(bytes_written):
    answer = f"""
    import os
    def f():
        for descriptor in range(3, 20):
            try: os.write(descriptor, {bytes_written})
            except OSError: pass
        return 1
    """
    toy = exercise("assert f() == 2", "assert True")
    result = grade(toy, f=answer)
    assert result.status == "graded"
    assert [check.status for check in result.checks] == ["failed", "passed"]


def test_a_worker_that_is_gone_at_the_end_leaves_the_grader_fit():
    toy = exercise("assert f() == 1")
    with Grader(toy, b"k", PATIENT) as grader:
        for _ in range(5):
            grader.grade(
                submission(toy, f="import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"), "a"
            )
        assert grader.grade(submission(toy, f="def f(): return 1"), "b").result.score == 1


def test_a_worker_that_has_itself_traced_and_stops_is_the_students_own_failure():
    # At level process nothing forbids that; the next signal stops the worker, and it has not ended.
    answer = (
        "import ctypes\ndef f():\n    ctypes.CDLL(None).ptrace(0, 0, 0, 0)\n    while True: pass"
    )
    settings = Settings(isolation="process", call_seconds=0.5, submission_seconds=8)
    result = grade(exercise("f()"), settings=settings, f=answer)
    assert (result.status, result.reason) == ("graded", None)
    assert result.checks[0].message == "f did not return within 0.5 s"


def test_a_cell_that_does_not_end_is_named_though_its_function_is_right():
    toy = exercise("assert f() == 1")
    settings = Settings(isolation="process", call_seconds=0.5, submission_seconds=60)
    answer = "def f(): return 1\nwhile True: pass"
    result = grade(toy, settings=settings, f=answer)
    assert result.score == 1
    stops = "everything else was graded"
    assert result.warnings == (f"the cell f did not return within 0.5 s; {stops}",)

    result = grade(toy, settings=settings, f="def f(): return 1\nimport os; os._exit(0)")
    assert result.warnings == (f"the cell f ended its process; {stops}",)
    result = grade(toy, settings=settings, f="def f(): return 1\nraise SystemExit")
    assert result.warnings == (f"the cell f called exit; {stops}",)
    several = notebook(toy, f="def f(): return 1")
    several["cells"][1:1] = [added(f"raise SystemExit({number})") for number in range(9)]
    result = grade(toy, json.dumps(several).encode(), settings=settings)
    (said,) = result.warnings
    assert said.startswith(
        'an added cell ("raise SystemExit(0)") called exit, an added cell ("raise'
    )
    assert said.endswith(f"and 4 more; {stops}")
    assert grade(toy, settings=settings, f="def f(): return 1\n1 / 0").warnings == ()


def test_a_function_of_the_setup_cell_finds_the_steps_and_the_generator_in_every_run():
    setup = """
    def through(x):
        return f(x), float(rng.normal())
    """
    drawn = "assert through(1) != through(1)\nassert through(2)[0] == 2, 'not 2'"
    toy = exercise(drawn, drawn, "seen = 1", drawn, hidden=(1, 3), setup=setup)
    right, wrong = "def f(x): return x", "def f(x): return x if x == 1 else 3"
    with Grader(toy, b"key", PATIENT) as grader:
        for answer in (right, wrong, right):
            result = grader.grade(submission(toy, f=answer), "ada").result
            expected = ["", "", "", ""] if answer == right else ["not 2", "not 2", "", "not 2"]
            assert [check.message for check in result.checks] == expected


def test_nothing_that_a_check_binds_or_a_submission_leaves_is_there_for_the_next():
    toy = exercise(
        "assert 'left' not in globals() and kept == []\nleft = f(1)\nkept.append(left)",
        "assert 'left' not in globals()\nassert f(2) == 2",
        setup="kept = []",
    )
    with Grader(toy, b"key", PATIENT) as grader:
        for number in range(3):
            answer = f"def f(x): return x  # {number}"
            assert grader.grade(submission(toy, f=answer), "ada").result.score == 2


def test_a_name_that_was_deleted_is_said_to_be():
    toy = exercise("assert f(1) == 2")
    nb = notebook(toy, f="def f(x):\n    return np.asarray(x) + 1")
    nb["cells"].insert(1, added("import numpy as np\nprint(np.ones(2))\ndel np"))
    (check,) = grade(toy, json.dumps(nb).encode()).checks
    assert check.message.endswith("an added cell deletes it: take that line out")


@pytest.mark.parametrize("name", ["len", "str", "range", "max"])
def test_a_builtin_whose_name_was_taken_is_named(name):
    toy = exercise("assert f(1) == 2")
    nb = notebook(toy, f=f"def f(x):\n    {name}([x])\n    return x + 1")
    nb["cells"].insert(1, added(f"{name} = 3"))
    (check,) = grade(toy, json.dumps(nb).encode()).checks
    said = f"an added cell gives the name {name}, Python's own, to something else"
    assert said in check.message


def test_a_type_error_has_nothing_to_do_with_a_function_called_like_a_builtin():
    toy = exercise("assert f(1) == 2")
    nb = notebook(toy, f="def f(x):\n    return sum(x) + 1")
    nb["cells"].insert(1, added("def sum(x):\n    return x.y + len(3)"))
    (check,) = grade(toy, json.dumps(nb).encode()).checks
    assert "Python's own" not in check.message
