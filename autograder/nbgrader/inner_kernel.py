"""Started as a script in the sandbox, this runs notebooks in kernels, one by one, as nbgrader does.

``inner_kernel.py OPTIONS FD`` imports what notebooks need once, and then forks for each notebook
that arrives over the socket FD. Every notebook gets its own process ids, scratch folder and
temporary folder, which end with it. nbclient executes the cells, with the options of nbgrader's own
preprocessor, in ipykernel, which is forked as well, with its modules loaded. All of this runs
beside student code: its results are only claims.

If bubblewrap does not work, no namespace contains all this. Then the folders end with a process
that runs no student code. Landlock locks client and kernel in, and the kernel is a single process
that can start no other and open no sockets.
"""

import contextlib
import ctypes
import gc
import importlib
import io
import json
import os
import resource
import shutil
import signal
import socket
import struct
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

WORK = "/scratch/work"
MODULES = (
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "faulthandler",
    "ipykernel.debugger",
    "ipykernel.kernelapp",
    "ipykernel_launcher",
    "psutil",
    "sqlite3",
    "tornado.platform.asyncio",
    "zmq.asyncio",
)
"""The modules that a kernel always loads."""

CLIENT = ("nbclient", "nbformat")
"""The modules that its client loads in addition."""

INLINE = "module://matplotlib_inline.backend_inline"
_NEW_FILES, _NEW_IPC, _NEW_PROCESSES = 0x00020000, 0x08000000, 0x20000000
_NO_SETUID_NO_DEVICES, _NO_SETUID_NO_PROGRAMS, _NOTHING = 2 | 4, 2 | 8, 2 | 4 | 8
_READ_ONLY = 1 | 32 | 4096  # of an existing mount
_SET_PDEATHSIG, _SET_DUMPABLE, _SET_KEEPCAPS, _SET_SUBREAPER, _RAISE_AMBIENT = 1, 4, 8, 36, 47
_MAKE_RULES, _LOCK_IN = 444, 446  # of Landlock, on every architecture
_MAY_READ_ALL = 2  # CAP_DAC_READ_SEARCH

COLD = "--kernel"
"""Marks, before filters and a kernel's own arguments, that this script is to be a kernel."""

TERMINALS = 64
"""The most terminals of a notebook, if root grades; other users share the machine's."""


def main(arguments: list[str]) -> None:
    if arguments[0] == COLD:
        _cold(json.loads(arguments[1]), arguments[2:])
    options = json.loads(arguments[0])
    if options["landlock"]:
        _end_with_parent(ctypes.CDLL(None))

    control = socket.socket(fileno=int(arguments[1]))
    del sys.path[0]  # this script's folder
    path = list(sys.path)
    _import(options, arguments)
    sys.path[:] = path  # setuptools adds to it
    gc.collect()
    gc.freeze()

    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return
        with socket.socket(fileno=descriptors[0]) as request:
            pid = os.fork()
            if pid == 0:
                control.close()
                if options["landlock"]:
                    _locked(request, options)
                _apart(request, options)
        os.waitpid(pid, 0)


def _import(options: dict[str, Any], arguments: list[str]) -> None:
    # When nbformat loads jsonschema, that compiles a grammar of addresses, which takes seconds.
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
    for name in MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with warnings.catch_warnings():  # kernels here have no filters
        for name in CLIENT:
            importlib.import_module(name)
    import nbformat
    from IPython.core import ultratb
    from jupyter_client import localinterfaces
    from jupyter_client.provisioning import factory

    # Each client would find this out again: the format's schema, the machine's addresses, plug-ins.
    nbformat.validate(nbformat.v4.new_notebook())  # type: ignore[no-untyped-call]
    localinterfaces.local_ips()
    factory.KernelProvisionerFactory.instance()

    # The same for each kernel and its first traceback: parsers and lexers.
    show: Any = ultratb.AutoFormattedTB
    try:
        raise AssertionError
    except AssertionError:
        show("Context", "linux").structured_traceback(*sys.exc_info())

    os.environ["MPLBACKEND"] = INLINE  # else ipykernel warns, before anything is imported
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        for name in options["modules"]:
            with contextlib.suppress(Exception):  # errors show up in the notebook's own cell
                exec(f"import {name}", {"__name__": "__main__"})
    if said.getvalue():
        # It belongs below the cell that imports this, as in nbgrader.
        again = json.dumps(options | {"modules": []})
        os.set_inheritable(int(arguments[1]), True)
        os.execv(sys.executable, [*sys.orig_argv[:-2], again, arguments[1]])


