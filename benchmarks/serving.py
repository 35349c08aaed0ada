"""Whether everybody has their page soon after they hand in.

``python -m benchmarks.serving``. Accounts hand in within a minute, half of them through nbgrader's
exchange and half into the inbox, while ``autograder serve`` runs, and is killed as often as wanted.
One of them may hand in hundreds of times, and one a notebook that never ends. Says after how many
seconds the pages were there, whether somebody was lost or graded twice, and what a round costs in
which nothing has come, in a course where that many students have submissions to all exercises.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from pathlib import Path

from autograder.authoring.proving import sample
from autograder.base import files
from autograder.course.course import Course
from autograder.course.results import result_path
from autograder.exercises import exercise
from autograder.nbgrader import exchange

ROOT = Path(__file__).resolve().parents[1]
NAME = "attention"
END_SECONDS = 900.0
"""After so long whoever has no page is lost."""


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0, help="in which all hand in")
    parser.add_argument("--kills", type=int, default=0, help="with signal 9, at random moments")
    parser.add_argument("--flood", type=int, default=0, help="files of one more student")
    parser.add_argument("--endless", action="store_true", help="one more, who never ends")
    parser.add_argument("--known", type=int, default=0, help="students graded before, in all")
    parser.add_argument("--idle", type=float, default=30.0, help="seconds to look at idling")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="serving-") as folder:
        _measure(Course(ROOT, Path(folder) / "course"), arguments)


def _measure(course: Course, arguments: Namespace) -> None:
    accounts, seconds, kills, idle = (
        getattr(arguments, name) for name in ("accounts", "seconds", "kills", "idle")
    )
    names = exercise.built_names(course.root)
    draw = random.Random(1)
    folder = course.state.parent / "sample"
    sample.write_class(course.root, exercise.load(course.root, NAME), folder)
    texts = [path.read_bytes() for path in sorted(folder.rglob(f"{NAME}.ipynb"))]
    exchange.inbound(course).mkdir(parents=True)

    os.environ["AUTOGRADER_COURSE"] = str(course.state)
    _fill(course, names, arguments.known)
    served = _start(course, names)
    time.sleep(10 + arguments.known / 50)  # until it serves
    began = time.monotonic()
    if arguments.endless:
        _hand_in(course, "endless", _endless(texts[0]), True)
    flood = sorted(draw.uniform(0, seconds) for _ in range(arguments.flood))
    due = sorted(draw.uniform(0, seconds) for _ in range(accounts))
    moments = sorted(draw.uniform(0, seconds) for _ in range(kills))
    came: dict[str, float] = {}
    took: dict[str, float] = {}
    while len(took) < accounts and time.monotonic() - began < END_SECONDS:
        now = time.monotonic() - began
        while due and due[0] <= now:
            student = f"s{len(came):03}"
            data = json.dumps({**json.loads(draw.choice(texts)), "n": len(came)}).encode()
            came[student] = due.pop(0)
            _hand_in(course, student, data, through_exchange=len(came) % 2 == 0)
        if moments and moments[0] <= now:
            moments.pop(0)
            served.kill()
            served.wait()
            served = _start(course, names)
        if flood and flood[0] <= now:
            flood.pop(0)
            data = json.dumps({**json.loads(texts[0]), "n": len(flood)}).encode()
            _hand_in(course, "flood", data, True, len(flood))
        for student in came.keys() - took.keys():
            if (course.feedback_of(student, NAME) / f"{NAME}.html").exists():
                took[student] = time.monotonic() - began - came[student]
        time.sleep(0.05)

    waits = sorted(took.values())
    print(f"{len(waits)} of {accounts} have their page; lost: {accounts - len(waits)}")
    for share in (0.5, 0.95, 1.0):
        print(f"{share:.0%} within {waits[max(int(len(waits) * share) - 1, 0)]:.1f} s")
    print(f"graded twice: {_twice(course)}")
    missing = [student for student in came if not result_path(course, NAME, student).exists()]
    print(f"without a result: {len(missing)}")

    before, size = _cpu(served.pid), _written(course)
    time.sleep(idle)
    print(f"idle: {(_cpu(served.pid) - before) / idle:.3f} s of CPU in a round of a second")
    print(f"written while idle: {_written(course) - size} bytes")
    served.terminate()
    print(f"ended by a signal with {served.wait()}")


def _fill(course: Course, names: list[str], students: int) -> None:
    """Give students a solved submission to every exercise, and the result that it has."""
    for name in names if students else ():
        solved = (course.root / "solutions" / name / f"{name}.ipynb").read_bytes()
        stored = json.dumps({"submission_sha256": hashlib.sha256(solved).hexdigest()})
        for number in range(students):
            student = f"k{number:04}"
            _hand_in(course, student, solved, True, name=name)
            files.write(course.submission(student, name) / f"{name}.ipynb", solved)
            files.write(result_path(course, name, student), stored.encode())


def _endless(data: bytes) -> bytes:
    """A submission in which every function runs for ever."""
    notebook = json.loads(data)
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if source.startswith("def "):
            heading, _, _ = source.partition("):\n")
            cell["source"] = f"{heading}):\n    while True:\n        pass\n"
    return json.dumps(notebook).encode()


def _start(course: Course, names: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "autograder", "serve", *names]
    environment = {**os.environ, "AUTOGRADER_COURSE": str(course.state)}
    # As in make: without this each start after a kill compiles all modules again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return subprocess.Popen(
        command, cwd=course.root, env=environment, stdout=subprocess.DEVNULL, stderr=None
    )


def _hand_in(
    course: Course,
    student: str,
    data: bytes,
    through_exchange: bool,
    number: int = 0,
    name: str = NAME,
) -> None:
    if not through_exchange:
        folder = course.inbox / student
        folder.mkdir(parents=True)
        (folder / f"{name}.ipynb").write_bytes(data)
        return
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    folder = exchange.inbound(course) / f"{student}+{name}+{stamp}.{number:06} UTC+0"
    folder.mkdir()
    (folder / f"{name}.ipynb").write_bytes(data)
    (folder / "submission_secret.txt").write_text(os.urandom(32).hex())


def _twice(course: Course) -> int:
    """Students whose score was recorded more than once, by the log."""
    counted: Counter[str] = Counter()
    for line in (course.state / "log.jsonl").read_bytes().splitlines():
        counted.update(one["student"] for one in json.loads(line).get("final", ()))
    return sum(number > 1 for student, number in counted.items() if student != "flood")


def _cpu(process: int) -> float:
    """Seconds of the process itself; its graders wait."""
    stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def _written(course: Course) -> int:
    return sum(path.stat().st_size for path in course.state.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
