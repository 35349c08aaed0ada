"""``make wheels`` fetches all that there is to install: from then on no network is needed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WITHOUT_NETWORK: tuple[str, ...] = ("unshare", "--net")
"""In a network of its own, in which nobody else is.

Only root may make one without a namespace of users, in which student code cannot be locked in.
"""
if os.getuid() != 0:
    account = (f"--reuid={os.getuid()}", f"--regid={os.getgid()}", "--clear-groups")
    path = f"PATH={os.environ['PATH']}"
    sudo = ("sudo", "-n", "--preserve-env")
    WITHOUT_NETWORK = (*sudo, *WITHOUT_NETWORK, "setpriv", *account, "env", path)


def run(folder: Path, *command: str, code: int = 0) -> str:
    """A command in the copy, with nothing of this environment's Python and pip settings."""
    ours = ("PYTHON", "VIRTUAL_ENV", "UV_", "MAKE", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout[-3000:]
    return done.stdout


@pytest.mark.everything
def test_with_the_wheels_everything_installs_and_works_without_a_network(tmp_path):
    copy = tmp_path / "checkout"
    leave_out = shutil.ignore_patterns(
        ".git", ".venv", "wheels", "build", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(ROOT, copy, ignore=leave_out)
    run(copy, "make", "wheels")
    shutil.rmtree(copy / "build")

    alone = "import socket; socket.create_connection(('192.0.2.1', 9), 1)"
    assert "Network is unreachable" in run(copy, *WITHOUT_NETWORK, "python3", "-c", alone, code=1)
    run(copy, *WITHOUT_NETWORK, "make", "setup")
    command = (*WITHOUT_NETWORK, ".venv/bin/autograder")
    assert "up to date: attention" in run(copy, *command, "build", "--check", "attention")
    notebook = "solutions/attention/attention.ipynb"
    assert "100 of 100 points" in run(copy, *command, "score", notebook)
    run(copy, *command, "release", "attention")
    submitted = copy / "course" / "submitted" / "ada" / "attention"
    submitted.mkdir(parents=True)
    shutil.copy(copy / notebook, submitted)
    assert "1 graded, mean 100.0" in run(copy, *command, "grade", "attention")
    run(copy, *command, "feedback", "attention")

    run(copy, *WITHOUT_NETWORK, "make", "setup-all")
    run(copy, *WITHOUT_NETWORK, ".venv/bin/python", "-m", "pytest", "-q", "tests/test_result.py")
