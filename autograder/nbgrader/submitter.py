"""nbgrader's submit, where students and the course have accounts of their own on one machine."""

from __future__ import annotations

import pwd
import stat
from pathlib import Path

from nbgrader.exchange.default import ExchangeSubmit  # type: ignore[import-untyped]


class Submitter(ExchangeSubmit):  # type: ignore[misc]
    """``nbgrader submit`` and the button of JupyterLab: the course alone may read what it gets.

    nbgrader lets everybody read and change it, and gives it a name that nobody can guess. Here
    who learns the name can do nothing with it either.
    """

    def copy_files(self) -> None:
        super().copy_files()
        folder = Path(self.inbound_path, self.assignment_filename)
        course = pwd.getpwuid(Path(self.inbound_path).stat().st_uid)
        about = folder.stat()
        if about.st_gid == course.pw_gid:
            # What lies in it may have another group, and stays open: this is the only way there.
            folder.chmod(stat.S_IMODE(about.st_mode) & ~0o007)
        else:
            # A file system without groups, say. The course could not read it either.
            self.log.warning(
                "%s: its group is not that of %s; it stays open", folder, course.pw_name
            )
