"""D: what stays. Files, processes, state in the parent: nothing may be there for the next student,
or for the teacher."""

from tests.support.attacks.attack import MARK, attack, read

read("persistence")

PLACES = f"""
PLACES = ['/tmp/{MARK}', '/var/tmp/{MARK}', '/dev/shm/{MARK}', '{MARK}', '<<folder>>/{MARK}', '/{MARK}', '/dev/{MARK}',
          '/py/{MARK}', '/rt/{MARK}', '/job/{MARK}', '/etc/cron.d/{MARK}', '/usr/lib/{MARK}']
"""

attack(
    "D02-detached-process",
    "leave a process that does it later",
    f"""
    import subprocess, sys
    def softmax(x):
        for program in (sys.executable, '/usr/bin/python3', '/bin/sh', '/py/bin/python3'):
            try: subprocess.Popen([program, '-c', 'import time; time.sleep(600)', '{MARK}'], start_new_session=True)
            except Exception: continue
            raise ValueError('SUCCEEDED')
        return x
    """,
)
attack(
    "D06-startup-files",
    "leave files that somebody will run",
    f"""{PLACES}
import os, site
def softmax(x):
    for path in PLACES + [os.path.expanduser('~/.bashrc-{MARK}'), os.path.dirname(os.__file__) + '/{MARK}.py']:
        try: open(path, 'a').write('x')
        except OSError: continue
        raise ValueError('SUCCEEDED ' + path)
    return x
""",
)
attack(
    "D09-other-kinds-of-files",
    "leave links, pipes, folders and sockets",
    f"""{PLACES}
import os
def softmax(x):
    for path in PLACES:
        for make in (os.mkdir, os.mkfifo, lambda p: os.symlink('/etc/passwd', p), lambda p: os.link('/usr/lib/os-release', p),
                     lambda p: os.rename('<<folder>>/canary.txt', p), lambda p: os.chmod('<<folder>>', 0o777),
                     lambda p: os.utime('<<folder>>/canary.txt'), lambda p: os.unlink('<<folder>>/canary.txt'),
                     lambda p: os.truncate('<<folder>>/canary.txt', 0)):
            try: make(path)
            except OSError: continue
            raise ValueError('SUCCEEDED ' + path)
    return x
""",
)
