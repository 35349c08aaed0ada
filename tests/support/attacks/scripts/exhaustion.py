# %% E01-loop: never return => did not return
def softmax(x):
    while True: pass

# %% E02-loop-that-catches-all: never return, whatever is raised => did not return
import time
def softmax(x):
    while True:
        try: time.sleep(0.001)
        except BaseException: pass

# %% E03-sleep: sleep => did not return
import time
def softmax(x): time.sleep(10 ** 6)

# %% E04-loop-in-the-cell: never finish the cell
while True: pass

# %% E06-memory: use all memory => MemoryError
def softmax(x):
    import numpy as np
    np.empty(10 ** 8)
    raise ValueError('SUCCEEDED')

# %% E07-many-small-objects: use all memory in small pieces
def softmax(x):
    nest = []
    try:
        while True: nest = [nest, [0] * 10_000]
    except MemoryError: pass
    raise MemoryError

# %% E08-threads: start threads without end => RuntimeError
import threading, time
def softmax(x):
    threading.Thread(target=time.sleep, args=(99,)).start()
    raise ValueError('SUCCEEDED')

# %% E09-forks: fork without end
import os
def softmax(x):
    os.fork()
    raise ValueError('SUCCEEDED')

# %% E10-descriptors: open files without end
import os
def softmax(x):
    files = []
    try:
        while len(files) < 500: files.append(open(os.__file__))
    except OSError: return x
    raise ValueError('SUCCEEDED')

# %% E11-output: print without end => did not return
def softmax(x):
    while True: print('x' * 10 ** 5, flush=True)

# %% E12-recursion: call itself without end
import sys
def softmax(x):
    sys.setrecursionlimit(10 ** 9)
    return softmax(x)

# %% E13-large-file: write a large file
import os
def softmax(x):
    for place in ('/tmp', '/dev/shm', '.', '<<folder>>'):
        try: file = open(place + '/attack_was_here', 'wb')
        except OSError: continue
        file.write(bytes(10 ** 7))
        raise ValueError('SUCCEEDED')
    return x

# %% E14-higher-limits: raise its own limits
import resource
def softmax(x):
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
        try: resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError): continue
        raise ValueError('SUCCEEDED')
    return x

# %% E16-flood-of-answers: send without end => no value
import os
def softmax(x):
    while True:
        for fd in range(3, 64):
            try: os.write(fd, bytes(1 << 16))
            except OSError: pass

# %% E17-crash: crash => crashed (signal 11)
import ctypes
def softmax(x): return ctypes.string_at(0)

# %% E18-regular-expression: keep the interpreter busy where no exception reaches it => did not return
import re
def softmax(x): return re.match(r'(a+)+$', 'a' * 64 + 'b')

# %% E19-crash-in-every-cell: crash whenever the cells run again
import os
def softmax(x): os._exit(1)
if os.getpid() % 2: os._exit(1)

# %% E20-stop-reading: never read what the grader sends => did not return
import numpy as np, time
def apply(function, x):
    import gc
    worker = next(o for o in gc.get_objects() if type(o).__name__ == 'Worker')
    modules = __import__('sys').modules
    frames = modules['autograder.sandbox.worker.protocol.frames']
    encoder = modules['autograder.sandbox.worker.protocol.encode'].Encoder(worker.function)
    encoder.value((function, (np.ones((500, 500)),), {}))  # its answer fills the socket
    frames.send(worker.sock, frames.CALL, worker.nonce, bytes(encoder.out))
    while True:
        try: time.sleep(9)
        except BaseException: pass

# %% E21-call-back-without-end: call the check's function without end
def apply(function, x):
    while True: function(x)

# %% E22-call-back-with-failures: make the check's function fail without end, on large arrays
import numpy as np
def apply(function, x):
    large = np.zeros((1000, 1000))
    while True:
        try: function(large)
        except Exception: pass

# %% E23-kill-everything: kill whatever can be seen
import os, signal
def softmax(x):
    for process in [1, os.getppid(), -1, *range(2, 5000)]:
        if process != os.getpid():
            try: os.kill(process, signal.SIGKILL)
            except OSError: continue
            raise ValueError('SUCCEEDED')
    return x

# %% E24-stop-everything: stop the parent, or itself for ever
import os, signal
def softmax(x):
    for process in (os.getppid(), 0, os.getpid()):
        try: os.kill(process, signal.SIGSTOP)
        except OSError: continue
        raise ValueError('SUCCEEDED')
    return x

# %% E25-threads-of-numpy: have NumPy start threads => the shape is (300, 300)
import os
os.environ['OPENBLAS_NUM_THREADS'] = '64'
import numpy as np
def softmax(x):
    a = np.ones((300, 300))
    return a @ a

# %% E26-hang-at-the-repetition: hang when a call is repeated => called again
import time
seen = set()
def softmax(x):
    import numpy as np
    if x.tobytes() in seen: time.sleep(99)
    seen.add(x.tobytes())
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)

# %% E27-crash-at-the-repetition: crash when a call is repeated => called again
import os
seen = set()
def softmax(x):
    import numpy as np
    if x.tobytes() in seen: os._exit(3)
    seen.add(x.tobytes())
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)

# %% E29-all-of-memory: overwrite every byte of a guest's memory
import sys
import numpy as np
def softmax(x):
    if sys.platform != 'wasi': return x
    class Memory: __array_interface__ = {'data': (1024, False), 'shape': (32 << 20,), 'typestr': '|u1', 'version': 3}
    np.asarray(Memory())[:] = 255
    raise ValueError('SUCCEEDED')

# %% E30-stack: use up the stack where Python does not count
def softmax(x):
    nest = []
    for _ in range(50_000): nest = [nest]
    try: return repr(nest)
    finally: raise ValueError('done')

# %% E28-other-system-calls: sleep where no signal wakes it => did not return
import ctypes, signal
def softmax(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
    ctypes.CDLL(None).sleep(1000)
