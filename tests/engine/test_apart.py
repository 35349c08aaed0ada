"""What ends the process that grades is a line of the command, and no silence."""

import faulthandler
import os
import select
import signal

import pytest

from autograder.base.errors import Fault, Unusable
from autograder.grader.apart import apart
from tests.support import processes


def test_what_the_work_makes_or_raises_comes_back():
    def raising() -> None:
        raise Unusable.of_lines(["a file: a cause; a repair", "another line"])

    here = os.getpid()
    made, process = apart(lambda: ([1], os.getpid()))
    assert made == [1] and process != here
    with pytest.raises(Unusable) as raised:
        apart(raising)
    assert raised.value.lines == ("a file: a cause; a repair", "another line")


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_signal_that_ends_the_work_is_said(number):
    def crashing() -> None:
        faulthandler.disable()  # pytest's would print this as if it were a fault of ours
        os.kill(os.getpid(), number)

    with pytest.raises(Fault, match=f"was ended by {number.name}; look at it by hand"):
        apart(crashing)


def test_an_interrupt_that_reaches_the_copy_alone_is_no_success():
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(Fault, match="was ended; look"):
        apart(interrupted)


def test_nothing_is_left_when_the_command_is_interrupted():
    here = os.getpid()
    before = processes.children(here)
    # A command that ran in this process may have left its own.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)

    def waiting() -> None:
        os.kill(here, signal.SIGINT)
        signal.pause()

    try:
        with pytest.raises(KeyboardInterrupt):
            apart(waiting)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert processes.children(here) == before


def test_nothing_is_left_when_the_command_is_killed():
    reads, writes = os.pipe()

    def waiting() -> None:
        os.write(writes, b"1")
        signal.pause()

    command = os.fork()
    if command == 0:
        apart(waiting)
        os._exit(0)
    os.close(writes)
    assert os.read(reads, 1) == b"1"
    os.kill(command, signal.SIGKILL)
    os.waitpid(command, 0)
    ended, _, _ = select.select([reads], [], [], 30)  # nobody is left who could write
    assert ended and os.read(reads, 1) == b""
    os.close(reads)
