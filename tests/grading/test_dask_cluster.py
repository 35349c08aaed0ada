"""A class graded on a Dask cluster: a scheduler and workers as they are started on other machines,
here on this one."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from autograder.course.course import Course
from autograder.course.grading import dask_cluster
from autograder.course.grading.pool import ClusterLost, Task
from autograder.exercises import exercise
from tests.support import processes
from tests.support.courses import NAME, ROOT
from tests.support.processes import call, finished, run, start, until
from tests.support.slow_class import everything, grade_here, hand_in, results, stored


class Cluster:
    """The address of a scheduler; the processes of scheduler and workers."""

    def __init__(
        self, address: str, scheduler: subprocess.Popen[bytes], workers: subprocess.Popen[bytes]
    ) -> None:
        self.address = address
        self.scheduler = scheduler
        self._workers = workers

    def workers(self) -> list[int]:
        """The Dask workers, without the nannies that start them again."""
        return [
            child
            for child in processes.below(self._workers.pid)
            if "spawn_main" in processes.command(child)
        ]


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[Cluster]:
    """A cluster; ``settings`` are dask's, as it reads them from the environment."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            _dask(
                folder,
                settings,
                "scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                address.rpartition(":")[2],
            )
        )
        workers = stack.enter_context(
            _dask(
                folder,
                settings,
                "worker",
                address,
                "--host",
                "127.0.0.1",
                "--nworkers",
                "2",
                "--nthreads",
                "1",
            )
        )
        found = Cluster(address, scheduler, workers)
        # A command waits for so many seconds only, and on a busy machine they take longer to start.
        until(lambda: _listens(address) and len(found.workers()) == 2, "a cluster")
        yield found


def _listens(address: str) -> bool:
    host, port = address.removeprefix("tcp://").split(":")
    with socket.socket() as caller:
        return caller.connect_ex((host, int(port))) == 0


