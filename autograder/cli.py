"""The command line: its commands, and what went wrong as one line and an exit code."""

from __future__ import annotations

import _thread
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterable, Sequence
from importlib import import_module
from io import TextIOWrapper
from keyword import iskeyword
from typing import Annotated, Any

import typer

from autograder import __version__
from autograder.base.errors import Fault, Interrupted, Unusable
from autograder.commands.common import CourseFolder, stop

AGAIN_SECONDS = 0.01
"""How long until a lost signal is sent again."""

COMMANDS = {
    "build": "authors",
    "check": "students",
    "watch": "students",
    "score": "grading",
    "release": "teachers",
    "collect": "teachers",
    "grade": "grading",
    "feedback": "teachers",
    "serve": "machine",
    "report": "teachers",
    "explain": "grading",
    "questions": "teachers",
    "export": "teachers",
    "site": "machine",
    "lab": "machine",
    "backup": "keeping",
    "restore": "keeping",
    "rename": "keeping",
    "forget": "keeping",
    "new-course": "keeping",
    "join": "keeping",
    "update": "keeping",
    "new": "authors",
    "import": "authors",
    "prove": "authors",
    "sample": "authors",
    "doctor": "machine",
}
"""In the order in which ``--help`` lists them: each with the module of ``commands`` that has it."""

GARBAGE = 100_000
"""How many new objects Python makes before it looks for unused ones."""

# The base of all that typer says of a command line; where it lies differs between versions.
UsageError: Any = typer.BadParameter.__bases__[0]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"autograder {__version__}")
        raise typer.Exit


def common(
    course_folder: CourseFolder = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="print the version and exit"
        ),
    ] = False,
) -> None:
    if course_folder is not None:
        os.environ["AUTOGRADER_COURSE"] = str(course_folder)


def app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line with these commands alone: each that is loaded takes its time."""
    made = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help="Build, release and grade exercises in which people learn by writing the code.",
    )
    made.callback()(common)

    for name in names:
        module = import_module(f"autograder.commands.{COMMANDS[name]}")
        function = name.replace("-", "_")
        command = getattr(module, f"{function}_" if iskeyword(function) else function)
        made.command(
            name,
            # The list of commands shows this line whole; typer would cut it.
            short_help=(command.__doc__ or "").partition("\n")[0],
            context_settings={"ignore_unknown_options": name == "lab"},  # they are for jupyter lab
        )(command)
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command, and end with its exit code.

    0: done; 1: not good enough; 2: unusable input; 3: the grader's fault; 128 + n: signal n.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # Pipes of Windows may know no ✓, and no file can hold half a character of a student's
            # text.
            stream.reconfigure(errors="replace")

    # When nbgrader loads jsonschema, that compiles a grammar of addresses, which takes longer than
    # most commands. Notebooks have no addresses, and jsonschema does without it.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

    # What a command makes lives to its end: there is no garbage in ten thousand results.
    gc.set_threshold(GARBAGE)
    given = list(sys.argv[1:] if arguments is None else arguments)

    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _interrupt)
        run = app(_wanted(given))
        code = run(given or ["--help"], prog_name="autograder", standalone_mode=False)
    except Unusable as error:
        stop(error.lines, 2)
    except UsageError as error:
        message = error.format_message().rstrip(".")
        stop(f"{message[:1].lower()}{message[1:]}; see {_command(error, given)} --help", 2)
    except OSError as error:
        # Of a file that is moved to its place the place is what somebody has named.
        place = error.filename2 or error.filename
        if place is None:
            raise
        cause = (error.strerror or "cannot be used").lower()
        stop(f"{place}: {cause}; check the path and its permissions", 2)
    except ModuleNotFoundError as error:
        if (error.name or "autograder").startswith("autograder"):
            raise
        repair = "run make setup, or pip install 'autograder-kit[teacher]'"
        stop(f"{error.name}: not installed; {repair}", 2)
    except Fault as fault:
        stop(str(fault), 3)
    except Interrupted as interrupted:
        stop(str(interrupted), 128 + interrupted.number)

    sys.exit(code)


def _wanted(given: Sequence[str]) -> Iterable[str]:
    """The commands to load: what comes first is one as a rule; else any may follow."""
    if given[:1] == ["--version"]:
        return ()
    return given[:1] if given and given[0] in COMMANDS else COMMANDS


def _command(error: Any, given: Sequence[str]) -> str:
    """The command whose help says more about a mistake in the command line."""
    if error.ctx:
        return str(error.ctx.command_path)

    # What an option lacks is found out before anybody knows whose option it is.
    return " ".join(["autograder", *[word for word in given if word in COMMANDS][:1]])


def _interrupt(number: int, _: object) -> None:
    raise Interrupted(number)


def interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Raise anew, a moment later, what a signal raised where Python can only print it: while an
    object ends, or a module loads."""
    if not isinstance(lost.exc_value, Interrupted):
        sys.__unraisablehook__(lost)
        return

    number = lost.exc_value.number
    if sys.platform == "win32":
        again = threading.Timer(AGAIN_SECONDS, _thread.interrupt_main, [number])
    else:  # ends what this thread, the only one that handles signals, waits for then
        again = threading.Timer(AGAIN_SECONDS, signal.pthread_kill, [threading.get_ident(), number])
    again.daemon = True  # a command that has ended meanwhile need not be stopped
    again.start()
