"""E: time, memory, processes. Each costs its own check, and nobody else anything."""

from tests.support.attacks.attack import attack

attack("E01-loop", "never return", "def softmax(x):\n    while True: pass", said="did not return")
attack(
    "E02-loop-that-catches-all",
    "never return, whatever is raised",
    """
    import time
    def softmax(x):
        while True:
            try: time.sleep(0.001)
            except BaseException: pass
    """,
    said="did not return",
)
attack(
    "E03-sleep", "sleep", "import time\ndef softmax(x): time.sleep(10 ** 6)", said="did not return"
)
attack("E04-loop-in-the-cell", "never finish the cell", "while True: pass")
attack("E05-loop-in-many-cells", "use up the time with cells",
       change=lambda nb: nb["cells"].extend({"cell_type": "code", "id": f"e{n}", "metadata": {}, "source": "while True: pass",
                                             "outputs": []} for n in range(30)))  # fmt: skip
attack(
    "E06-memory",
    "use all memory",
    """
    def softmax(x):
        import numpy as np
        np.empty(10 ** 8)
        raise ValueError('SUCCEEDED')
    """,
    said="MemoryError",
)
attack(
    "E07-many-small-objects",
    "use all memory in small pieces",
    """
    def softmax(x):
        nest = []
        try:
            while True: nest = [nest, [0] * 10_000]
        except MemoryError: pass
        raise MemoryError
    """,
)
attack(
    "E08-threads",
    "start threads without end",
    """
    import threading, time
    def softmax(x):
        threading.Thread(target=time.sleep, args=(99,)).start()
        raise ValueError('SUCCEEDED')
    """,
    said="RuntimeError",
)
attack(
    "E09-forks",
    "fork without end",
    """
    import os
    def softmax(x):
        os.fork()
        raise ValueError('SUCCEEDED')
    """,
)
attack(
    "E10-descriptors",
    "open files without end",
    """
    import os
    def softmax(x):
        files = []
        try:
            while len(files) < 500: files.append(open(os.__file__))
        except OSError: return x
        raise ValueError('SUCCEEDED')
    """,
)
attack(
    "E11-output",
    "print without end",
    "def softmax(x):\n    while True: print('x' * 10 ** 5, flush=True)",
    said="did not return",
)
attack(
    "E12-recursion",
    "call itself without end",
    """
    import sys
    def softmax(x):
        sys.setrecursionlimit(10 ** 9)
        return softmax(x)
    """,
)
attack(
    "E13-large-file",
    "write a large file",
    """
    import os
    def softmax(x):
        for place in ('/tmp', '/dev/shm', '.', '<<folder>>'):
            try: file = open(place + '/attack_was_here', 'wb')
            except OSError: continue
            file.write(bytes(10 ** 7))
            raise ValueError('SUCCEEDED')
        return x
    """,
)
attack(
    "E14-higher-limits",
    "raise its own limits",
    """
    import resource
    def softmax(x):
        for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
            try: resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            except (OSError, ValueError): continue
            raise ValueError('SUCCEEDED')
        return x
    """,
)
attack(
    "E16-flood-of-answers",
    "send without end",
    """
    import os
    def softmax(x):
        while True:
            for fd in range(3, 64):
                try: os.write(fd, bytes(1 << 16))
                except OSError: pass
    """,
    said="no value",
)
attack(
    "E17-crash",
    "crash",
    "import ctypes\ndef softmax(x): return ctypes.string_at(0)",
    said="crashed (signal 11)",
)
attack(
    "E18-regular-expression",
    "keep the interpreter busy where no exception reaches it",
    """
    import re
    def softmax(x): return re.match(r'(a+)+$', 'a' * 64 + 'b')
    """,
    said="did not return",
)
attack(
    "E19-crash-in-every-cell",
    "crash whenever the cells run again",
    """
    import os
    def softmax(x): os._exit(1)
    if os.getpid() % 2: os._exit(1)
    """,
)
attack(
    "E20-stop-reading",
    "never read what the grader sends",
    apply="""
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
    """,
    said="did not return",
)
attack(
    "E21-call-back-without-end",
    "call the check's function without end",
    apply="""
    def apply(function, x):
        while True: function(x)
    """,
)
attack(
    "E22-call-back-with-failures",
    "make the check's function fail without end, on large arrays",
    apply="""
    import numpy as np
    def apply(function, x):
        large = np.zeros((1000, 1000))
        while True:
            try: function(large)
            except Exception: pass
    """,
)
attack(
    "E23-kill-everything",
    "kill whatever can be seen",
    """
    import os, signal
    def softmax(x):
        for process in [1, os.getppid(), -1, *range(2, 5000)]:
            if process != os.getpid():
                try: os.kill(process, signal.SIGKILL)
                except OSError: continue
                raise ValueError('SUCCEEDED')
        return x
    """,
)
attack(
    "E24-stop-everything",
    "stop the parent, or itself for ever",
    """
    import os, signal
    def softmax(x):
        for process in (os.getppid(), 0, os.getpid()):
            try: os.kill(process, signal.SIGSTOP)
            except OSError: continue
            raise ValueError('SUCCEEDED')
        return x
    """,
)
attack(
    "E25-threads-of-numpy",
    "have NumPy start threads",
    """
    import os
    os.environ['OPENBLAS_NUM_THREADS'] = '64'
    import numpy as np
    def softmax(x):
        a = np.ones((300, 300))
        return a @ a
    """,
    said="the shape is (300, 300)",
)
attack(
    "E26-hang-at-the-repetition",
    "hang when a call is repeated",
    """
    import time
    seen = set()
    def softmax(x):
        import numpy as np
        if x.tobytes() in seen: time.sleep(99)
        seen.add(x.tobytes())
        powers = np.exp(x - x.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)
    """,
    said="called again",
)
attack(
    "E27-crash-at-the-repetition",
    "crash when a call is repeated",
    """
    import os
    seen = set()
    def softmax(x):
        import numpy as np
        if x.tobytes() in seen: os._exit(3)
        seen.add(x.tobytes())
        powers = np.exp(x - x.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)
    """,
    said="called again",
)
attack(
    "E29-all-of-memory",
    "overwrite every byte of a guest's memory",
    """
    import sys
    import numpy as np
    def softmax(x):
        if sys.platform != 'wasi': return x
        class Memory: __array_interface__ = {'data': (1024, False), 'shape': (32 << 20,), 'typestr': '|u1', 'version': 3}
        np.asarray(Memory())[:] = 255
        raise ValueError('SUCCEEDED')
    """,
)
attack(
    "E30-stack",
    "use up the stack where Python does not count",
    """
    def softmax(x):
        nest = []
        for _ in range(50_000): nest = [nest]
        try: return repr(nest)
        finally: raise ValueError('done')
    """,
)
ENDS = "import os\ndef {}(*_): os._exit(0)"
attack(
    "E31-a-worker-for-every-call",
    "have a new worker started for every call",
    said="ended its process",
    **{
        step: ENDS.format(step)
        for step in ("softmax", "label", "count", "apply", "product", "total")
    },
)
attack(
    "E28-other-system-calls",
    "sleep where no signal wakes it",
    """
    import ctypes, signal
    def softmax(x):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))
        ctypes.CDLL(None).sleep(1000)
    """,
    said="did not return",
)


