"""Started as a script: ``boot.py SITE SITES FILES PACKAGES LOCKS WITHOUT`` and then ``warm FD``,
``cold PORT`` or, in a guest of WebAssembly, ``guest COPIED``.

Python runs isolated (``-I -S -B``), so only the standard library can be imported. NumPy is imported
once from SITE, which then leaves the path again: student code finds NumPy, and apart from it only
the PACKAGES that the teacher allows, which are in SITES. These packages and an exercise's own files
(together: FILES) are readable.
"""

import importlib
import os
import socket
import sys
import types
from collections.abc import Iterable

# The imports of setup cells: a grader loads them, too.
SETUP = (
    "base64",
    "bz2",
    "difflib",
    "dis",
    "encodings.rot_13",
    "hashlib",
    "html",
    "json",
    "linecache",
    "numpy",
    "numpy.random",
    "pathlib",
    "re",
    "textwrap",
)

# The most usual imports of students: loaded here once, shared by every forked worker.
WARM = (
    "collections.abc",
    "copy",
    "dataclasses",
    "functools",
    "inspect",
    "itertools",
    "math",
    "numpy.fft",
    "numpy.lib.stride_tricks",
    "numpy.linalg",
    "numpy.ma",
    "operator",
    "random",
    "statistics",
    "time",
    "traceback",
    "typing",
    "warnings",
)


def load(names: Iterable[str]) -> None:
    """Load modules."""
    for name in names:
        importlib.import_module(name)


def main(arguments: list[str]) -> None:
    site, sites, files, packages, names, without, way, number = arguments
    here = os.path.dirname(os.path.abspath(__file__))
    for name, folder in (("autograder", []), ("autograder.sandbox.worker", [here])):
        package = types.ModuleType(name)
        package.__path__ = folder
        sys.modules[name] = package

    places = [site, *filter(None, sites.split(os.pathsep))]
    sys.path += places
    load((*SETUP, *WARM, *packages.split()))
    del sys.path[-len(places) :]

    sys.argv[:] = [""]
    omitted = frozenset(without.split())
    if "environment" not in omitted:
        os.environ.clear()

    importlib.import_module("autograder.sandbox.worker.silent_modules").install(packages.split())
    locks = importlib.import_module("autograder.sandbox.worker.locks")
    lock = locks.Lock(frozenset(names.split()), readable(site, files), omitted)

    if way == "warm":
        parent = importlib.import_module("autograder.sandbox.worker.parent")
        parent.main(socket.socket(fileno=int(number)), lock)
    elif way == "guest":
        importlib.import_module("autograder.sandbox.worker.guest").prepare(number == "1")
    else:
        control = importlib.import_module("autograder.sandbox.worker.control")
        worker = importlib.import_module("autograder.sandbox.worker.worker")
        worker.main(control.call_back(int(number)), lock)


def readable(site: str, files: str = "") -> list[str]:
    """The readable files of a worker: the standard library, NumPy, folders of shared libraries in
    use.

    Args:
        files: what else, with ``os.pathsep`` between them.
    """
    own = [
        os.path.dirname(os.__file__),
        os.path.join(site, "numpy"),
        os.path.join(site, "numpy.libs"),
        *filter(os.path.exists, files.split(os.pathsep)),
    ]
    libraries = set()

    # Inside bubblewrap there is no /proc, and this list is not needed.
    if os.path.exists("/proc/self/maps"):
        with open("/proc/self/maps") as maps:
            for line in maps:
                path = line.split(maxsplit=5)[-1].strip()
                if ".so" in path and not path.startswith(tuple(own)):
                    libraries.add(os.path.dirname(path))
    return [*own, *sorted(libraries), "/dev/null", "/dev/urandom"]


if __name__ == "__main__":
    main(sys.argv[1:])