def _apart(request: socket.socket, options: dict[str, Any]) -> NoReturn:
    """Run one notebook in its own namespaces; everything in there ends with this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_FILES | _NEW_IPC | _NEW_PROCESSES):
        os._exit(1)
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        os._exit(0)

    try:
        for place, size in options["folders"].items():
            data = f"mode=1777,size={size},nr_inodes={options['files']}".encode()
            _mount(libc, b"tmpfs", place.encode(), _NO_SETUID_NO_DEVICES, data)
        if os.getuid() == 0:
            data = f"newinstance,ptmxmode=0666,mode=620,max={TERMINALS}".encode()
            _mount(libc, b"devpts", b"/dev/pts", _NO_SETUID_NO_PROGRAMS, data)
        else:  # An ordinary user may make none, and would own those that are there.
            _mount(libc, None, b"/dev/pts", _NO_SETUID_NO_PROGRAMS | _READ_ONLY, None)

        if options["memory"]:
            _mount(libc, b"proc", b"/proc", _NOTHING, None)
            with open("/proc/self/oom_score_adj", "w") as score:
                score.write("1000")  # of all on this machine, this is what memory is taken from
            _mount(libc, None, b"/proc", _NOTHING | _READ_ONLY, None)

        _give_up(libc, options)
        bound = partial(_take_too_much, options["memory"]) if options["memory"] else None
        _answer(libc, request, options, bound)
    finally:
        os._exit(0)


def _locked(request: socket.socket, options: dict[str, Any]) -> NoReturn:
    """Run one notebook without namespaces; this process cleans up after it."""
    global WORK
    libc = ctypes.CDLL(None, use_errno=True)
    _end_with_parent(libc)
    libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0)

    scratch = tempfile.mkdtemp(dir=options["scratch"])
    if os.getuid() == 0:
        os.chown(scratch, options["user"], options["user"])
    pid = os.fork()
    if pid:
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(0)

    try:
        WORK = os.path.join(scratch, "work")
        os.environ.update(
            HOME=scratch, TMPDIR=f"{scratch}/tmp", JUPYTER_RUNTIME_DIR=f"{scratch}/run"
        )
        tempfile.tempdir = None
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")

        _give_up(libc, options)
        _end_with_parent(libc)
        _lock_in(libc, options["landlock"])

        for name in ("TMPDIR", "JUPYTER_RUNTIME_DIR"):
            os.mkdir(os.environ[name])
        sizes = sum(options["folders"].values()), options["files"]
        _answer(libc, request, options, partial(_fill_too_much, scratch, *sizes))
    finally:
        os._exit(0)


def _end_with_parent(libc: ctypes.CDLL) -> None:
    libc.prctl(_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _lock_in(libc: ctypes.CDLL, rules: int) -> None:
    if libc.prctl(38, 1, 0, 0, 0) or libc.syscall(ctypes.c_long(_LOCK_IN), rules, 0):
        raise OSError(ctypes.get_errno(), "landlock")


def _keep_signals(libc: ctypes.CDLL) -> None:
    """Let no signal of a kernel reach its client."""
    scopes = struct.pack("<QQQ", 0, 0, 3)
    _lock_in(libc, libc.syscall(ctypes.c_long(_MAKE_RULES), scopes, ctypes.c_size_t(24), 0))


def _mount(
    libc: ctypes.CDLL, kind: bytes | None, place: bytes, flags: int, data: bytes | None
) -> None:
    if libc.mount(kind, place, kind, flags, data):
        raise OSError(ctypes.get_errno(), "mount")


def _give_up(libc: ctypes.CDLL, options: dict[str, Any]) -> None:
    """Drop all rights of the parent; OSError if one is left."""
    rights = 1 << _MAY_READ_ALL if options["keep"] else 0
    if os.getuid() == 0:
        libc.prctl(_SET_KEEPCAPS, int(options["keep"]), 0, 0, 0)
        os.setgroups([])
        os.setresgid(options["user"], options["user"], options["user"])
        os.setresuid(options["user"], options["user"], options["user"])
    header, each = struct.pack("<Ii", 0x20080522, 0), struct.pack("<3I", rights, rights, rights)
    if libc.capset(header, each + bytes(12)):
        raise OSError(ctypes.get_errno(), "capset")
    if rights:  # also for programs that are started
        libc.prctl(_RAISE_AMBIENT, 2, _MAY_READ_ALL, 0, 0)
    for kind, most in options["limits"].items():
        resource.setrlimit(getattr(resource, kind), (most, most))
    _filter(libc, options["filter"])


def _filter(libc: ctypes.CDLL, code: str) -> None:
    """Filter the system calls of all threads of this process."""
    filter = bytes.fromhex(code)
    program = ctypes.create_string_buffer(filter)
    about = struct.pack("@HP", len(filter) // 8, ctypes.addressof(program))
    number = ctypes.c_long(317 if os.uname().machine == "x86_64" else 277)
    if libc.prctl(38, 1, 0, 0, 0) or libc.syscall(number, 1, 1, about):
        raise OSError(ctypes.get_errno(), "seccomp")


def _answer(
    libc: ctypes.CDLL,
    request: socket.socket,
    options: dict[str, Any],
    bound: Callable[[], bool] | None,
) -> None:
    # Before reading anything: the kernel would inherit the contents of this process, and hidden
    # tests must stay out of the kernel until they run.
    kernel: _Kernel | None = _Kernel(libc, options)
    if libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0):  # nor may it read this process in /proc
        raise OSError(ctypes.get_errno(), "dumpable")
    if bound:
        kill = _kill_kernels if options["landlock"] else partial(os.kill, -1, signal.SIGKILL)
        threading.Thread(target=_bound, args=[bound, kill], daemon=True).start()

    with request.makefile("rb") as asked:
        about = json.loads(asked.readline())
        notebook = asked.read(about["notebook"]).decode()
        for place, size in about["files"]:
            path = os.path.join(WORK, place)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(asked.read(size))

    os.makedirs(WORK, exist_ok=True)
    os.chdir(WORK)
    # A file here with the name of a module takes precedence, unless that module is loaded already.
    for name in os.listdir():
        is_module = name.endswith((".py", ".pyc", ".so")) or os.path.isdir(name)
        if is_module and name.partition(".")[0] in sys.modules:
            kernel = None

    try:
        answer: dict[str, Any] = {"cells": _executed(notebook, about["execute"], kernel, options)}
    except _NotEnded as error:
        answer = {"error": str(error)}
    except BaseException as error:
        answer = {"error": f"{type(error).__name__}: {error}"}

    with request.makefile("w", encoding="utf-8", errors="replace") as answers:
        json.dump(answer, answers)


def _bound(is_too_much: Callable[[], bool], kill: Callable[[], Any]) -> NoReturn:
    """Kill all processes except this one as soon as they use more than their limits."""
    while True:
        began = time.monotonic()
        try:
            is_over = is_too_much()
        except (OSError, MemoryError):  # what cannot be counted is too much
            is_over = True
        if is_over:
            with contextlib.suppress(ProcessLookupError):
                kill()
        time.sleep(0.1 + 4 * (time.monotonic() - began))


def _take_too_much(most: int) -> bool:
    """Whether all processes together use more bytes of memory."""
    processes = [name for name in os.listdir("/proc") if name.isdigit()]
    return all(sum(map(count, processes)) > most for count in (_resident, _share))


def _fill_too_much(folder: str, most: int, files: int) -> bool:
    """Whether all files in a folder have more bytes, or are more."""
    size = count = 0
    left = [folder]
    while left:
        with contextlib.suppress(FileNotFoundError), os.scandir(left.pop()) as entries:
            for entry in entries:
                count += 1
                with contextlib.suppress(FileNotFoundError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                if size > most or count > files:
                    return True
    return False


def _resident(process: str) -> int:
    """The bytes of a process in memory, including those that it shares with others."""
    try:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _share(process: str) -> int:
    """The bytes of a process in memory, with shared bytes counted once."""
    try:
        with open(f"/proc/{process}/smaps_rollup") as file:
            pss = next(line for line in file if line.startswith("Pss:"))
            return int(pss.split()[1]) << 10
    except (OSError, StopIteration):  # it has ended, or hides itself
        return _resident(process)


_KERNELS: list[Any] = []
"""All kernels of this process; without a namespace, ``kill`` cannot find them by number."""


def _kill_kernels() -> None:
    for kernel in _KERNELS:
        kernel.kill()


class _NotEnded(Exception):
    """Which cell did not end, and why, in one line."""


def _executed(
    notebook: str, traits: dict[str, Any], kernel: Any, options: dict[str, Any]
) -> list[dict[str, Any]]:
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from traitlets.config import Config

    local: Any = importlib.import_module("jupyter_client.provisioning.local_provisioner")
    start = local.launch_kernel

    def launch(command: list[str], **about: Any) -> Any:
        """The waiting kernel, if the notebook wants Python; otherwise, and for a second kernel, a
        usual one."""
        nonlocal kernel
        waiting, kernel = kernel, None
        is_python = command[1:3] == ["-m", "ipykernel_launcher"]
        if waiting is None or not is_python:
            if options["landlock"] and not is_python:
                raise _NotEnded("only kernels of Python run without bubblewrap")
            if options["landlock"]:
                command = [command[0], __file__, COLD, json.dumps(options["alone"]), *command[3:]]
            _KERNELS.append(start(command, **about))
            return _KERNELS[-1]
        waiting.start(command[3:], about)
        return waiting

    local.launch_kernel = launch
    read: Any = nbformat.reads
    opened = read(notebook, as_version=4)
    config = Config()
    config.KernelManager.client_factory = _client()
    if options["landlock"]:
        place = os.path.join(os.environ["JUPYTER_RUNTIME_DIR"], "kernel")
        config.KernelManager.update(transport="ipc", ip=place)
    execute = NotebookClient(
        opened,
        config=config,
        resources={"metadata": {"path": WORK}},
        on_cell_executed=_note_error,
        **traits,
    )
    try:
        with execute.setup_kernel(cleanup_kc=False):
            for index, cell in enumerate(opened.cells):
                execute.execute_cell(cell, index, store_history=True)
        for one in _KERNELS:  # at once: nobody sees what it does after its last cell
            one.kill()
            one.wait()
    except DeadKernelError:
        place = f"code cell {execute.code_cells_executed}"
        raise _NotEnded(f"{place} ended its kernel, or there was no memory left") from None
    except CellTimeoutError:
        place = f"code cell {execute.code_cells_executed}"
        why = f"ignored the interrupt after {execute.timeout} s, or printed too much"
        raise _NotEnded(f"{place} {why}") from None
    cells = []
    for cell in opened.cells:
        about = {"outputs": cell.get("outputs", []), "count": cell.get("execution_count")}
        cells.append(about)
    return cells


def _note_error(cell: Any, execute_reply: Any, **about: Any) -> None:
    """Show an error that the kernel has not shown, as nbgrader does: a timeout, for example."""
    reply = execute_reply["content"]
    if reply["status"] != "error":
        return
    shown = [output.get("ename") for output in cell.outputs if output.output_type == "error"]
    if reply["ename"] not in shown:
        from nbformat.v4 import new_output

        hidden = ["ERROR: An error occurred while showtraceback was disabled"]
        error = {"ename": reply["ename"], "evalue": reply["evalue"]}
        made: Any = new_output
        cell.outputs.append(made("error", **error, traceback=reply["traceback"] or hidden))


def _client() -> type:
    """A client that waits for a kernel's first message, and for nothing after it."""
    from queue import Empty

    import zmq
    from jupyter_client.asynchronous.client import AsyncKernelClient

    class Client(AsyncKernelClient):
        def _context_default(self) -> Any:
            context: Any = super()._context_default()
            # Milliseconds until it tries again: at first, the kernel is not listening yet.
            context.setsockopt(zmq.RECONNECT_IVL, 5)
            return context

        async def wait_for_ready(self, timeout: float | None = None) -> None:
            until = time.monotonic() + (timeout or float("inf"))
            while True:
                self.kernel_info()
                try:
                    await self.get_iopub_msg(timeout=0.2)
                    return
                except Empty:
                    pass
                if not await self.is_alive():
                    raise RuntimeError("Kernel died before replying to kernel_info")
                if time.monotonic() > until:
                    raise RuntimeError(f"Kernel didn't respond in {timeout} seconds")

    return Client


