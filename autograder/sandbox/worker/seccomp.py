"""A seccomp filter for workers: a short list of allowed system calls; all others are refused.

The allowed calls are those that Python and NumPy need to compute, to read their own modules and to
talk over an open socket. They cannot make a process, a thread, a socket, a file or a signal. The
program is classic BPF, built from the two tables below (x86_64, and the generic one of aarch64).
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

from autograder.sandbox.worker.libc import libc

# name: (x86_64, aarch64); None where the architecture has no such call
ALLOWED: dict[str, tuple[int | None, int]] = {
    "access": (21, 48),  # aarch64: faccessat
    "brk": (12, 214),
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "close": (3, 57),
    "close_range": (436, 436),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "faccessat2": (439, 439),
    "fstat": (5, 80),
    "futex": (202, 98),
    "getcpu": (309, 168),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getitimer": (36, 102),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "getuid": (102, 174),
    "lseek": (8, 62),
    "madvise": (28, 233),
    "membarrier": (324, 283),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "nanosleep": (35, 101),
    "newfstatat": (262, 79),
    "open": (2, 56),  # aarch64: openat
    "openat": (257, 56),
    "poll": (7, 73),  # aarch64: ppoll
    "ppoll": (271, 73),
    "pread64": (17, 67),
    "pselect6": (270, 72),
    "read": (0, 63),
    "readlink": (89, 78),  # aarch64: readlinkat
    "readlinkat": (267, 78),
    "readv": (19, 65),
    "recvfrom": (45, 207),
    "restart_syscall": (219, 128),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_getaffinity": (204, 123),
    "sched_yield": (24, 124),
    "select": (23, 72),  # Python 3.10 sleeps with it; aarch64: pselect6
    "sendto": (44, 206),
    "set_robust_list": (273, 99),
    "setitimer": (38, 103),
    "sigaltstack": (131, 132),
    "stat": (4, 79),  # aarch64: newfstatat
    "statx": (332, 291),
    "sysinfo": (99, 179),
    "time": (201, 113),  # aarch64: clock_gettime
    "times": (100, 153),
    "uname": (63, 160),
    "write": (1, 64),
    "writev": (20, 66),
}
# The C library falls back to older calls when it hears that these do not exist.
ABSENT: dict[str, tuple[int | None, int]] = {
    "clone3": (435, 435),
    "openat2": (437, 437),
    "futex_waitv": (449, 449),
}
# Only some commands of these are allowed. For fcntl, these look at or mark a descriptor: F_GETFD,
# F_SETFD, F_GETFL.
Commands = dict[str, tuple[tuple[int, int], tuple[int, ...]]]
COMMANDS: Commands = {"fcntl": ((72, 25), (1, 2, 3))}

# The further calls that a grader needs to get workers from their parent, and to talk to them with
# deadlines.
GRADER: dict[str, tuple[int | None, int]] = {
    "recvmsg": (47, 212),
    "sendmsg": (46, 211),
    "socketpair": (53, 199),
    "wait4": (61, 260),
}
GRADER_COMMANDS: Commands = {"ioctl": ((16, 29), (0x5421,))}  # FIONBIO: whether a socket waits

# All other calls of an ordinary program are allowed. Refused: other processes' memory, namespaces,
# mounts, data that the kernel keeps for a user beyond a process, memory that belongs to no process,
# new and large calls.
REFUSED: dict[str, tuple[int, int]] = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "move_mount": (429, 429),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "msgget": (68, 186),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "request_key": (249, 218),
    "semget": (64, 190),
    "setns": (308, 268),
    "shmget": (29, 194),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
_CLONE, _NAMESPACES = (56, 220), 0x7E020000
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. A namespace without a network has all of these to itself,
# and not AF_VSOCK, which leads out of a virtual machine.
_SOCKET, _FAMILIES = (41, 198), (1, 2, 10, 16)

# Without namespaces, a program must start no process, reach no socket outside, watch no files, and
# reach no memory, semaphores and messages of its user's other programs.
REFUSED_ALONE: dict[str, tuple[int, int]] = {
    "connect": (42, 203),
    "fanotify_mark": (301, 263),
    "fork": (57, 1079),  # aarch64 has neither this one nor vfork
    "inotify_add_watch": (254, 27),
    "msgctl": (71, 187),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "semctl": (66, 191),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "vfork": (58, 1071),
}
# It makes these only before it starts. Open ones keep working.
REFUSED_BEGUN: dict[str, tuple[int, int]] = {"bind": (49, 200), "socket": (41, 198)}
# Landlock lets a program do this to every file and process of its user. These calls do nothing, and
# report no error: shutil.copy() calls chmod, and each thread of zmq sched_setscheduler.
NOT_DONE: dict[str, tuple[int, int]] = {
    "chmod": (90, 53),  # aarch64: fchmodat
    "chown": (92, 54),  # aarch64: fchownat
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "file_setattr": (469, 469),
    "fremovexattr": (199, 16),
    "fsetxattr": (190, 7),
    "futimesat": (261, 88),  # aarch64: utimensat
    "ioprio_set": (251, 30),
    "lchown": (94, 54),  # aarch64: fchownat
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "setpriority": (141, 140),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "utime": (132, 88),  # aarch64: utimensat
    "utimensat": (280, 88),
    "utimes": (235, 88),  # aarch64: utimensat
}
_CLONE_THREAD, _SOCKETPAIR, _PRCTL, _SET_PDEATHSIG = 0x10000, (53, 199), (157, 167), 1
_PRLIMIT, _ITSELF = (302, 261), 0
_STREAM, _KINDS, _NETLINK = 1, 0xF, 16

Code = list[tuple[int, int, int, int]]

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24


def program(machine: str | None = None, grader: bool = False) -> bytes:
    """The filter as BPF instructions.

    Args:
        grader: for a process that has workers of its own.

    Raises:
        OSError: no table for this machine.
    """
    column, code = _begun(machine)
    more, commands = (GRADER, COMMANDS | GRADER_COMMANDS) if grader else ({}, COMMANDS)
    for table, verdict in ((ALLOWED | more, _ALLOW), (ABSENT, _ERRNO | errno.ENOSYS)):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, verdict)]

    for numbers_of, allowed in commands.values():
        # If none of the commands matches, the loaded value is no longer the number of a call:
        # refuse at once.
        code += [
            (_EQUAL, 0, 2 + 2 * len(allowed), numbers_of[column]),
            (_LOAD, 0, 0, _SECOND_ARGUMENT),
        ]
        for command in allowed:
            code += [(_EQUAL, 0, 1, command), (_RETURN, 0, 0, _ALLOW)]
        code.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))

    code.append((_RETURN, 0, 0, _ERRNO | errno.EPERM))
    return _packed(code)


def refusing(machine: str | None = None, families: tuple[int, ...] = _FAMILIES) -> bytes:
    """A filter that refuses ``REFUSED``, namespaces for new processes, and unusual sockets.

    Args:
        families: the sockets that may be made.

    Raises:
        OSError: no table for this machine.
    """
    column, code = _begun(machine)
    _refuse(code, REFUSED, column)
    code += [(_EQUAL, 0, 3 + len(families), _SOCKET[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    for place, family in enumerate(families):
        code.append((_EQUAL, len(families) - place, 0, family))
    code += [(_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT), (_RETURN, 0, 0, _ALLOW)]
    code += [(_EQUAL, 0, 3, _CLONE[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    code += [(_ANY_OF, 0, 1, _NAMESPACES), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    return _packed([*code, (_RETURN, 0, 0, _ALLOW)])


def alone(machine: str | None = None, begun: bool = True) -> bytes:
    """A filter for a program that no namespace holds, on top of ``refusing``: it stays one process,
    which ends with its parent, gets no sockets but pairs, and leaves its user's other programs and
    files as they are.

    Args:
        begun: it has the sockets that it needs, which reach nobody by themselves.

    Raises:
        OSError: no table for this machine.
    """
    column, code = _begun(machine)
    _refuse(code, REFUSED_ALONE | (REFUSED_BEGUN if begun else {}), column)
    for numbers in NOT_DONE.values():
        code += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERRNO)]

    refused, allowed = (_RETURN, 0, 0, _ERRNO | errno.EPERM), (_RETURN, 0, 0, _ALLOW)
    code += [(_EQUAL, 0, 4, _PRLIMIT[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    code += [(_EQUAL, 0, 1, _ITSELF), allowed, refused]
    code += [(_EQUAL, 0, 4, _CLONE[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    code += [(_ANY_OF, 1, 0, _CLONE_THREAD), refused, allowed]

    # Sockets of other kinds could talk to somebody else; netlink's list addresses.
    for number in (_SOCKET[column], _SOCKETPAIR[column]):
        code += [(_EQUAL, 0, 7, number), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
        code += [(_EQUAL, 4, 0, _NETLINK), (_LOAD, 0, 0, _SECOND_ARGUMENT)]
        code += [(_AND, 0, 0, _KINDS), (_EQUAL, 1, 0, _STREAM), refused, allowed]

    code += [(_EQUAL, 0, 4, _PRCTL[column]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    code += [(_EQUAL, 0, 1, _SET_PDEATHSIG), refused, allowed]
    return _packed([*code, allowed])


def _refuse(code: Code, table: dict[str, tuple[int, int]], column: int) -> None:
    for refused, error in ((table, errno.EPERM), ({"clone3": (435, 435)}, errno.ENOSYS)):
        for numbers in refused.values():
            code += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERRNO | error)]


def _begun(machine: str | None) -> tuple[int, Code]:
    """The column of a machine's numbers in the tables, and the instructions that load the number of
    a call."""
    try:
        column, architecture = _MACHINES[machine or platform.machine()]
    except KeyError:
        words = f"no list of system calls for {machine or platform.machine()}"
        raise OSError(errno.ENOSYS, words) from None

    code: Code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:  # calls of the x32 ABI have other numbers
        code += [(_AT_LEAST, 0, 1, 0x40000000), (_RETURN, 0, 0, _KILL)]
    return column, code


def _packed(code: Code) -> bytes:
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install(code: bytes) -> None:
    """Filter this process's system calls from now on; OSError if the kernel refuses."""
    no_new_privileges, set_seccomp, mode_filter = 38, 22, 2
    if libc().prctl(no_new_privileges, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    filter_program = _Program(len(code) // 8, code)
    if libc().prctl(set_seccomp, mode_filter, ctypes.byref(filter_program)):
        raise OSError(ctypes.get_errno(), "seccomp")
