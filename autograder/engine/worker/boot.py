"""Started as a script: ``boot.py SITE SITES FILES PACKAGES LOCKS WITHOUT`` and then ``warm FD`` or
``cold PORT``.

Python runs isolated (``-I -S -B``), so nothing but the standard library can be imported. NumPy is
imported once from SITE, which then leaves the path again: student code finds NumPy and nothing
beside it but the PACKAGES that the teacher allows, which come from SITES. They and an exercise's
own files, all of them FILES, may be read.
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
    site, sites, files, packages, names, without, way, number = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    for name, folder in (("autograder", []), ("autograder.engine.worker", [here])):
        package = types.ModuleType(name)
        package.__path__ = folder
        sys.modules[name] = package

    places = [site, *filter(None, sites.split(os.pathsep))]
    sys.path += places
    for name in (*WARM, *packages.split()):
        importlib.import_module(name)
    del sys.path[-len(places) :]

    sys.argv[:] = [""]
    omitted = frozenset(without.split())
    if "environment" not in omitted:
        os.environ.clear()

    importlib.import_module("autograder.engine.worker.silent_modules").install(packages.split())
    locks = importlib.import_module("autograder.engine.worker.locks")
    lock = locks.Lock(frozenset(names.split()), readable(site, files), omitted)

    if way == "warm":
        parent = importlib.import_module("autograder.engine.worker.parent")
        parent.main(socket.socket(fileno=int(number)), lock)
    else:
        worker = importlib.import_module("autograder.engine.worker.worker")
        worker.main(socket.create_connection(("127.0.0.1", int(number))), lock)


def readable(site: str, files: str = "") -> list[str]:
    """What a worker may read: the standard library, NumPy, folders of shared libraries in use.

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

    # There is no /proc inside of bubblewrap, nor a need for this list.
    if os.path.exists("/proc/self/maps"):
        with open("/proc/self/maps") as maps:
            for line in maps:
                path = line.split(maxsplit=5)[-1].strip()
                if ".so" in path and not path.startswith(tuple(own)):
                    libraries.add(os.path.dirname(path))
    return [*own, *sorted(libraries), "/dev/null", "/dev/urandom"]


if __name__ == "__main__":
    main()
