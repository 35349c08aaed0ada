"""A kernel that is forked from the sandbox's parent, against one that is started as ever, in there
and outside."""

import json
import os
import re
import socket
from importlib.util import find_spec
from pathlib import Path

import nbformat
import nbgrader  # type: ignore[import-untyped]
import pytest
from nbgrader.preprocessors import Execute  # type: ignore[import-untyped]
from nbgrader.utils import determine_grade, is_grade  # type: ignore[import-untyped]

from autograder.nbgrader import execution
from autograder.sandbox import levels, notebooks
from autograder.sandbox.notebooks import NotRun, Sandbox
from autograder.sandbox.worker import landlock
from tests.support import processes

pytestmark = pytest.mark.skipif(not levels.BUBBLEWRAP.is_installed, reason="no bubblewrap")

NEEDS_LANDLOCK = pytest.mark.skipif(
    landlock.version() < notebooks.SCOPES, reason="the kernel's Landlock is too old"
)

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


OPTIONS = {name: getattr(Execute(), name) for name in execution.OPTIONS} | {"timeout": 8}


def ran(sandbox: Sandbox, cells: str, folder: Path) -> list[dict]:
    return sandbox.run(written(cells), folder, OPTIONS)


def printed_by(cell: dict) -> str:
    """What a cell has printed: it arrives in several pieces where a machine is slow."""
    return "".join("".join(output.get("text", "")) for output in cell["outputs"])


def stock(notebook: str, folder: Path) -> list:
    """The cells as nbgrader itself executes them, outside of any sandbox."""
    read = nbformat.reads(notebook, as_version=4)
    return Execute(**OPTIONS).preprocess(read, {"metadata": {"path": str(folder)}})[0].cells


VARYING = (
    (r"0x[0-9a-f]+", "ADDRESS"),
    (r"\x1b\[[0-9;]*m", ""),
    (r"ipykernel_\d+/\d+", "ipykernel_PID/CELL"),
    (r"(tmp|kernel-|pid=|Process-|Thread-)[\w-]+", r"\1VARIES"),
    (r'(\\r)?\\n"', '"'),  # of fifteen lines that are printed last, ipykernel loses the end of one
)


def compared(count: int | None, outputs: list) -> list:
    """The outputs in lines, without what no two runs have alike.

    Where a stream is cut into messages depends on when the kernel gets the processor; so messages
    of the same stream that follow each other are joined.
    """
    joined: list[dict] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if "text" in output and last.get("name") == output["name"]:
            joined[-1] = {**last, "text": "".join([*last["text"], *output["text"]])}
        else:
            joined.append(dict(output))

    text = json.dumps([count, joined], indent=1, sort_keys=True)
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    return text.splitlines()


@pytest.fixture(params=["bubblewrap", pytest.param("landlock", marks=NEEDS_LANDLOCK)])
def sandbox(request):
    """A sandbox at either level."""
    made = Sandbox(SCRIPT, level=levels.named(request.param))
    yield made
    made.close()


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
        assert compared(**one) == compared(**other), source


SYSTEM = """
!echo a command; tty -s && echo has a terminal
listed = !printf 'a\\nb'
listed
# --
%%bash
echo in bash; exit 3
# --
import multiprocessing, multiprocessing.shared_memory
with multiprocessing.Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
shared = multiprocessing.shared_memory.SharedMemory(create=True, size=10)
shared.buf[:2] = b"ab"
print(bytes(multiprocessing.shared_memory.SharedMemory(shared.name).buf[:2]))
shared.unlink()
# --
shell = get_ipython()
shell.showtraceback = shell._showtraceback = lambda *arguments, **options: None
raise ValueError("not shown")
"""

BOUNDS = """
import os
def refusal(call, *arguments):
    try:
        return call(*arguments)
    except OSError as error:
        return error.strerror
def fill(name):
    with open(name, "wb") as file:
        file.write(bytes(70 << 20))
print([refusal(fill, "/dev/shm/large"), refusal(fill, "/dev/large")])
print([refusal(os.chmod, f"/dev/{name}", 0) for name in ("pts/ptmx", "null", "shm/..")])
# --
terminals = []
while len(terminals) < 100:
    made = refusal(os.open, "/dev/ptmx", os.O_RDWR)
    if isinstance(made, str):
        break
    terminals.append(made)
print(os.getuid() == 65534 or len(terminals) < 100)
"""


