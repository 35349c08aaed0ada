"""A kernel that is forked from the sandbox's parent, against one that is started as ever."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from nbgrader.preprocessors import Execute  # type: ignore[import-untyped]

from autograder.nbgrader import execution
from autograder.sandbox import levels
from autograder.sandbox.notebooks import Sandbox

pytestmark = pytest.mark.skipif(not levels.BUBBLEWRAP.is_installed, reason="no bubblewrap")

SCRIPT = Path(execution.__file__).with_name("inner_kernel.py")

CELLS = """
import sys
for number in range(3):
    print("out", number)
    print("err", number, file=sys.stderr)
sys.stdout.write("no newline")
# --
import os
os.write(1, b"past Python\\n"); os.system("echo from a shell; sleep 0.5");
# --
{"a": [1, 2.5], "b": {3}}
# --
from IPython.display import HTML, Image, Markdown, clear_output, display
display(HTML("<b>bold</b>"), Markdown("*m*"), {"image/png": "iVBORw0KGgo="}, metadata={"a": 1})
display({"image/png": "iVBORw0KGgo=", "text/plain": "a picture"}, raw=True)
# --
print("gone"); clear_output(); print("stays"); HTML("<i>last</i>")
# --
def divide(a, b):
    return a / b
class Own(Exception):
    pass
try:
    divide(1, 0)
except ZeroDivisionError as error:
    raise Own("chained") from error
# --
if True print("no syntax")
# --
undefined
# --
raise SystemExit(3)
# --
raise KeyboardInterrupt
# --
assert divide(1, 2) == 2, "wrong half"
# --
name = input("your name? ")
# --
import getpass
getpass.getpass()
# --
sorted(os.environ.items()), os.getcwd(), sys.argv, __name__, sys.path, sys.executable
# --
import signal, locale, tempfile, resource, gc, faulthandler
print(sys.flags, sys.dont_write_bytecode, sys._xoptions, sys.orig_argv, sys.prefix)
print([(one, signal.getsignal(one)) for one in signal.valid_signals() if signal.getsignal(one)])
print(locale.setlocale(locale.LC_ALL), sys.getfilesystemencoding(), tempfile.gettempdir())
print(sys.getrecursionlimit(), gc.isenabled(), gc.get_threshold(), faulthandler.is_enabled())
print([(one, resource.getrlimit(getattr(resource, one))) for one in dir(resource)
       if one.startswith("RLIMIT_")], os.getuid())
print(os.getpgrp() == os.getpid() == os.getsid(0), oct(os.umask(0o022)), os.nice(0))
print(len(os.sched_getaffinity(0)) > 0, sys.stdin, sys.stdin.encoding, open.__module__)
# --
import logging, asyncio, threading, decimal
print(logging.getLogger().handlers, logging.getLogger().level, logging.root.manager.disable)
logging.warning("a warning"); logging.info("an info")
print(sorted(one.name.partition("-")[0] for one in threading.enumerate()))
print(asyncio.get_event_loop_policy(), decimal.getcontext(), sys.gettrace(), sys.getprofile())
# --
import warnings
print(sorted(map(str, warnings.filters)))  # by when libraries were loaded, if not sorted
for _ in range(3):
    warnings.warn("once a line")
warnings.warn("old", DeprecationWarning); warnings.warn("later", PendingDeprecationWarning)
# --
def warns():
    warnings.warn("once a line", stacklevel=2)
warns(); warns()
"\\d"
# --
import random
drawn = random.Random(3).random(), random.seed(4), random.random()
drawn
# --
done = []
threads = [threading.Thread(target=done.append, args=[number]) for number in range(4)]
for one in threads: one.start()
for one in threads: one.join()
sorted(done)
# --
def fails(): raise ValueError("in a thread")
one = threading.Thread(target=fails, name="T"); one.start(); one.join()
# --
import subprocess
subprocess.run([sys.executable, "-c", "import sys; print(sys.argv, sys.flags.isolated)"],
               capture_output=True, text=True)
# --
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
print(multiprocessing.current_process().name, multiprocessing.get_start_method())
# --
await asyncio.sleep(0.01, "awaited")
# --
import atexit, signal
child = os.fork()
if child == 0:
    atexit.register(print, "at exit"); os._exit(0)
