"""What the formgrader shows of an autograded notebook."""

from pathlib import Path

from nbconvert.exporters import HTMLExporter
from traitlets.config import Config

TEXTS = (
    "assignment_id",
    "notebook_id",
    "submission_id",
    "base_url",
    "student",
    "last_name",
    "first_name",
    "notebook_path",
    "mathjax_url",
)


def view(path: Path) -> str:
    """The page on which a person grades a notebook."""
    import nbgrader.server_extensions.formgrader.handlers as handlers

    config = Config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    # As autograder/nbgrader/course_config.py has it.
    config.HTMLExporter.filters = {"markdown2html": "autograder.nbgrader.formgrader.shown_markdown"}
    about = {**dict.fromkeys(TEXTS, "x"), "index": 0, "total": 1}
    html, _ = HTMLExporter(config=config).from_filename(str(path), resources=about)
    return str(html)
