"""Grader processes: who starts them, and who ends them."""

from threading import Thread

import pytest

from autograder.course.grading import pool
from autograder.course.grading.pool import GraderDied, Graders, Task
from tests.support import toy


def test_a_process_that_dies_while_all_are_ended_is_ended_once(monkeypatch):
    exercise = toy.exercise("assert f() == 1")
    task = Task("ada", toy.submission(exercise, f="def f():\n    while True:\n        pass"))
    graders = Graders(exercise, b"key", toy.PATIENT)
    asking: list[Thread] = []
    ended: list[object] = []

    def grade() -> None:
        with pytest.raises(GraderDied):
            graders.grade(task)

    class Dying(pool._GraderProcess):
        def wait(self) -> None:
            ended.append(self)
            # Whoever waits for its answer notices now, and would end it, too.
            for thread in asking:
                thread.join(30)
            super().wait()

    monkeypatch.setattr(pool, "_GraderProcess", Dying)
    graders.warm()
    asking.append(Thread(target=grade))
    asking[0].start()
    graders.close()
    assert len(ended) == 1 and not asking[0].is_alive()
