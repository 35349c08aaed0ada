"""What ``make pictures`` runs: the pictures of the README, taken from what ``make demo`` has made.

Omar of the sample class leaves out the shift in softmax. The pictures show what the notebook says
of it at once, what `watch` says of it on a terminal, what his page says after grading, and the
teacher's page of the whole class.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser
from rich.console import Console
from rich.terminal_theme import MONOKAI

from autograder.base.text import short
from autograder.checking import confined, screen, student_copy
from autograder.checking.screen import View
from demo.__main__ import NAME
from demo.stage import ROOT
from tests.support import browser, sample_class
from tests.support.jupyter import Lab, lab, server

PICTURES = ROOT / "docs" / "pictures"
CLASS = ROOT / "build" / "demo"
STUDENT = "omar"

WIDTH = 1000
PHONE = 390
STEP = "softmax"
# On a student's page; what stays is the score, what to do next, and the step that went wrong.
OTHER_PARTS = f"main > h2, .several, .step:not(#step-{STEP})"
PAGES = {
    "student": (f"feedback/{STUDENT}/{NAME}/{NAME}.html", OTHER_PARTS, {WIDTH: 1160, PHONE: 1420}),
    "teacher": (f"reports/{NAME}.html", "", {WIDTH: 865, PHONE: 1180}),
}
"""Each page: its path, what is left out of it, and how much of it is seen at each width."""

WRONG_MASK = "def causal_mask(n, m=None):\n    return np.tri(n, m or n, dtype=bool)"
UNWRITTEN = "multi_head_attention"
"""The notebook's other mistakes: beside the one of the student, a mask and a step left out."""

PASS = ("softmax-by_hand", "softmax-rows_sum_to_one")
PARTS = {
    "notebook-summary": ("tools.summary()", 400, 110),
    "notebook-stub": (f'check("{UNWRITTEN}-by_hand")', 900, 290),
    "notebook-mask": ('check("causal_mask-new_tokens")', 620, 60),
    "notebook": ('check("softmax-large_scores")', 1330, 560),
}
"""Parts of the notebook: in the cell that is shown, how much is seen, how much above the cell."""

SCROLL = """(cell, above) => {
    cell.scrollIntoView({block: "start"});
    cell.closest(".jp-WindowedPanel-outer").scrollBy(0, -above);
}"""

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
        for name in PAGES:
            take_page(opened, name)
        take_notebook(opened)
        take_watch(opened)

    total = 0
    for path in sorted(PICTURES.glob("*.png")):
        shrink(path)
        size = path.stat().st_size
        total += size
        print(f"wrote {short(path)}, {size // 1000} kB")
        if size > MOST_BYTES:
            sys.exit(
                f"{short(path)}: more than {MOST_BYTES // 1000} kB; show less in demo/pictures.py"
            )
    print(f"{total // 1000} kB in all")


def shrink(path: Path) -> None:
    """Letters on a ground need few colours, and then a third of the bytes."""
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def take_page(opened: Browser, name: str) -> None:
    """A page on a desk and on a phone, in the light and in the dark."""
    place, without, sizes = PAGES[name]
    looks: tuple[tuple[Literal["light", "dark"], str], ...] = (("light", ""), ("dark", "-dark"))
    for width, height in sizes.items():
        for scheme, ending in looks:
            page = opened.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto((CLASS / place).as_uri())
            if without:
                parts = page.locator(without)
                parts.evaluate_all("parts => parts.forEach(part => part.remove())")
            device = "-phone" if width == PHONE else ""
            page.screenshot(path=PICTURES / f"{name}{device}{ending}.png")
            page.close()


def _handed_in() -> bytes:
    """The student's notebook."""
    student = next(student for student in sample_class.students() if student.id == STUDENT)
    released = _released()
    return student.file(released) or b""


def _released() -> bytes:
    return (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()


def _with_three_mistakes() -> bytes:
    """The student's notebook with a mask that is wrong and a step that is not written, too."""
    unwritten = next(cell for cell in json.loads(_released())["cells"] if cell["id"] == UNWRITTEN)
    answers = {"causal_mask": WRONG_MASK, UNWRITTEN: unwritten["source"]}
    notebook = json.loads(_handed_in())
    for cell in notebook["cells"]:
        cell["source"] = answers.get(cell["id"], cell["source"])
    return json.dumps(notebook).encode()


def take_notebook(opened: Browser) -> None:
    """The notebook in JupyterLab: its top; then "Run All" meets three mistakes, and goes on."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        (home / f"{NAME}.ipynb").write_bytes(_with_three_mistakes())
        command = ["jupyter", "lab", "--allow-root"]
        with (
            server(command, home, Path(folder, "jupyter.log")) as address,
            lab(opened, address.replace("/lab?", f"/lab/tree/{NAME}.ipynb?"), STUDENT) as shown,
        ):
            shown.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
            shown.want_no_news()
            shown.page.keyboard.press("Control+b")  # the list of files goes
            take(shown, "notebook-top", 900)

            shown.menu("Run", "Run All Cells")
            shown.output("tools.summary()").get_by_text("Visible checks").wait_for()
            for passed in PASS:
                shown.cell(f'check("{passed}")').locator(".jp-InputCollapser").click()
            for name, (source, height, above) in PARTS.items():
                take(shown, name, height, source, above)


def take(shown: Lab, name: str, height: int, source: str = "", above: int = 0) -> None:
    """Show so much of the notebook as it stands, or from so far above the cell with this source."""
    shown.page.set_viewport_size({"width": WIDTH, "height": height})
    # What comes into view is drawn only then and changes its height, so the page moves once more.
    for _ in range(3):
        if source:
            shown.cell(source).evaluate(SCROLL, above)
        shown.page.wait_for_timeout(1000)
    shown.page.screenshot(path=PICTURES / f"{name}.png")


def take_watch(opened: Browser) -> None:
    """What a terminal of 100 columns shows while he watches his notebook, and has asked for the
    hint."""
    copy = student_copy.read(_handed_in(), f"{NAME}.ipynb")
    terminal = Console(
        file=io.StringIO(), record=True, width=COLUMNS, force_terminal=True, highlight=False,
        markup=False, emoji=False, soft_wrap=True,
    )  # fmt: skip
    screen.frame(terminal, View(copy, confined.checked(copy)[0], hints=1))

    page = opened.new_page(viewport={"width": WIDTH, "height": 400})
    page.set_content(terminal.export_html(theme=MONOKAI, inline_styles=True))
    page.add_style_tag(content=TERMINAL)
    page.locator("body").screenshot(path=PICTURES / "watch.png")
    page.close()


if __name__ == "__main__":
    main()