class _Kernel:
    """A process that becomes a kernel when it is told to: it takes the place of
    ``subprocess.Popen``."""

    stdin = stdout = stderr = None

    def __init__(self, libc: ctypes.CDLL, options: dict[str, Any]) -> None:
        asked, self._asks = os.pipe()
        _KERNELS.append(self)
        self.pid = os.fork()
        self.returncode: int | None = None
        if self.pid == 0:
            if options["landlock"]:
                _end_with_parent(libc)
                _keep_signals(libc)
            # Student code must have neither the request nor a way to it.
            os.dup2(asked, 3)
            os.closerange(4, 4096)
            libc.prctl(_SET_DUMPABLE, 1, 0, 0, 0)  # it may inspect itself, as outside the sandbox
            self._wait(libc, options["alone"])
        os.close(asked)

    def _wait(self, libc: ctypes.CDLL, alone: list[str]) -> NoReturn:
        code = 1
        try:
            os.setsid()

            with open(3) as asks:
                arguments, folder, environment = json.loads(asks.read() or "null")
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            if "numpy" in sys.modules:  # its import drew one seed for all notebooks
                sys.modules["numpy"].random.seed()

            _serve(libc, alone, arguments)
            code = 0
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 1
        finally:
            os._exit(code)

    def start(self, arguments: list[str], options: dict[str, Any]) -> None:
        environment = {**options["env"], "JPY_PARENT_PID": str(os.getpid())}
        told = [arguments, str(options.get("cwd") or WORK), environment]
        with open(self._asks, "w") as asks:
            json.dump(told, asks)

    def poll(self) -> int | None:
        return self._ended(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int | None:
        return self._ended(0)

    def _ended(self, how: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, how)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def _serve(libc: ctypes.CDLL, alone: list[str], arguments: list[str]) -> None:
    """Be the kernel. Without namespaces, it sets a filter before it can import a file beside the
    notebook, and another one as soon as it has its sockets."""
    for code in alone[:1]:
        _filter(libc, code)
    from ipykernel import kernelapp

    launcher: Any = importlib.import_module("ipykernel_launcher")
    sys.argv[:] = [str(launcher.__file__), *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", "ipykernel_launcher", *arguments]
    app: Any = kernelapp.IPKernelApp.instance()
    app.initialize()
    for code in alone[1:]:
        _filter(libc, code)
    app.start()


def _cold(alone: list[str], arguments: list[str]) -> NoReturn:
    """A kernel that starts with nothing loaded."""
    sys.path[0] = os.getcwd()
    libc = ctypes.CDLL(None, use_errno=True)
    _end_with_parent(libc)
    _keep_signals(libc)
    _serve(libc, alone, arguments)
    sys.exit()


if __name__ == "__main__":
    main(sys.argv[1:])
