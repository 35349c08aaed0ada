"""The code that runs beside student code: the frames, the warm parent, the worker.

Only these files, the standard library and NumPy are visible to the worker, so nothing here may
import the rest of the package, and nothing here is secret.
"""

__all__ = [
    "boot",
    "control",
    "conversation",
    "landlock",
    "locks",
    "operations",
    "protocol",
    "seccomp",
]
