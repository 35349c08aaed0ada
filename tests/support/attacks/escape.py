"""F: system calls that lead out, or to more of the kernel than a calculation needs."""

from tests.support.attacks.attack import attack, read

read("escape")

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
