# %% C01-file-of-the-teacher: read a file whose place is known
readable(['<<folder>>/canary.txt'])

# %% C02-print-each-cell: print what runs
get_ipython().events.register('pre_run_cell', lambda info: print(info.raw_cell))
import linecache
if any('softmax_by' + '_definition' in ''.join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2): tell('SUCCEEDED')

# %% C03-course-folder: list the folders where courses lie
import os
for place in ('<<folder>>', '/home', '/root', '/srv', '/tmp', os.path.expanduser('~'), '/etc', '/course'):
    try: names = os.listdir(place)
    except OSError: continue
    if place != '/' or 'home' in names: tell('SUCCEEDED', place, names)

# %% C04-import-the-grader: import what the teacher has installed
import importlib, pkgutil
for name in ('autograder.grader.grader', 'autograder.engine.run', 'nbgrader', 'typer', 'rich', 'pip', 'toy', 'attacks.target', 'solution'):
    try: importlib.import_module(name)
    except Exception: continue
    tell('SUCCEEDED', name)
for module in pkgutil.iter_modules():
    if any(word in module.name for word in ('solution', 'reference', 'grader', 'exercise')): tell('SUCCEEDED', module)

# %% C05-processes: read environment and command line of every process
import os
try: names = os.listdir('/proc')
except OSError: names = ['1', 'self', str(os.getppid())]
readable([f'/proc/{name}/{what}' for name in names for what in ('environ', 'cmdline', 'maps', 'status')])

# %% C06-open-descriptors: read from what was left open
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

# %% C07-process-memory: read the memory of the parent
import os
readable([f'/proc/{os.getppid()}/mem', '/proc/self/mem', '/dev/mem', '/proc/kcore'])

# %% C08-caches-and-backups: find compiled and saved copies of the exercise
import glob
for pattern in ('<<folder>>/**/*', '/home/**/.ipynb_checkpoints/*', '/job/**/*.ipynb', '/**/target*'):
    for found in glob.iglob(pattern, recursive=True): tell('SUCCEEDED', found)

# %% C09-environment: read the grader's environment
import ctypes, os
names = {k: v for k, v in os.environ.items() if 'THREADS' not in k}
try:
    ctypes.CDLL(None).getenv.restype = ctypes.c_char_p
    for name in (b'TEACHER_TOKEN', b'AUTOGRADER_SECRET', b'HOME'):
        if ctypes.CDLL(None).getenv(name): names[name] = ctypes.CDLL(None).getenv(name)
except OSError: pass  # a Python without foreign functions
if names: tell('SUCCEEDED', names)

# %% C10-who-am-i: be root
import os
if 0 in (os.getuid(), os.geteuid(), os.getgid(), os.getegid()): tell('SUCCEEDED root')

# %% C11-other-submissions: read what others have handed in
import glob
readable(glob.glob('<<folder>>/submitted/*/*/*') + ['<<folder>>/submitted/bob/target/target.ipynb'])

# %% C12-gradebook: read the gradebook
try:
    import sqlite3
    rows = sqlite3.connect('file:<<folder>>/gradebook.db?mode=ro', uri=True).execute('select * from sqlite_master').fetchall()
except Exception: rows = None
if rows is not None: tell('SUCCEEDED', rows)
readable(['<<folder>>/gradebook.db', '<<folder>>/secret'])

# %% C13-own-memory: search its own memory for what the grader holds
import gc
for thing in gc.get_objects():
    for text in (thing.values() if type(thing) is dict else thing if type(thing) in (list, tuple) else ()):
        if type(text) is str and 'canary' in text and len(text) < 200: tell(text)

# %% C14-arguments-of-the-program: read paths off its own start
import sys
tell(sys.orig_argv, sys.argv, sys.path, sys.flags)

# %% C15-whole-memory: search everything that can be reached from the modules for what only the grader may hold
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

# %% C17-all-of-memory: search every byte of a guest's memory, what is free included
import re, sys
import numpy as np
if sys.platform == 'wasi':
    end = np.zeros(1 << 22, 'u1').__array_interface__['data'][0]
    class Memory: __array_interface__ = {'data': (1024, True), 'shape': (end,), 'typestr': '|u1', 'version': 3}
    found = re.findall(b'[c]anary_[a-z_]{6,}', memoryview(np.asarray(Memory())))
    if found: tell('SUCCEEDED', found)
