"""Started as a script: ``boot.py SITE LOCKS WITHOUT warm FD`` or ``boot.py SITE LOCKS WITHOUT cold
PORT``.

Python runs isolated (``-I -S -B``), so nothing but the standard library can be imported. NumPy is
imported once from SITE, which then leaves the path again: student code finds NumPy and nothing
beside it.
"""

import importlib
import os
import socket
import sys
import types

# What students import most: loaded here once, shared by every worker that is forked.
WARM = (
    "collections.abc",
    "copy",
    "dataclasses",
    "encodings.rot_13",  # the setup cell reads its questions with these two
    "functools",
    "inspect",
    "itertools",
    "json",
    "math",
    "numpy",
    "numpy.fft",
    "numpy.lib.stride_tricks",
    "numpy.linalg",
    "numpy.ma",
    "numpy.random",
    "operator",
    "random",
    "statistics",
    "textwrap",
    "time",
    "traceback",
    "typing",
    "warnings",
)


def main() -> None:
    site, names, without, way, number = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    for name, folder in (("autograder", []), ("autograder.engine.worker", [here])):
        package = types.ModuleType(name)
        package.__path__ = folder
        sys.modules[name] = package

    sys.path.append(site)
    for name in WARM:
        importlib.import_module(name)
    sys.path.remove(site)

    sys.argv[:] = [""]
    omitted = frozenset(without.split())
    if "environment" not in omitted:
        os.environ.clear()

    importlib.import_module("autograder.engine.worker.silent_modules").install()
    locks = importlib.import_module("autograder.engine.worker.locks")
    lock = locks.Lock(frozenset(names.split()), readable(site), omitted)

    if way == "warm":
        parent = importlib.import_module("autograder.engine.worker.parent")
        parent.main(socket.socket(fileno=int(number)), lock)
    else:
        worker = importlib.import_module("autograder.engine.worker.worker")
        worker.main(socket.create_connection(("127.0.0.1", int(number))), lock)


def readable(site: str) -> list[str]:
    """What a worker may read: the standard library, NumPy, folders of shared libraries in use."""
    own = [
        os.path.dirname(os.__file__),
        os.path.join(site, "numpy"),
        os.path.join(site, "numpy.libs"),
    ]
    libraries = set()

    # There is no /proc inside of bubblewrap, nor a need for this list.
    if os.path.exists("/proc/self/maps"):
        with open("/proc/self/maps") as maps:
            paths = {line.split(maxsplit=5)[5].strip() for line in maps if ".so" in line}
        libraries = {os.path.dirname(path) for path in paths if not path.startswith(tuple(own))}
    return [*own, *sorted(libraries), "/dev/null", "/dev/urandom"]


if __name__ == "__main__":
    main()
