# %% A01-input-transformer: blank every later cell
get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\n'])

# %% A05-forged-result: send a result of its own to the front end
shell = get_ipython()
def forge(*args):
    kernel = shell.kernel
    kernel.session.send(kernel.iopub_socket, 'execute_result', {'data': {'text/plain': '10'}}, parent=None)
shell.events.register('pre_run_cell', forge)
forge()

# %% A06-score-of-nan: report a score that no comparison refuses
from IPython.display import publish_display_data
publish_display_data({'text/plain': 'nan'}); publish_display_data({'text/plain': '-1'})
print('nan')
def softmax(x): return float('nan')

# %% A08-silent-tracebacks: let failures pass unseen
import sys
import IPython.core.interactiveshell as shell
shell.InteractiveShell.showtraceback = lambda *a, **k: None
sys.excepthook = lambda *a: None

# %% A10-patched-comparisons: make every comparison true
import builtins, numpy as np, numpy.testing
np.allclose = np.array_equal = np.isclose = lambda *a, **k: True
for name in dir(np.testing):
    if name.startswith('assert'): setattr(np.testing, name, lambda *a, **k: None)
builtins.all = builtins.any = builtins.isinstance = lambda *a: True

# %% A11-patched-assertion: make assertions harmless
import builtins
class Harmless(Exception): pass
builtins.AssertionError = Harmless
def softmax(x): raise AssertionError('fine')

# %% A12-own-helpers: bring helpers that agree with everything
def agree(*args, **kwargs): return True
class check:
    def __init__(self, name): pass
    def __enter__(self): pass
    def __exit__(self, *a): return True
rng = None; REVEAL = True; CHECKS = {}

# %% A13-other-builtins: rebind the names that everything uses
import builtins, sys
__builtins__ = {'print': lambda *a: None}
__name__ = 'setup'; __import__ = None
builtins.len = lambda x: 4
builtins.tuple = list

# %% A14-import-hook: hand out modules of its own
import sys, types
class Finder:
    def find_spec(self, name, path=None, target=None):
        raise SystemExit(0)
sys.meta_path.insert(0, Finder()); sys.path_hooks.clear(); sys.modules['numpy'] = types.ModuleType('numpy')

# %% A15-leave-with-success: end the process with a success before anything is checked => ended its process
import atexit, os, sys
atexit.register(print, 'passed')
def softmax(x): os._exit(0)

# %% A16-exit-in-the-cell: end everything from a cell
import sys
sys.exit(0)

# %% A18-module-beside-the-notebook: have a module of its own imported
import sys
sys.path.insert(0, ''); sys.path.insert(0, '.'); sys.path.insert(0, '<<folder>>')
import attack_module

# %% A21-every-descriptor: guess where results are written
import os
for fd in range(0, 64):
    try: os.write(fd, b'{"score": 10, "passed": true}\n' * 3)
    except OSError: pass

# %% A22-descriptors-at-each-call: answer with a verdict => no value
import os
def softmax(x):
    for fd in range(3, 64):
        try: os.write(fd, b'{"score": 10, "passed": true}\n' * 3)
        except OSError: pass
    return x

# %% A23-tracing: follow the caller into the check
import sys
def spy(frame, event, argument):
    for name in ('wanted', 'expected'):
        if name in frame.f_locals: raise ValueError('SUCCEEDED')
    return spy
sys.settrace(spy); sys.setprofile(lambda f, e, a: None)

# %% A24-patched-clock: look fast => did not return
import time
time.perf_counter = time.time = time.monotonic = time.sleep = lambda *a: 0.0
def softmax(x):
    while True: pass

# %% A25-no-alarm: switch the worker's own alarm off => did not return
import signal
signal.setitimer(signal.ITIMER_REAL, 0)
signal.signal(signal.SIGALRM, signal.SIG_IGN)
signal.setitimer = lambda *a: None
def softmax(x):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True: pass

# %% A26-worker-rebuilt: replace the functions of the worker
import sys
for name in list(sys.modules):
    if name.startswith(('autograder.sandbox.worker.protocol', 'autograder.sandbox.worker.conversation')):
        module = sys.modules[name]
        module.check_raised = lambda value: value
        module.ProtocolError = module.CannotCross = Exception
        module.MAX_BYTES = module.MAX_VALUES = 1 << 60
def softmax(x): return bytes(10 ** 8)

# %% A28-end-of-the-loop: end the check's loop with the exception that ends loops
def count(n): raise StopIteration

# %% A29-end-of-an-async-loop: the same with its sister, and with the end of a generator
def count(n): raise (StopAsyncIteration if n else GeneratorExit)
