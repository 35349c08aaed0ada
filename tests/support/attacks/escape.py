"""F: system calls that lead out, or to more of the kernel than a calculation needs."""

from tests.support.attacks.attack import attack

CALLS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(*numbers):
    for number in numbers:
        if libc.syscall(ctypes.c_long(number), 0, 1, 0, 0, 0, 0) >= 0: raise ValueError(f'SUCCEEDED {number}')
        if ctypes.get_errno() not in (1, 38): raise ValueError(f'SUCCEEDED: call {number} reached the kernel, {ctypes.get_errno()}')
X86 = os.uname().machine == 'x86_64'
"""


def calls(id: str, goal: str, x86_64: tuple[int, ...], aarch64: tuple[int, ...]) -> None:
    """System calls that must be refused before the kernel looks at them."""
    attack(
        id,
        goal,
        f"{CALLS}\ndef softmax(x):\n    attempt(*({x86_64} if X86 else {aarch64}))\n    return x",
    )


calls(
    "F01-namespaces", "make namespaces and mounts", (272, 308, 165, 155, 161), (97, 268, 40, 41, 51)
)
calls("F02-programs", "become another program", (59, 322), (221, 281))
calls(
    "F03-other-processes",
    "trace, read or rob other processes",
    (101, 310, 311, 434, 438),
    (117, 270, 271, 434, 438),
)
calls(
    "F04-large-surfaces",
    "reach the parts of the kernel that fail most often",
    (425, 426, 321, 298, 323),
    (425, 426, 280, 241, 282),
)
calls("F05-keys", "use the kernel's keyrings", (248, 249, 250), (217, 218, 219))
calls("F06-devices", "command devices and terminals", (16,), (29,))
calls("F07-signals", "send signals", (62, 200, 234, 129), (129, 130, 131, 138))
calls("F08-handles", "open files by handle", (303, 304), (264, 265))
calls("F09-identity", "become somebody else", (105, 106, 117, 119, 126), (146, 144, 147, 149, 91))
attack(
    "F11-sockets",
    "talk to somebody",
    """
    import socket
    def softmax(x):
        for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, 16, 17, 40):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
                try: socket.socket(family, kind)
                except OSError: continue
                raise ValueError(f'SUCCEEDED {family} {kind}')
        return x
    """,
)
attack(
    "F12-send-a-descriptor",
    "hand a descriptor through the socket, or ask for one",
    """
    import array, gc, socket
    def softmax(x):
        worker = next(o for o in gc.get_objects() if type(o).__name__ == 'Worker')
        try: worker.sock.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0]))])
        except OSError: return x
        raise ValueError('SUCCEEDED')
    """,
)
attack(
    "F13-old-interface",
    "use the calls of another ABI",
    """
    import ctypes, mmap, os
    def softmax(x):
        if os.uname().machine != 'x86_64': return x
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(bytes.fromhex('b814000000cd80c3'))  # mov eax, 20 (getpid); int 0x80; ret
        address = ctypes.addressof(ctypes.c_char.from_buffer(code))
        number = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
        raise ValueError(f'SUCCEEDED {number}')
    """,
)
attack(
    "F14-x32",
    "use the numbers of the x32 ABI",
    """
    import ctypes, os
    def softmax(x):
        if os.uname().machine != 'x86_64': return x
        if ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39)) > 0: raise ValueError('SUCCEEDED')
        return x
    """,
)
attack(
    "F15-console",
    "type into the teacher's terminal",
    """
    import fcntl, os
    def softmax(x):
        for fd in (0, 1, 2):
            try: fcntl.ioctl(fd, 0x5412, b'x')
            except OSError: continue
            raise ValueError('SUCCEEDED')
        for path in ('/dev/tty', '/dev/pts/0', '/dev/console'):
            try: os.open(path, os.O_RDWR)
            except OSError: continue
            raise ValueError('SUCCEEDED')
        return x
    """,
)
attack(
    "F17-doors-of-the-host",
    "have the host of a guest do or open something",
    """
    import os, sys
    def softmax(x):
        if sys.platform != 'wasi': return x
        import _host
        for asked in (b'', b'{}', bytes(1 << 20)):
            try: _host.call(asked)
            except OSError: continue
            raise ValueError('SUCCEEDED')
        for folder in (os.open('/usr', os.O_RDONLY), 0, 3, 4, -1, None):
            for path in ('../../etc', '../..//etc/passwd', 'local/../../..', '/etc/passwd', '<<folder>>', '<<folder>>/secret'):
                for how in (os.O_RDONLY, os.O_RDWR | os.O_CREAT):
                    try: os.open(path, how, dir_fd=folder)
                    except OSError: continue
                    raise ValueError(f'SUCCEEDED {path}')
        return x
    """,
)
attack(
    "F10-pickle",
    "have the grader load a pickle",
    """
    import os, pickle
    class P:
        def __reduce__(self): return (eval, ("open('/tmp/attack_was_here', 'w')",))
    def softmax(x):
        for fd in range(3, 16):
            try: os.write(fd, pickle.dumps(P()))
            except OSError: pass
        return x
    """,
    said="no value",
)
attack(
    "F16-pickle-as-a-value",
    "hide code in what crosses",
    """
    import numpy as np
    class P(np.ndarray):
        def __reduce__(self): return (exec, ("open('/tmp/attack_was_here', 'w')",))
        def tobytes(self, *a): return b'x'
    class T(tuple):
        def __iter__(self): raise SystemExit
        def __len__(self): return 10 ** 9
    def softmax(x): return T((x.view(P),))
    """,
)
