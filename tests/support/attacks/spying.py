"""C: secrets. Whatever student code finds, it says in the message of a visible check, where a
student can read it."""

from tests.support.attacks.attack import attack
from tests.support.attacks.target import INPUT

READ = """
def tell(*things):
    raise ValueError(' '.join(str(thing) for thing in things)[:900])
def readable(paths):
    for path in paths:
        try:
            with open(path, errors='replace') as file: tell('SUCCEEDED', path, file.read(300))
        except OSError: pass
"""
STORE = """
import sys
def label(text):
    sys.heard = getattr(sys, 'heard', []) + [text]
    return text.upper()
"""


def spy(id: str, goal: str, body: str, **more: str) -> None:
    """An attack that spies when softmax is called, and tells."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    attack(id, goal, f"{READ}\ndef softmax(x):\n{lines}\n    return x", **more)


spy(
    "C01-file-of-the-teacher",
    "read a file whose place is known",
    "readable(['<<folder>>/canary.txt'])",
)
spy(
    "C02-print-each-cell",
    "print what runs",
    """
get_ipython().events.register('pre_run_cell', lambda info: print(info.raw_cell))
import linecache
if any('softmax_by' + '_definition' in ''.join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2): tell('SUCCEEDED')
""",
)
spy(
    "C03-course-folder",
    "list the folders where courses lie",
    """
import os
for place in ('<<folder>>', '/home', '/root', '/srv', '/tmp', os.path.expanduser('~'), '/etc', '/course'):
    try: names = os.listdir(place)
    except OSError: continue
    if place != '/' or 'home' in names: tell('SUCCEEDED', place, names)
""",
)
spy(
    "C04-import-the-grader",
    "import what the teacher has installed",
    """
import importlib, pkgutil
for name in ('autograder.grader.grader', 'autograder.engine.run', 'nbgrader', 'typer', 'rich', 'pip', 'toy', 'attacks.target', 'solution'):
    try: importlib.import_module(name)
    except Exception: continue
    tell('SUCCEEDED', name)
for module in pkgutil.iter_modules():
    if any(word in module.name for word in ('solution', 'reference', 'grader', 'exercise')): tell('SUCCEEDED', module)
""",
)
spy(
    "C05-processes",
    "read environment and command line of every process",
    """
import os
try: names = os.listdir('/proc')
except OSError: names = ['1', 'self', str(os.getppid())]
readable([f'/proc/{name}/{what}' for name in names for what in ('environ', 'cmdline', 'maps', 'status')])
""",
)
spy(
    "C06-open-descriptors",
    "read from what was left open",
    """
import errno, os
sockets = 0
for fd in range(0, 1024):
    try:
        kind = os.fstat(fd).st_mode
        data = os.pread(fd, 200, 0)
        if data: tell('SUCCEEDED', fd, data)
    except OSError as error:
        if error.errno == errno.EBADF: continue
        sockets += 1
if sockets > 1: tell('SUCCEEDED', sockets)
""",
)
spy(
    "C07-process-memory",
    "read the memory of the parent",
    """
import os
readable([f'/proc/{os.getppid()}/mem', '/proc/self/mem', '/dev/mem', '/proc/kcore'])
""",
)
spy(
    "C08-caches-and-backups",
    "find compiled and saved copies of the exercise",
    """
import glob
for pattern in ('<<folder>>/**/*', '/home/**/.ipynb_checkpoints/*', '/job/**/*.ipynb', '/**/target*'):
    for found in glob.iglob(pattern, recursive=True): tell('SUCCEEDED', found)
""",
)
spy(
    "C09-environment",
    "read the grader's environment",
    """
import ctypes, os
names = {k: v for k, v in os.environ.items() if 'THREADS' not in k}
try:
    ctypes.CDLL(None).getenv.restype = ctypes.c_char_p
    for name in (b'TEACHER_TOKEN', b'AUTOGRADER_SECRET', b'HOME'):
        if ctypes.CDLL(None).getenv(name): names[name] = ctypes.CDLL(None).getenv(name)
except OSError: pass  # a Python without foreign functions
if names: tell('SUCCEEDED', names)
""",
)
spy(
    "C10-who-am-i",
    "be root",
    """
import os
if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()): tell('SUCCEEDED root')
""",
)
spy(
    "C11-other-submissions",
    "read what others have handed in",
    """
import glob
readable(glob.glob('<<folder>>/submitted/*/*/*') + ['<<folder>>/submitted/bob/target/target.ipynb'])
""",
)
spy(
    "C12-gradebook",
    "read the gradebook",
    """
try:
    import sqlite3
    rows = sqlite3.connect('file:<<folder>>/gradebook.db?mode=ro', uri=True).execute('select * from sqlite_master').fetchall()
except Exception: rows = None
if rows is not None: tell('SUCCEEDED', rows)
readable(['<<folder>>/gradebook.db', '<<folder>>/secret'])
""",
)
spy(
    "C13-own-memory",
    "search its own memory for what the grader holds",
    """
import gc
for thing in gc.get_objects():
    for text in (thing.values() if type(thing) is dict else thing if type(thing) in (list, tuple) else ()):
        if type(text) is str and 'canary' in text and len(text) < 200: tell(text)
""",
)
spy(
    "C14-arguments-of-the-program",
    "read paths off its own start",
    """
import sys
tell(sys.orig_argv, sys.argv, sys.path, sys.flags)
""",
)
spy(
    "C15-whole-memory",
    "search everything that can be reached from the modules for what only the grader may hold",
    """
