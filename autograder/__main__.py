"""``autograder``, also as ``python -m autograder``."""

from __future__ import annotations

import gc
import os
import sys

from autograder.sandbox.cores import ONE_THREAD


def main() -> None:
    """Run a command, and end with its exit code."""
    # Else NumPy starts a thread for each core, and all of them look for work, all the time.
    for name, value in ONE_THREAD.items():
        os.environ.setdefault(name, value)

    if sys.argv[1:2] in (["check"], ["watch"]):
        from autograder.checking import confined

        # It loads NumPy and the engine while this process loads the command line.
        confined.start_early()

    from autograder import cli

    sys.unraisablehook = cli.interrupt_again
    try:
        cli.main()
    finally:
        # Python would look for garbage before it ends, in all that the command has loaded.
        gc.freeze()


if __name__ == "__main__":
    main()