os.waitpid(child, 0)[1]
# --
!echo shell $HOME
%who_ls
# --
%%capture caught
print("caught")
# --
caught.stdout, In[1][:10], Out.keys(), _, __doc__, "__file__" in globals(), __builtins__
# --
divide?
# --
%%bash
echo in bash; exit 3
# --
from data import VALUE
VALUE, open("data.txt").read(), sorted(dir())
# --
import no_such_module
# --
import time
time.sleep(60)
# --
"after the time is over"
"""

LIBRARIES = """
%matplotlib inline
import matplotlib.pyplot as plt, numpy as np
plt.plot([1, 2, 3]); plt.title("line")
# --
figure = plt.figure(figsize=(1, 1)); figure
# --
print(plt.get_backend(), np.get_printoptions(), np.geterr(), plt.rcParams["figure.figsize"])
# --
np.float64(1) / 0, np.log([-1.0, 1.0])
# --
np.random.seed(5); np.random.rand(2), np.random.default_rng(6).random()
# --"""


def written(cells: str) -> str:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = []
    for number, source in enumerate(cells.strip("\n").split("\n# --\n")):
        about = {"cell_type": "code", "id": f"c{number}", "source": source, "metadata": {}}
        made.append(about | {"execution_count": None, "outputs": []})
    about = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    return json.dumps(about | {"nbformat_minor": 5})


def ran(sandbox: Sandbox, cells: str, folder: Path) -> list[dict]:
    options = {name: getattr(Execute(), name) for name in execution.OPTIONS}
    return sandbox.run(written(cells), folder, options | {"timeout": 8})


VARYING = (
    (r"0x[0-9a-f]+", "ADDRESS"),
    (r"\x1b\[[0-9;]*m", ""),
    (r"ipykernel_\d+/\d+", "ipykernel_PID/CELL"),
    (r"(tmp|kernel-|pid=|Process-|Thread-)[\w-]+", r"\1VARIES"),
)


def compared(cell: dict) -> list:
    text = json.dumps([cell["count"], cell["outputs"]], indent=1, sort_keys=True)
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    return text.splitlines()


@pytest.fixture
def both(tmp_path):
    """Two folders for one notebook. In the second one stands what is called like a module that is
    loaded already: so no kernel is forked there."""
    folders = tmp_path / "warm", tmp_path / "cold"
    for folder in folders:
        folder.mkdir()
        (folder / "data.py").write_text("VALUE = 7\n")
        (folder / "data.txt").write_text("text")
    (folders[1] / "faulthandler").mkdir()
    (folders[1] / "faulthandler" / "nothing.txt").write_text("")
    return folders


@pytest.mark.everything
def test_a_forked_kernel_gives_what_a_started_one_gives(both):
    cells = CELLS if find_spec("matplotlib") is None else LIBRARIES + CELLS
    sandbox = Sandbox(SCRIPT, ["matplotlib.pyplot"])  # left out unless it is installed
    try:
        warm, cold = (ran(sandbox, cells, folder) for folder in both)
    finally:
        sandbox.close()
    sources = cells.strip("\n").split("\n# --\n")
    assert len(warm) == len(cold) == len(sources)
    for source, one, other in zip(sources, warm, cold):
        assert compared(one) == compared(other), source


DRAWS = """
import os, random, uuid
import numpy as np
drawn = [random.random(), np.random.rand(), np.random.default_rng().random(), uuid.uuid4().hex]
print([str(one) for one in drawn])
# --
import tempfile
print(sorted(os.listdir(tempfile.gettempdir()) + os.listdir("/scratch")))
for folder in ("/tmp", "/scratch", "."):
    open(folder + "/left", "w").close()
random.mine = np.mine = os.environ["MINE"] = "mine"
# --
print([hasattr(random, "mine"), hasattr(np, "mine"), "MINE" in os.environ])
random.mine = 1
"""


@pytest.mark.everything
def test_two_forked_kernels_draw_apart_and_see_nothing_of_each_other(tmp_path):
    first, second = DRAWS.split("# --\n")[:2], DRAWS.split("# --\n")
    second[0] += second.pop()
    sandbox = Sandbox(SCRIPT, ["numpy"])
    try:
        one, other = (
            [cell["outputs"][0]["text"].splitlines() for cell in ran(sandbox, cells, tmp_path)]
            for cells in ("# --\n".join(first), "# --\n".join(second))
        )
    finally:
        sandbox.close()
    drawn, drawn_again = (eval(lines[0][0]) for lines in (one, other))
    assert len({*drawn, *drawn_again}) == 8
    assert "left" not in one[1][0] + other[1][0]
    assert other[0][1] == "[False, False, False]"