import sys, types
waiting, seen = list(sys.modules.values()), set()
while waiting:
    thing = waiting.pop()
    if id(thing) in seen: continue
    seen.add(id(thing))
    if isinstance(thing, str):
        at = thing.find(''.join(('can', 'ary_')))
        if at >= 0 and 'def tell(' not in thing: tell('SUCCEEDED', thing[at:at + 40])
    elif isinstance(thing, dict): waiting += [*thing.keys(), *thing.values()]
    elif isinstance(thing, (list, tuple, set, frozenset)): waiting += thing
    elif isinstance(thing, types.CodeType): waiting += [*thing.co_consts, *thing.co_names]
    elif isinstance(thing, types.FunctionType): waiting += [thing.__code__, thing.__globals__, thing.__defaults__, thing.__closure__]
    elif isinstance(thing, types.CellType):
        try: waiting.append(thing.cell_contents)
        except ValueError: pass
    elif not isinstance(thing, type) and type(thing).__module__.startswith(('autograder', 'builtins')):
        waiting.append(getattr(thing, '__dict__', None))
""",
)
spy(
    "C17-all-of-memory",
    "search every byte of a guest's memory, what is free included",
    """
import re, sys
import numpy as np
if sys.platform == 'wasi':
    end = np.zeros(1 << 22, 'u1').__array_interface__['data'][0]
    class Memory: __array_interface__ = {'data': (1024, True), 'shape': (end,), 'typestr': '|u1', 'version': 3}
    found = re.findall(b'[c]anary_[a-z_]{6,}', memoryview(np.asarray(Memory())))
    if found: tell('SUCCEEDED', found)
""",
)
attack(
    "C16-answers-run-before",
    "take what the worker may keep of cells of the teacher's that have run",
    """
    import sys
    def softmax(x): return x
    for name, module in list(sys.modules.items()):
        if name.startswith('autograder'):
            for thing in list(vars(module).values()):
                many = list(thing.items()) if type(thing) is dict else thing
                for entry in (many if type(many) is list else ()):
                    for kept in (entry if type(entry) is tuple else (entry,)):
                        if hasattr(kept, 'softmax'): softmax = kept.softmax
    """,
)
# The argument of a hidden check reaches student code, and must not get from there to the student.
attack("C20-quote-it-later", "quote a hidden check's input in the message of a later visible check", label=STORE,
       count="def count(n):\n    import sys\n    raise ValueError(str(getattr(sys, 'heard', 'nothing so far')))",
       baseline={"count": "def count(n): return n"})  # fmt: skip
attack("C21-quote-it-in-a-later-cell", "quote it when a later cell fails", label=STORE,
       count="import sys\nraise ValueError(str(getattr(sys, 'heard', '')))\ndef count(n): pass",
       baseline={"count": "def count(n): return n"})  # fmt: skip
attack(
    "C22-quote-it-at-once",
    "quote it in the exception",
    label="def label(text): raise ValueError(text)",
)
attack(
    "C23-class-that-cannot-cross",
    "quote it as the name of a class",
    label="""
    def label(text): return type(text, (), {})()
    """,
)
attack(
    "C24-class-named-cannot-cross",
    "raise the engine's own exception with it",
    label="""
    class CannotCross(Exception): pass
    class Undefined(Exception): pass
    class TimeLimit(Exception): pass
    def label(text):
        raise CannotCross(text)
    """,
)
attack(
    "C25-class-named-undefined",
    "raise another one of the engine's",
    label="""
    class Undefined(NameError): pass
    def label(text): raise Undefined(f'{text} is not defined')
    """,
)
attack(
    "C26-no-name-of-that-kind",
    "raise the very exception that the engine raises",
    label="""
    import linecache
    def label(text):
        linecache.cache.clear()
        raise NameError(f'{text} is not defined', 'undefined')
    """,
)
attack(
    "C27-name-of-the-cell",
    "quote it as the name of the cell that failed",
    label="""
    import linecache
    def label(text):
        linecache.cache[f'<{text}>'] = (1, None, ['raise ValueError'], f'<{text}>')
        exec(compile('raise ValueError', f'<{text}>', 'exec'))
    """,
)
attack(
    "C28-line-that-failed",
    "say it as the number of a line",
    label="""
    def label(text):
        number = int(''.join(str(ord(letter)) for letter in text[:4]))
        code = compile('raise ValueError', '<label>', 'exec').replace(co_firstlineno=number % 2 ** 31)
        exec(code)
    """,
)
attack(
    "C29-name-of-an-exception",
    "quote it as the name of an exception class",
    label="""
    def label(text): raise type(text, (Exception,), {'__module__': text, '__qualname__': text})(text)
    """,
)
attack(
    "C30-not-implemented",
    "quote it in what is still to be written",
    label="""
    def label(text): raise type(text, (NotImplementedError,), {})(text)
    """,
)
attack("C31-exit-with-it", "exit with it", label="def label(text): raise SystemExit(text)")
attack(
    "C32-group-of-exceptions",
    "quote it in notes, causes and groups",
    label="""
    def label(text):
        error = ValueError(text)
        error.__notes__ = [text]
        error.filename = error.name = error.msg = text
        raise error from KeyError(text)
    """,
)
attack("C33-wrong-answer", "answer with it where a visible check shows answers", label=STORE.replace(".upper()", ""),
       apply="def apply(function, x):\n    import sys\n    return getattr(sys, 'heard', 'x')")  # fmt: skip

assert INPUT.isidentifier() and len(INPUT) <= 40, (
    "C23 needs a name that is short enough to be shown"
)
