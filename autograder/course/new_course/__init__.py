"""What ``autograder new-course`` writes: a private folder for a course, ready for git."""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path

from autograder.base import files, settings
from autograder.base.errors import Unusable
from autograder.base.text import count, short
from autograder.course.course import STATE, Course
from autograder.course.new_course import copies

CONFIG = "nbgrader_config.py"


def make(folder: Path, old: Path | None = None, name: str = "") -> list[str]:
    """Make the folder of a new course; what was done, in lines.

    Args:
        old: the folder of an earlier course, of which exercises and settings are taken, and nothing
            of its people; without it, the kit's exercises are.
        name: what people call the course; by default, what they call its folder.

    Raises:
        Unusable: something is there already, or the old folder is no course.
    """
    folder = folder.absolute()
    name = name.strip() or folder.name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Unusable(folder, "is there already", "choose a new or empty folder")
    if old is not None and not (old / "solutions").is_dir():
        raise Unusable(old, "no folder solutions/ in it", "give the folder of a course")
    if old is not None:
        copies.insist(old)
    text, lines = (_text("settings"), []) if old is None else _old_settings(old)

    # Students see it in JupyterLab. Courses may have the same name, in one exchange, too.
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "course"
    id = f"{readable}-{secrets.token_hex(4)}"
    texts = {
        ".gitignore": _text("gitignore"),
        "README.md": _text("README").replace("TITLE", name),
        settings.NAME: text,
        CONFIG: _text("nbgrader_config").replace("COURSE_ID", id),
    }
    # The hidden checks in it, and what students will hand in, are for nobody else on this machine.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for file, content in texts.items():
        files.write(folder / file, content.encode())
    names = copies.take_all(folder) if old is None else copies.take_from(old, folder)
    if old is not None and _is_changed(old / CONFIG):
        lines.append(f"note: {short(old / CONFIG)} has lines of your own; copy what is still right")

    (folder / STATE).mkdir(mode=0o700)
    Course(folder, folder / STATE).secret()
    has_git = False
    if shutil.which("git") is not None:
        command = ["git", "init", "--quiet", str(folder)]
        has_git = not subprocess.run(command, check=False, capture_output=True).returncode

    made = f"made {short(folder)}, with {count(len(names), 'exercise')}"
    lines.insert(0, f"{made}: {', '.join(names)}" if names else f"{made}; autograder new makes one")
    lines.append(f"next: cd {short(folder)}, then autograder release EXERCISE")
    if has_git:
        lines.append("git keeps everything except course/, which holds the class and the secret")
        lines.append("to keep it as it is now: git add --all, then git commit -m 'A new course'")
    return lines


def _text(name: str) -> str:
    return (resources.files(__name__) / f"{name}.txt").read_text(encoding="utf-8")


def _old_settings(old: Path) -> tuple[str, list[str]]:
    """The text of the settings for a new course, and what a teacher should know of it.

    The due dates of last year would make everybody late: they are kept as comments.
    """
    paths = [path for path in (old / settings.NAME, old / STATE / settings.NAME) if path.is_file()]
    settings.read(*paths)
    if not paths:
        return "", []

    lines = []
    for path in paths[1:]:
        lines.append(f"note: {short(path)} belongs to that class, and was not copied")
    text = _without_due(paths[0].read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, settings.NAME)
        place.write_text(text, encoding="utf-8")
        if settings.read(place).due:
            lines.append(f"note: {settings.NAME} still has due dates of the old course")
    return text, lines


def _without_due(text: str) -> str:
    """The text with each due date as a comment."""
    kept = []
    table = ""
    for line in text.splitlines():
        heading = re.match(r"\s*\[\s*([\w.-]+)\s*\]", line)
        table = heading[1] if heading else table
        is_due = bool(re.match(r"\s*due\s*[.=]", line)) if not table else table == "due"
        is_said = bool(line.strip()) and not line.lstrip().startswith("#")
        kept.append(f"# {line}" if is_due and is_said else line)
    return "\n".join(kept) + "\n"


def _is_changed(config: Path) -> bool:
    """Whether a teacher has written into the configuration of nbgrader."""
    if not config.is_file():
        return False
    text = re.sub(r'course_id = "[^"]*"', 'course_id = "COURSE_ID"', config.read_text("utf-8"))
    kit = copies.kit()
    own = (kit / CONFIG).read_text("utf-8") if kit and (kit / CONFIG).is_file() else None
    return text not in (_text("nbgrader_config"), own)


__all__ = [
    "copies",
]
