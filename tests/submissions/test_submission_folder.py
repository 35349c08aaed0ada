"""The folder of submissions: which bytes lie there, read for a whole class at once."""

import hashlib
import os

from autograder.course import submission_folder
from autograder.course.course import Course

NAME = "attention"


def test_a_file_changed_under_its_old_size_and_time_has_another_digest(tmp_path):
    course = Course(tmp_path, tmp_path / "course")
    students = ["ada", "ben", "cyd", "dan"]
    for student in students[:3]:
        place = course.submission(student, NAME)
        place.mkdir(parents=True)
        (place / f"{NAME}.ipynb").write_bytes(student.encode())
    before = submission_folder.digests(course, NAME, students)

    path = course.submission("ben", NAME) / f"{NAME}.ipynb"
    was = path.stat()
    path.write_bytes(b"Ben")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    after = submission_folder.digests(course, NAME, students)

    assert list(before) == students
    assert before["dan"] is None
    assert after == {one: submission_folder.digest(course, NAME, one) for one in students}
    assert after == {**before, "ben": hashlib.sha256(b"Ben").hexdigest()}
