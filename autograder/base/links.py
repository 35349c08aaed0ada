"""Links that start an exercise in a browser: badges in what is handed out."""

from __future__ import annotations

import re
from urllib.parse import quote

from autograder.base.settings import REPOSITORY, Settings

SITE = "Open in the browser"
"""The words of the badge that leads to the course's site."""

_BADGES = {
    "Open in Colab": "https://colab.research.google.com/assets/colab-badge.svg",
    "Open in GitHub Codespaces": "https://github.com/codespaces/badge.svg",
    SITE: "https://jupyterlite.rtfd.io/en/latest/_static/badge.svg",
}
"""The words of each badge, for people who cannot see it, and where its picture is."""

_SHOWN = re.compile(r"\A\[!\[Open in [^\n]*\]\([^\n]*\)\n\n")


def addresses(settings: Settings, exercise: str) -> dict[str, str]:
    """Where each badge leads, by its words; nothing where the settings name no place.

    The repository has its notebooks at its top, or in the folder that its address ends with.
    """
    name = quote(exercise)
    places = []
    repository = re.fullmatch(REPOSITORY, settings.links_repository)
    if repository is not None:
        owner, project = repository["owner"], repository["project"]
        branch, folder = repository["branch"], repository["folder"] or ""
        tree = f"{branch or 'main'}/{folder}/".replace("//", "/")
        on_branch = f"/tree/{branch}" if branch else ""
        places = [
            f"https://colab.research.google.com/github/{owner}/{project}/blob/{tree}{name}.ipynb",
            f"https://codespaces.new/{owner}/{project}{on_branch}?quickstart=1",
        ]

    words = list(_BADGES)
    found = dict(zip(words[:2], places))
    if settings.links_site:
        found[SITE] = f"{settings.links_site.rstrip('/')}/lab/index.html?path={name}.ipynb"
    return found


def badges(settings: Settings, exercise: str) -> str:
    """The badges in a line of Markdown; empty where the settings name no place."""
    shown = []
    for words, address in addresses(settings, exercise).items():
        shown.append(f"[![{words}]({_BADGES[words]})]({address})")
    return " ".join(shown)


def without_badges(text: str) -> str:
    """The first text of a release, as it is built."""
    return _SHOWN.sub("", text)


def readme(settings: Settings, exercise: str, title: str) -> str:
    """What a repository says of a notebook in it; empty where the settings name no place."""
    line = badges(settings, exercise)
    if not line:
        return ""
    return (
        f"# {title}\n\n{line}\n\n"
        f"Open `{exercise}.ipynb` with one of these links, or in JupyterLab or VS Code on your own "
        "machine. Run its cells from top to bottom.\n\n"
        "Save your work before you close the page: in Colab with *File*, *Save a copy in Drive*; "
        "in Codespaces by committing it; in the browser with *File*, *Download*.\n"
    )
