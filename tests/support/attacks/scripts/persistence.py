# %% D01-gradebook: write a grade
def softmax(x):
    import sqlite3
    for path in ('<<folder>>/gradebook.db', '/course/gradebook.db'):
        try:
            book = sqlite3.connect(path, timeout=0.1)
            book.execute('create table attack_was_here (x)')
            book.commit()
        except Exception: continue
        raise ValueError('SUCCEEDED')
    return x

# %% D07-orphan: fork twice and stay
import os, time
def softmax(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(600)
        os._exit(0)
    raise ValueError('SUCCEEDED')

# %% D08-first-input: answer with what came first
seen = []
def softmax(x):
    seen.append(x.copy())
    return seen[0]

# %% D10-shared-memory: leave memory that others can map
import ctypes, mmap, os
def softmax(x):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.shmget(0x61747461, 4096, 0o1666) >= 0: raise ValueError('SUCCEEDED')
    if hasattr(os, 'memfd_create'):
        try: os.memfd_create('x')
        except OSError: pass
        else: raise ValueError('SUCCEEDED')
    return x

# %% D11-locks: lock a file that others read
import fcntl, os, sys
def softmax(x):
    for how in (lambda f: fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB), lambda f: fcntl.lockf(f, fcntl.LOCK_SH | fcntl.LOCK_NB),
                lambda f: fcntl.fcntl(f, 1024, 0)):
        with open(os.__file__) as file:
            try: how(file)
            except OSError: continue
            raise ValueError('SUCCEEDED')
    return x

# %% D12-later-alarm: set a timer that goes off during later calls and between them
import signal
def ring(*a): raise KeyboardInterrupt
def softmax(x):
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.01, 0.01)
    return x

# %% D13-closed-socket: close the way to the grader => ended its process
import os
def softmax(x):
    os.closerange(0, 1024)
    return x

# %% D14-patched-modules: leave changed modules for the next student
import builtins, sys
import numpy as np
def softmax(x):
    np.exp = np.log = lambda x: x
    builtins.left_by = 'attack'
    sys.modules['math'] = None
    np.add.reduce.__class__
    np.frombuffer(bytes(8)).setflags
    return x

# %% D15-parents-memory: write where the parent reads
import ctypes
def softmax(x):
    import numpy as np
    view = ctypes.c_char.from_address(id(np.exp) + 16)
    ctypes.memset(id(np.tanh), 0xff, 64)
    ctypes.memset(id(int) + 8 * 10, 0, 1)
    return x
