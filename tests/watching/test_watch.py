"""``autograder watch`` as a person meets it: on a terminal, whose keys and screen are played here."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import processes
from tests.support.courses import NAME, RIGHT, ROOT, handed_in

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals", allow_module_level=True)

import pty
import termios

WRONG = {**RIGHT, "double": "def double(x):\n    return np.asarray(x)\n"}
LOOP = {**RIGHT, "double": "def double(x):\n    while True:\n        pass\n"}
JOY = "every visible check passes!"


class Terminal:
    """A terminal on which a notebook is watched; ``shown`` is what stands on it now."""

    def __init__(self, path: Path) -> None:
        self._ours, self._theirs = pty.openpty()
        self.before = termios.tcgetattr(self._theirs)
        self._printed = b""
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autograder", "watch", path.name],
            cwd=path.parent, stdin=self._theirs, stdout=self._theirs, stderr=self._theirs,
            env=environment, start_new_session=True, preexec_fn=self._control,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _control(self) -> None:
        import fcntl

        fcntl.ioctl(self._theirs, termios.TIOCSCTTY, 0)

    def _read(self) -> None:
        while True:
            try:
                self._printed += os.read(self._ours, 65536)
            except OSError:
                return

    @property
    def printed(self) -> str:
        text = self._printed.decode(errors="replace").replace("\r\n", "\n")
        return re.sub(r"\x1b\[[0-9;]*m", "", text)

    @property
    def shown(self) -> str:
        return self.printed.split("\x1b[2J")[-1]

    def until(self, text: str) -> str:
        """Wait until this stands there, and whatever is printed with it."""

        def is_there() -> bool:
            shown = self.shown
            # The keys are its last line.
            return text in shown and ("q quit" in shown or JOY in shown)

        processes.until(lambda: is_there() or self.process.poll() is not None, f"showed {text}")
        if not is_there():  # it has ended, and its last words may still be on their way
            self._reader.join(5)
        assert text in self.shown, self.printed
        return self.shown

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        """How it has ended; the terminal must be as it was."""
        code = self.process.wait(processes.SECONDS)
        assert termios.tcgetattr(self._theirs) == self.before
        assert "Traceback" not in self.printed, self.printed
        return code

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._theirs)
        self._reader.join(processes.SECONDS)
        os.close(self._ours)


@pytest.fixture
def notebook(course, tmp_path):
    """Save a student's notebook in a folder where nothing else is, as editors do."""

    def save(answers: dict[str, str]) -> Path:
        path = tmp_path / "own" / f"{NAME}.ipynb"
        path.parent.mkdir(exist_ok=True)
        part = path.with_name("part")
        part.write_bytes(handed_in(course, answers))
        part.replace(path)
        return path

    return save


@pytest.fixture
def watched(notebook) -> Iterator[Terminal]:
    terminal = Terminal(notebook(WRONG))
    yield terminal
    terminal.close()


def test_each_save_shows_the_first_thing_to_do_and_the_last_one_joy(watched, notebook):
    watched.until("Look at double   step 1 of 2")
    assert "asked: Twice one is two." in watched.shown
    assert "2 of 4 points" in watched.shown and "by_hand fails: double([1]): got" in watched.shown

    watched.press("l")
    shown = watched.until("l back")
    assert "✗ double  0 / 2" in shown and "✓ total   2 / 2" in shown and "fails" not in shown
    watched.press("\x1b[AL")  # an arrow is no key of ours, a capital letter is one
    watched.until("Look at double")

    notebook({"total": RIGHT["total"]})
    watched.until("Write double   step 1 of 2")
    notebook(RIGHT)
    watched.until(JOY)
    assert watched.end() == 0


def test_hints_come_one_by_one(watched):
    assert "h where to look" in watched.until("Look at double")
    assert "Line 2" not in watched.shown
    watched.press("h")
    assert "hint: Line 2 of the cell of double: return np.asarray(x)" in watched.until("h hide")
    watched.press("h")
    assert "Line 2" not in watched.until("h where to look")


def test_an_endless_loop_holds_up_neither_keys_nor_the_next_save(watched, notebook):
    watched.until("Look at double")
    notebook(LOOP)
    watched.until("checking …")
    below = list(processes.below(watched.process.pid))
    watched.press("l")
    watched.until("l back")
    assert "checking …" in watched.shown
    notebook(RIGHT)
    watched.until(JOY)
    assert "did not return" not in watched.printed
    assert watched.end() == 0
    processes.until(lambda: not any(map(processes.command, below)), "ended what it had started")


@pytest.mark.everything
def test_of_several_saves_the_last_one_counts_and_a_syntax_error_is_one_line(watched, notebook):
    watched.until("Look at double")
    for answers in (LOOP, {}, {**RIGHT, "double": "def double(x)\n    return x\n"}):
        notebook(answers)
    shown = watched.until("SyntaxError")
    assert "double is not defined: its cell raised SyntaxError in line 1" in shown
    notebook(RIGHT)
    watched.until(JOY)
    assert watched.end() == 0


@pytest.mark.everything
def test_a_file_that_is_gone_or_half_written_is_waited_for(watched, notebook):
    watched.until("Look at double")
    path = notebook(RIGHT)
    whole = path.read_bytes()
    path.unlink()
    path.write_bytes(b"")
    path.write_bytes(whole[: len(whole) // 2])
    watched.until("breaks off")
    assert "waiting: " in watched.shown and "Look at double" in watched.shown
    path.unlink()
    watched.until("is missing")
    path.write_bytes(whole)
    watched.until(JOY)
    assert watched.end() == 0


@pytest.mark.parametrize("key", ["q", pytest.param("\x03", marks=pytest.mark.everything)])
def test_it_ends_quietly_and_leaves_no_process(watched, key):
    watched.until("Look at double")
    below = list(processes.below(watched.process.pid))
    assert below
    watched.press(key)
    assert watched.end() == 0
    assert "stopped" not in watched.printed
    processes.until(lambda: not any(map(processes.command, below)), "ended what it had started")


def test_without_a_terminal_it_prints(notebook):
    path = notebook(WRONG)
    with processes.start("watch", path.name, cwd=path.parent) as process:
        assert process.stdout is not None and process.stderr is not None
        lines = iter(process.stdout.readline, "")
        assert "2 of 4 points\n" in lines
        assert next(lines) == "Look at double   step 1 of 2\n"
        notebook(RIGHT)
        rest = "".join(lines)
        assert JOY in rest and "\x1b" not in rest
        assert (process.wait(processes.SECONDS), process.stderr.read()) == (0, "")


@pytest.mark.everything
def test_ctrl_c_ends_it_without_a_terminal_too(notebook):
    path = notebook(WRONG)
    with processes.start("watch", path.name, cwd=path.parent) as process:
        assert process.stdout is not None and process.stderr is not None
        assert "2 of 4 points\n" in iter(process.stdout.readline, "")
        os.killpg(process.pid, signal.SIGINT)
        assert (process.wait(processes.SECONDS), process.stderr.read()) == (0, "")


def test_a_name_with_a_typo_is_answered_with_the_file_that_may_be_meant(tmp_path):
    (tmp_path / "attention.ipynb").touch()
    (tmp_path / "attention.txt").touch()
    done = processes.call("check", "atention.ipynb", cwd=tmp_path)
    assert done.returncode == 2
    says = "autograder: atention.ipynb: is missing; did you mean attention.ipynb?\n"
    assert done.stderr == says


def test_what_is_no_notebook_to_begin_with_is_one_line(tmp_path):
    done = processes.call("watch", "nosuch.ipynb", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "autograder: nosuch.ipynb: is missing; check the path\n"