def reference(id: str, goal: str, body: str) -> None:
    """An attack on what stands in for a broken step while later ones are judged, and what student
    code may call."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    product, total = "def product(a, b): return 0", f"import numpy as np\ndef total(x):\n{lines}"
    attack(
        id,
        goal,
        product=product,
        total=total,
        baseline={"product": product, "total": "def total(x): return 0"},
    )


reference(
    "E50-memory-of-the-reference",
    "have the reference use the grader's memory",
    """
a = np.ones(4000)
try: product(a, a)
except BaseException: pass
return 0
""",
)
reference(
    "E51-time-of-the-reference",
    "have the reference use the grader's time",
    """
a = np.ones(1_000_000)
while True:
    try: product(a, a[:1])
    except Exception: pass
""",
)
reference(
    "E52-reference-called-without-end",
    "call the reference without end",
    """
while True: product(x, x)
""",
)
reference(
    "E53-reference-given-odd-things",
    "give the reference things that no check would",
    """
nest = []
nest.append(nest)
for odd in (nest, {}, None, 'x' * 10 ** 6, product, total, 1 << 3000, np.full((2, 2, 2), np.nan), float('nan'), [[0]] * 3):
    try: product(odd, odd)
    except Exception: pass
return 0
""",
)
reference(
    "E54-reference-calls-back",
    "have the reference call student code, and that the reference",
    """
class Odd(list):
    def __len__(self): return 10 ** 9
    def __getitem__(self, i): return product
for _ in range(3):
    try: product(Odd(), lambda: product)
    except Exception: pass
return 0
""",
)
attack("A30-reference-for-itself", "earn a step's points with the reference that stands in for it",
       product="""
    import builtins, sys
    def product(a, b):
        stub = getattr(builtins, 'stub', None)
        return stub(a, b) if stub else 0
    """, total="""
    import builtins
    builtins.stub = product
    def total(x):
        builtins.stub = product
        return 0
    """)  # fmt: skip
