"""Takes from Python what it lacks on Windows, where that can be taken: on the path of a command and
of all that it starts, this shows on Linux what of the kit needs it."""

import fcntl
import os
import signal
import socket
import subprocess  # noqa: F401 - it looks for msvcrt to know its system
import sys
import types


def locking(descriptor, mode, size, lockf=fcntl.lockf, how=fcntl.LOCK_EX | fcntl.LOCK_NB):
    lockf(descriptor, how, size, os.lseek(descriptor, 0, os.SEEK_CUR))


sys.modules["msvcrt"] = types.ModuleType("msvcrt")
sys.modules["msvcrt"].__dict__.update(locking=locking, LK_NBLCK=2)

for name in ("fcntl", "pwd", "grp", "resource", "termios"):
    sys.modules[name] = None

# What Python's own modules use here stays: subprocess waits for processes, and kills them.
for module, names in (
    (
        os,
        "fork register_at_fork setsid killpg pread pwrite sched_getaffinity sched_setaffinity setresuid setresgid setgroups mkfifo fchmod chown O_NOFOLLOW O_NONBLOCK",
    ),
    (
        signal,
        "SIGALRM SIGVTALRM SIGPROF SIGXCPU SIGUSR1 SIGHUP SIGCONT setitimer pthread_kill pthread_sigmask ITIMER_REAL ITIMER_PROF ITIMER_VIRTUAL",
    ),
    (socket, "send_fds recv_fds"),
):
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)


def recv(sock, size, flags=0, recv=socket.socket.recv):
    """Windows does not wait for all of it where a time limit is set."""
    if flags & socket.MSG_WAITALL and sock.gettimeout() is not None:
        raise OSError("10045: not supported")
    return recv(sock, size, flags)


socket.socket.recv = recv