@pytest.mark.everything
def test_commands_and_pools_work_as_outside_within_bounds(tmp_path):
    outside = [(cell.execution_count, cell.outputs) for cell in stock(written(SYSTEM), tmp_path)]
    sandbox = Sandbox(SCRIPT)
    try:
        inside = ran(sandbox, SYSTEM, tmp_path)
        kept, terminals = ran(sandbox, BOUNDS, tmp_path)
        after = ran(sandbox, SYSTEM, tmp_path)
    finally:
        sandbox.close()
    for cell, again, other in zip(inside, after, outside):
        assert compared(**cell) == compared(**again) == compared(*other)
    printed = printed_by(kept).splitlines()
    assert printed[0] == "['No space left on device', 'Read-only file system']"
    assert set(eval(printed[1])) <= {"Read-only file system", "Operation not permitted"}
    assert printed_by(terminals).startswith("True")


LOOKS = """
import multiprocessing, os, psutil, resource
cores = len(os.sched_getaffinity(0))
memory = psutil.virtual_memory()
print(cores, psutil.cpu_count(), multiprocessing.cpu_count(), memory.total)
print(memory.available > 0, psutil.Process().memory_info().rss > 0, psutil.Process().name())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0, psutil.Process().cpu_percent())
print(len(os.listdir("/proc/self/fd")) > 3, "PATH" in psutil.Process().environ())
print(psutil.swap_memory().total, psutil.boot_time(), psutil.pid_exists(os.getpid()))
# --
!ps -o pid= -p 1 | wc -l
!grep -c MemTotal /proc/meminfo
"""

SPIES = """
import os
def refusal(call, *arguments):
    try:
        return str(call(*arguments))
    except OSError as error:
        return error.strerror
others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
print(others)
found = [refusal(os.listdir, "/proc/1/fd"), refusal(os.readlink, "/proc/1/root")]
for name in ("mem", "environ", "maps", "smaps_rollup", "auxv"):
    found.append(refusal(lambda: open(f"/proc/1/{name}", "rb").read(1)))
print({*found})
written = [refusal(open, f"/proc/{name}", "w") for name in (
    "1/mem", "1/oom_score_adj", "self/oom_score_adj", "self/mem", "sys/kernel/shmmax",
    "sys/net/core/somaxconn", "sysrq-trigger")]
print({*written} - {"No such file or directory"})  # which the system may lack
"""

TOGETHER = """
import os, time
held = bytes(1)
for _ in range(4):
    if os.fork() == 0:
        held = os.urandom(1 << 20) * 100
        time.sleep(3600)
time.sleep(3600)
"""

UNSEEN = """
import ctypes, os
def refusal(call, *arguments):
    try:
        return call(*arguments)
    except OSError as error:
        return error.strerror
print(refusal(os.memfd_create, "unseen"))
libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(0, 4096, 0o1600), libc.msgget(0, 0o1600), libc.semget(0, 1000, 0o1600))
for folder in ("/tmp", "/scratch", "/dev/shm"):
    print({refusal(lambda: open(f"{folder}/{number}", "w").close()) for number in range(1100)})
"""


LEADS_OUT = """
import socket
def refusal(family, kind, address):
    try:
        with socket.socket(family, kind) as one:
            one.settimeout(5)
            return one.connect(address)
    except OSError as error:
        return error.strerror
print(refusal(socket.AF_INET, socket.SOCK_STREAM, ("1.1.1.1", 80)))
for family in (40, 17, 38, 29, 31):  # AF_VSOCK, AF_PACKET, AF_ALG, AF_CAN, AF_BLUETOOTH
    print(refusal(family, socket.SOCK_STREAM, (2, 1)))
with socket.socketpair()[0], socket.socket(socket.AF_INET6), socket.create_server(("127.0.0.1", 0)) as one:
    print(socket.create_connection(one.getsockname()).getpeername() == one.getsockname())
"""


@pytest.mark.everything
def test_no_socket_leads_out_of_a_sandbox(tmp_path):
    sandbox = Sandbox(SCRIPT)
    try:
        (said,) = ran(sandbox, LEADS_OUT, tmp_path)
    finally:
        sandbox.close()
    internet, *unusual, at_home = printed_by(said).splitlines()
    assert internet == "Network is unreachable" and at_home == "True"
    assert {*unusual} == {"Address family not supported by protocol"}