@contextmanager
def _dask(
    folder: Path, settings: dict[str, str], *arguments: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A command of dask, somewhere where no course lies."""
    where = folder / arguments[0]
    where.mkdir()
    command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DASK_TEMPORARY_DIRECTORY": str(where),
        **settings,
    }
    with (where / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        family = [process.pid, *processes.below(process.pid)]
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            for member in family:
                os.kill(member, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of a mistake."""
    assert done.returncode == 2, done
    said, *more = done.stderr.splitlines()
    assert not more, done.stderr
    assert said.startswith("autograder: ") and ";" in said
    return said


def anew(course: Course) -> None:
    """Forget all grades."""
    for path in (course.results, course.autograded):
        shutil.rmtree(path)
    course.gradebook.unlink()


@pytest.mark.everything
def test_a_cluster_gives_the_same_as_this_machine(course, cluster):
    hand_in(course, 4)
    grade_here(course)
    wanted = everything(course)
    assert len(results(course)) == 4

    anew(course)
    done = run("grade", NAME, "--scheduler", cluster.address, cwd=course.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert everything(course) == wanted


@pytest.mark.everything
def test_a_worker_that_is_killed_changes_nothing(course, cluster):
    hand_in(course, 8, seconds=0.1)
    finished("grade", NAME, cwd=course.root)
    wanted = everything(course)

    anew(course)
    with start("grade", NAME, "--scheduler", cluster.address, cwd=course.root) as process:
        until(lambda: len(stored(course)) >= 2, "two results")
        victim = cluster.workers()[0]
        graders = processes.graders(victim)
        os.kill(victim, signal.SIGKILL)
        _, err = process.communicate(timeout=processes.SECONDS)
    assert (process.returncode, err) == (0, "")
    assert everything(course) == wanted
    assert graders
    until(
        lambda: not any(map(processes.command, graders)),
        "the graders of the killed worker have ended",
    )
    until(
        lambda: (
            not [grader for worker in cluster.workers() for grader in processes.graders(worker)]
        ),
        "all graders have ended",
    )


@pytest.mark.everything
def test_a_submission_that_dask_gives_up_is_graded_after_the_others(course, tmp_path):
    hand_in(course, 6, seconds=0.2)
    # Dask gives a submission up, and what waited behind it, after the first death of a worker.
    with (
        running(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as cluster,
        start("grade", NAME, "--scheduler", cluster.address, cwd=course.root) as process,
    ):
        until(lambda: stored(course), "a result")
        os.kill(cluster.workers()[0], signal.SIGKILL)
        _, err = process.communicate(timeout=processes.SECONDS)
    assert (process.returncode, err) == (0, "")
    assert {name: (result.status, result.score) for name, result in results(course).items()} == {
        "s00": ("graded", 10), "s01": ("graded", 7), "s02": ("graded", 10),
        "s03": ("graded", 10), "s04": ("graded", 7), "s05": ("rejected", None),
    }  # fmt: skip


@pytest.mark.everything
def test_a_run_on_a_cluster_can_be_stopped(course, cluster):
    hand_in(course, 12, seconds=0.3)
    with start("grade", NAME, "--scheduler", cluster.address, cwd=course.root) as process:
        until(lambda: len(stored(course)) >= 2, "two results")
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=processes.SECONDS)
    assert process.returncode == 130
    assert err.splitlines() == [
        "autograder: stopped; what was graded is kept; run the same command again to go on"
    ]


@pytest.mark.everything
def test_another_version_on_the_cluster_gets_one_line(course, cluster, tmp_path):
    hand_in(course, 2)
    shutil.copytree(ROOT / "autograder", tmp_path / "autograder")
    init = tmp_path / "autograder" / "__init__.py"
    init.write_text(init.read_text() + '\n__version__ = "0.9"\n')
    with start(
        "grade", NAME, "--scheduler", cluster.address, cwd=course.root, PYTHONPATH=str(tmp_path)
    ) as process:
        out, err = process.communicate(timeout=processes.SECONDS)
    assert "not 0.9" in line(subprocess.CompletedProcess([], process.returncode, out, err))
    assert not stored(course)


IMPATIENT = """
import sys
from autograder import cli
from autograder.course.grading import dask_cluster
dask_cluster.CONNECT_SECONDS = 1
cli.main(sys.argv[1:])
"""
"""The command, which waits less for a scheduler that never answers."""


@pytest.mark.parametrize(
    "address",
    ["tcp://127.0.0.1:9", pytest.param("nonsense://x", marks=pytest.mark.everything)],
)
def test_a_scheduler_that_is_not_there_gets_one_line(course, address):
    hand_in(course, 2)
    # A process of its own, for Dask may say more when it ends.
    command = [sys.executable, "-c", IMPATIENT, "grade", NAME, "--scheduler", address]
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
    assert address in line(done)


def test_without_dask_the_line_says_how_to_install_it(course, monkeypatch):
    hand_in(course, 2)
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = call("grade", NAME, "--scheduler", "tcp://x:1", cwd=course.root)
    assert 'pip install "autograder-kit[cluster]"' in line(done)


@pytest.mark.everything
def test_a_client_that_has_given_up_is_closed_all_the_same(course, cluster):
    """It gives up when it likes, perhaps between two lines of ours."""
    known = exercise.load(course.root, NAME)
    pool = dask_cluster.Cluster(cluster.address, known, b"secret", course.settings)
    pool._client.close()
    pool.close()
    with pytest.raises(ClusterLost):
        pool.submit(Task("ada", b"{}"))


@pytest.mark.everything
def test_a_scheduler_that_goes_away_gets_one_line_and_what_was_graded_is_kept(course, cluster):
    """The last test: it costs the others their cluster."""
    hand_in(course, 12, seconds=0.3)
    with start("grade", NAME, "--scheduler", cluster.address, cwd=course.root) as process:
        until(lambda: len(stored(course)) >= 2, "two results")
        cluster.scheduler.kill()
        out, err = process.communicate(timeout=processes.SECONDS)
        assert "go on" in line(subprocess.CompletedProcess([], process.returncode, out, err))
    finished("grade", NAME, cwd=course.root)
    assert len(results(course)) == 12
