"""What ``make pictures`` runs: the pictures of the README, taken from what ``make demo`` has made.

Omar of the sample class leaves out the shift in softmax. One picture shows what the notebook says
of it at once, one what `watch` says of it on a terminal, one what his page says after grading; the
last is the teacher's page of the whole class.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser
from rich.console import Console
from rich.terminal_theme import MONOKAI

from autograder import confined, student_copy
from autograder.text import short
from autograder.watching import screen
from autograder.watching.screen import View
from demo.__main__ import NAME, ROOT
from tests.support import browser, sample_class
from tests.support.jupyter import Lab, lab, server

PICTURES = ROOT / "docs" / "pictures"
CLASS = ROOT / "build" / "demo"
STUDENT = "omar"
FAILS = "softmax-large_scores"
PASS = ("softmax-by_hand", "softmax-rows_sum_to_one")

WIDTH = 1000
STEP = "softmax"
# On a student's page; what stays is the score, what to do next, and the step that went wrong.
OTHER_PARTS = f"main > h2, .several, .step:not(#step-{STEP})"

COLUMNS = 100
TERMINAL = "body { padding: 16px 20px; width: max-content } pre { margin: 0; font-size: 15px }"
"""How wide a terminal is, and what stands around its text."""

MOST_BYTES = 200_000
"""A page of a repository should open at once."""


def main() -> None:
    """Take every picture anew; stop in one line where something is missing."""
    if browser.program() is None:
        sys.exit("make pictures: no Chromium; run apt-get install chromium")
    PICTURES.mkdir(parents=True, exist_ok=True)

    with browser.chromium() as opened:
        take_page(
            opened,
            CLASS / "feedback" / STUDENT / NAME / f"{NAME}.html",
            "student",
            1160,
            OTHER_PARTS,
        )
        take_page(opened, CLASS / "reports" / f"{NAME}.html", "teacher", 865)
        take_notebook(opened)
        take_watch(opened)

    for path in sorted(PICTURES.glob("*.png")):
        shrink(path)
        size = path.stat().st_size
        print(f"wrote {short(path)}, {size // 1000} kB")
        if size > MOST_BYTES:
            sys.exit(
                f"{short(path)}: more than {MOST_BYTES // 1000} kB; show less in demo/pictures.py"
            )


def shrink(path: Path) -> None:
    """Letters on a ground need few colours, and then a third of the bytes."""
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def take_page(opened: Browser, path: Path, name: str, height: int, without: str = "") -> None:
    page = opened.new_page(viewport={"width": WIDTH, "height": height})
    page.goto(path.as_uri())
    if without:
        page.locator(without).evaluate_all("parts => parts.forEach(part => part.remove())")
    page.screenshot(path=PICTURES / f"{name}.png")
    page.close()


def _handed_in() -> bytes:
    """Omar's notebook."""
    student = next(student for student in sample_class.students() if student.id == STUDENT)
    released = (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
    return student.file(released) or b""


def take_notebook(opened: Browser) -> None:
    """The notebook in JupyterLab, where "Run All" has met a check that fails, and gone on."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        (home / f"{NAME}.ipynb").write_bytes(_handed_in())
        command = ["jupyter", "lab", "--allow-root"]
        with (
            server(command, home, Path(folder, "jupyter.log")) as address,
            lab(opened, address.replace("/lab?", f"/lab/tree/{NAME}.ipynb?"), STUDENT) as shown,
        ):
            run_all(shown)
            shown.page.screenshot(path=PICTURES / "notebook.png")


def take_watch(opened: Browser) -> None:
    """What a terminal of 100 columns shows while he watches his notebook, and has asked for the
    hint."""
    copy = student_copy.read(_handed_in(), f"{NAME}.ipynb")
    terminal = Console(
        file=io.StringIO(), record=True, width=COLUMNS, force_terminal=True, highlight=False,
        markup=False, emoji=False, soft_wrap=True,
    )  # fmt: skip
    screen.frame(terminal, View(copy, confined.checked(copy)[0], shows_hint=True))

    page = opened.new_page(viewport={"width": WIDTH, "height": 400})
    page.set_content(terminal.export_html(theme=MONOKAI, inline_styles=True))
    page.add_style_tag(content=TERMINAL)
    page.locator("body").screenshot(path=PICTURES / "watch.png")
    page.close()


def run_all(shown: Lab) -> None:
    """Run the notebook, and show the step whose check fails from the heading on."""
    shown.page.set_viewport_size({"width": WIDTH, "height": 1330})
    shown.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    shown.page.keyboard.press("Control+b")  # the list of files goes
    shown.menu("Run", "Run All Cells")

    shown.output(f'check("{FAILS}")').get_by_text("Think about this").first.wait_for()
    for passed in PASS:
        shown.cell(f'check("{passed}")').locator(".jp-InputCollapser").click()
    heading = shown.page.get_by_role("heading", name=f"From scores to weights: {STEP}")
    # What comes into view is drawn only then and changes its height, so the page moves once more.
    for _ in range(3):
        heading.evaluate("heading => heading.scrollIntoView({block: 'start'})")
        shown.page.wait_for_timeout(1000)


if __name__ == "__main__":
    main()