@pytest.mark.everything
def test_a_kernel_sees_the_machine_as_outside_and_of_processes_its_own(tmp_path):
    if not notebooks.has_proc():
        pytest.skip("an ordinary user may mount no /proc on this machine")
    outside = stock(written(LOOKS), tmp_path)
    sandbox = Sandbox(SCRIPT, ["numpy"])
    try:
        inside, spied = ran(sandbox, LOOKS, tmp_path), ran(sandbox, SPIES, tmp_path)
    finally:
        sandbox.close()
    for cell, other in zip(inside, outside, strict=True):
        assert compared(**cell) == compared(other.execution_count, other.outputs)
    others, read, wrote = printed_by(spied[0]).splitlines()
    assert others == "['1']"  # that which asks the kernel to run the cells
    assert read == "{'Permission denied'}" and wrote == "{'Read-only file system'}"


@pytest.mark.everything
def test_all_processes_of_a_kernel_share_its_memory_and_none_has_any_that_is_not_seen(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(notebooks, "MOST_FILES", 1000)
    if notebooks.has_proc():
        monkeypatch.setattr(notebooks, "MEMORY", 300 << 20)
    sandbox = Sandbox(SCRIPT)
    try:
        if notebooks.has_proc():
            with pytest.raises(NotRun, match="code cell 1 ended its kernel"):
                sandbox.run(written(TOGETHER), tmp_path, OPTIONS | {"timeout": 600})
        (unseen,) = ran(sandbox, UNSEEN, tmp_path)
    finally:
        sandbox.close()
    refused, numbers, *folders = printed_by(unseen).splitlines()
    assert refused == "Operation not permitted" and numbers == "-1 -1 -1"
    full = "{None, 'No space left on device'}", "{'No space left on device', None}"
    assert len(folders) == 3 and {*folders} <= {*full}


SAMPLES = (
    "docs/source/user_guide/submitted/bitdiddle/ps1/problem1.ipynb",
    "docs/source/user_guide/submitted/hacker/ps1/problem1.ipynb",
    "tests/apps/files/submitted-cheat-attempt.ipynb",
    "tests/preprocessors/files/submitted-changed.ipynb",
)


@pytest.mark.everything
def test_the_notebooks_of_nbgraders_docs_get_the_same_points_and_outputs_as_outside(
    tmp_path, sandbox
):
    earned = []
    for sample in SAMPLES:
        read = nbformat.read(Path(nbgrader.__file__).parent / sample, as_version=4)
        notebook = nbformat.writes(read)
        inside = sandbox.run(notebook, tmp_path, OPTIONS)
        for cell, about in zip(stock(notebook, tmp_path), inside, strict=True):
            if cell.cell_type == "code":
                outside = compared(cell.execution_count, cell.outputs)
                assert compared(**about) == outside, cell.source
            if is_grade(cell):
                points = determine_grade(cell)
                if cell.cell_type == "code":
                    cell.outputs, cell.execution_count = execution.taken(about)
                assert determine_grade(cell) == points
                earned.append(points[0])
    assert {0, None} < set(earned)


IGNORES = """
print("before")
# --
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True: pass
"""

DIES = """
import os; os._exit(0)
"""

GROWS = """
kept = []
while True: kept.append(bytes(1 << 28))
# --
print(0 < len(kept) < 17)
"""

GUESSES = """
import os
for number in (2, 9, 15):
    for process in (os.getppid(), 1):
        os.kill(process, number)
"""


@pytest.mark.everything
def test_a_cell_that_never_ends_costs_its_notebook_alone_and_a_line_says_so(tmp_path, sandbox):
    for cells, why in (
        (IGNORES, "code cell 2 ignored the interrupt after 2 s"),
        (DIES, "code cell 1 ended its kernel"),
    ):
        with pytest.raises(NotRun, match=why) as said:
            sandbox.run(written(cells), tmp_path, OPTIONS | {"timeout": 2, "iopub_timeout": 1})
        assert len(str(said.value)) < 120 and "\n" not in str(said.value)
    grown = ran(sandbox, GROWS, tmp_path)
    assert grown[0]["outputs"][0]["ename"] == "MemoryError"
    assert printed_by(grown[1]).startswith("True")
    with pytest.raises(NotRun, match="did not end within 1 s"):
        sandbox.run(written(IGNORES), tmp_path, OPTIONS, 1)
    assert ran(sandbox, "print(1)", tmp_path)[0]["outputs"]


@pytest.mark.everything
def test_a_kernel_that_ends_its_client_has_no_outputs(tmp_path):
    sandbox = Sandbox(SCRIPT, level=levels.BUBBLEWRAP)
    try:
        with pytest.raises(NotRun, match="was not executed: KeyboardInterrupt"):
            ran(sandbox, GUESSES, tmp_path)
    finally:
        sandbox.close()


ALONE = """
import ctypes, os, resource, shutil, signal, socket, subprocess, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def refusal(call, *arguments):
    try:
        return call(*arguments)
    except OSError as error:
        return error.strerror
DENIED = "Operation not permitted", "Permission denied"
pair = socket.socketpair()
log = ctypes.create_string_buffer(b"\\x01\\0/dev/log")
attacks = {
    "fork": lambda: os.fork(),
    "program": lambda: subprocess.run([sys.executable, "-c", ""]),
    "spawn": lambda: os.posix_spawn("/usr/bin/env", ["env"], {}),
    "internet": lambda: socket.create_connection(("127.0.0.1", PORT)),
    "datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "local": lambda: socket.socket(socket.AF_UNIX),
    "pair": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    "client": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "others": lambda: os.kill(TESTS, 0),
    "limits": lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1)),
    "secret": lambda: open(SECRET).read(),
    "folder": lambda: os.listdir(os.path.dirname(SECRET)),
    "write": lambda: open(SECRET, "w"),
    "remove": lambda: os.unlink(SECRET),
    "temporary": lambda: open("/tmp/left", "w"),
    "shared": lambda: open("/dev/shm/left", "w"),
    "proc": lambda: open("/proc/1/environ").read(),
    "own": lambda: open("/proc/self/mem", "r+b"),
    "packages": lambda: open(os.__file__, "a"),
}
print({name: said for name, attack in attacks.items() if (said := refusal(attack)) not in DENIED})
said = [libc.connect(pair[0].fileno(), log, 11), libc.prctl(1, 0, 0, 0, 0), libc.unshare(0x10000000)]
print(said, libc.ptrace(16, os.getppid(), 0, 0), libc.open_by_handle_at(0, log, 0))
libc.mq_open(b"/left", 0o102, 0o600, None)
print(libc.mq_unlink(b"/left"), libc.inotify_add_watch(libc.inotify_init(), b"/usr", 2))
done = []
one = threading.Thread(target=done.append, args=[refusal(os.fork)]); one.start(); one.join()
print(done)
"""

CHANGES = """
import os, shutil
open("own", "w").close()
before = os.stat("own"), os.getpriority(os.PRIO_PROCESS, os.getppid())
os.chmod("own", 0), os.utime("own", (1, 1)), os.setxattr("own", "user.a", b"")
os.setpriority(os.PRIO_PROCESS, os.getppid(), 9)
print((os.stat("own"), os.getpriority(os.PRIO_PROCESS, os.getppid())) == before, os.listxattr("own"))
print(shutil.copy("own", "copied"))
"""

BESIDE = """
import os, socket, sys
said = []
door = socket.socket(socket.AF_UNIX)
for attack in (os.fork, lambda: door.connect(DOOR), lambda: socket.socket(socket.AF_UNIX, 2)):
    try:
        said.append(attack())
    except OSError as error:
        said.append(error.strerror)
here = sys.path.pop(0)
del sys.modules["pprint"]
import pprint
pprint.said = said
sys.path.insert(0, here)
"""

FILLS = """
import time
for number in range(40):
    with open(f"{number}", "wb") as file:
        file.write(bytes(31 << 20))
time.sleep(3600)
"""


@NEEDS_LANDLOCK
@pytest.mark.everything
@pytest.mark.parametrize("started", [False, True])
def test_landlock_keeps_a_kernel_from_processes_files_and_sockets(tmp_path, started):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    folder = tmp_path / "beside"
    (folder / "faulthandler").mkdir(parents=True)
    if started:  # a module of this name is loaded, so no kernel that is forked will do
        (folder / "faulthandler" / "nothing.txt").write_text("")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        names = f"SECRET, PORT, TESTS = {str(secret)!r}, {port}, {os.getpid()}\n"
        sandbox = Sandbox(SCRIPT, level=levels.LANDLOCK)
        try:
            (said,) = ran(sandbox, names + ALONE, folder)
            with pytest.raises(NotRun, match="code cell 1 ended its kernel"):
                sandbox.run(written(FILLS), folder, OPTIONS | {"timeout": 600})
            scratch = sandbox._scratch
            assert scratch
            processes.until(lambda: not list((scratch / "now").iterdir()), "its files to go")
        finally:
            sandbox.close()
    attacks, calls, more, in_thread = printed_by(said).splitlines()
    assert (attacks, calls, more) == ("{}", "[-1, -1, -1] -1 -1", "-1 -1")
    assert in_thread == "['Operation not permitted']"
    assert secret.read_text() == "secret" and not scratch.exists()


@NEEDS_LANDLOCK
@pytest.mark.everything
def test_with_landlock_a_kernel_changes_no_file_or_process_of_the_user_who_grades(tmp_path):
    """Landlock itself leaves modes, times, attributes and priorities to every owner."""
    sandbox = Sandbox(SCRIPT, level=levels.LANDLOCK)
    try:
        (said,) = ran(sandbox, CHANGES, tmp_path)
    finally:
        sandbox.close()
    assert printed_by(said).splitlines() == ["True []", "copied"]


@NEEDS_LANDLOCK
@pytest.mark.everything
def test_a_module_beside_a_notebook_is_locked_in_when_the_kernel_loads_it(tmp_path):
    """It is called like one that a kernel needs, so it runs before any cell."""
    folder = tmp_path / "beside"
    folder.mkdir()
    door = str(tmp_path / "door")
    (folder / "pprint.py").write_text(f"DOOR = {door!r}\n{BESIDE}")
    sandbox = Sandbox(SCRIPT, level=levels.LANDLOCK)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(door)
        server.listen()
        try:
            (said,) = ran(sandbox, "import pprint; print(pprint.said)", folder)
        finally:
            sandbox.close()
    assert printed_by(said) == f"{['Operation not permitted'] * 3}\n"


STAYS = """
import os, signal, tempfile, threading, time
def stay():
    try:
        if os.fork():
            return True
    except OSError:
        return False
    os.setsid()
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(3600)
print(stay())
threading.Thread(target=time.sleep, args=[3600]).start()
open(os.path.join(tempfile.gettempdir(), "left"), "w").close()
"""


@pytest.mark.everything
def test_no_process_outlives_its_notebook(tmp_path, sandbox):
    ran(sandbox, "print(1)", tmp_path)
    parent, scratch = sandbox._parent, sandbox._scratch
    assert parent
    waiting = {*processes.below(parent.pid)}
    (said,) = ran(sandbox, STAYS, tmp_path)
    assert printed_by(said) == f"{scratch is None}\n"  # with Landlock it cannot even begin
    processes.until(lambda: {*processes.below(parent.pid)} <= waiting, "what is left to end")
    assert scratch is None or not list((scratch / "now").iterdir())


DRAWS = """
import os, random, uuid
import numpy as np
drawn = [random.random(), np.random.rand(), np.random.default_rng().random(), uuid.uuid4().hex]
print([str(one) for one in drawn])
# --
import tempfile
home = os.environ["HOME"]
print(sorted(os.listdir(tempfile.gettempdir()) + os.listdir(home)))
for folder in (tempfile.gettempdir(), home, "."):
    open(folder + "/left", "w").close()
random.mine = np.mine = os.environ["MINE"] = "mine"
# --
print([hasattr(random, "mine"), hasattr(np, "mine"), "MINE" in os.environ])
random.mine = 1
"""


@pytest.mark.everything
def test_two_forked_kernels_draw_apart_and_see_nothing_of_each_other(tmp_path, sandbox):
    first, second = DRAWS.split("# --\n")[:2], DRAWS.split("# --\n")
    second[0] += second.pop()
    sandbox.need({"numpy"})
    one, other = (
        [printed_by(cell).splitlines() for cell in ran(sandbox, cells, tmp_path)]
        for cells in ("# --\n".join(first), "# --\n".join(second))
    )
    drawn, drawn_again = (eval(lines[0][0]) for lines in (one, other))
    assert len({*drawn, *drawn_again}) == 8
    assert "left" not in one[1][0] + other[1][0]
    assert other[0][1] == "[False, False, False]"
