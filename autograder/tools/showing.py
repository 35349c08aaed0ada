"""What people see of a check: answers beside the right ones, and where their own code stopped.

HTML where there is a notebook, text everywhere else.
"""

import dis
import html
import linecache
import re
import sys
import textwrap
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import numpy as np

from autograder.tools.exceptions import SHARED_BY_MISTAKES, said_by

FEW = 64
"""The numbers that are drawn one by one; of more there is a text in short."""

FAINT = "opacity:.7"
"""Grey in the light and in the dark."""

LINKS = """<style>
.jp-Notebook:has(.step-links) .jp-Cell{content-visibility:visible!important}
</style><span class="step-links"></span>"""
"""Before links to steps. JupyterLab only guesses how high cells are that nobody has scrolled to: a
link would end some steps too far up or down. Now it lays out all cells of this notebook."""

CARD = """<style>
.jp-OutputArea-child:has(.check-failed)+* pre{border-left:3px solid #d9480f;word-break:normal;
 margin:-12px 0 0 -8px!important;padding:4px 12px!important}
.jp-OutputArea-child:has(.check-failed)+*>[data-mime-type$=stderr]{background:none}
.jp-OutputArea-child:has(.check-open)+*>[data-mime-type$=stderr]{background:none;opacity:.7}
</style>"""
"""JupyterLab draws what a check raises below what it shows, in red: here both are one."""


def in_notebook() -> bool:
    """Whether something shows what is displayed, and asks errors how they want to look."""
    return "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None


def present(markup: str, text: str) -> None:
    """Show HTML where there is a notebook, and print the text elsewhere."""
    if in_notebook():
        from IPython.display import display

        display({"text/html": markup, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]
    elif text:
        print(text)


def below(name: str, inside: str) -> None:
    """Show HTML that people open by its name, below what a cell raises; nothing if it is empty."""
    if not inside:
        return
    events = sys.modules["IPython"].get_ipython().events

    def show(*_: object) -> None:
        events.unregister("post_run_cell", show)
        present(f"<details><summary>{name}</summary>{inside}</details>", "")

    events.register("post_run_cell", show)


def lines(*texts: str) -> list[str]:
    """Texts as lines that nobody breaks within a word."""
    filled = []
    for text in texts:
        filled.append(textwrap.fill(text, 100, break_long_words=False, subsequent_indent="  "))
    return filled


def in_short(thing: Any, margin: int = 0) -> str:
    """An array as text of a few lines, all but the first behind a margin; a text as it is."""
    if isinstance(thing, str):
        return thing
    prefix = " " * margin
    return np.array2string(thing, precision=4, suppress_small=True, threshold=60, prefix=prefix)


def as_text(what: str, got: Any, wanted: Any) -> str:
    """An answer and the right one as text."""
    name = f"{what[0].upper()}{what[1:]}"
    return f"{name}\n   yours: {in_short(got, 10)}\nexpected: {in_short(wanted, 10)}"


def as_picture(what: str, got: Any, wanted: Any, wrong: Any) -> str:
    """An answer beside the right one as HTML; ``wrong`` says which entries get a frame."""
    parts = [f'<div style="margin:6px 0 2px"><b>{html.escape(what)}</b></div>']
    parts.append('<div style="display:flex;flex-wrap:wrap;gap:8px 32px">')
    for owner, thing, framed in (("yours", got, wrong), ("expected", wanted, None)):
        parts.append(f'<div><div style="{FAINT}">{owner}</div>{grid(thing, wanted, framed)}</div>')
    return "".join([*parts, "</div>"])


def grid(thing: Any, wanted: Any, wrong: Any) -> str:
    """Numbers in rows and columns, with the grounds of a mask or of weights."""
    if isinstance(thing, str) or thing.ndim > 3 or not 0 < thing.size <= FEW:
        return f'<pre style="margin:0">{html.escape(in_short(thing))}</pre>'

    is_mask = wanted.dtype.kind == "b"
    # Numbers from 0 to 1, some of them between: weights.
    is_shaded = is_mask or bool(((wanted >= 0) & (wanted <= 1)).all() and (wanted % 1).any())
    columns = thing.shape[-1] if thing.ndim else 1
    matrices = thing.reshape(-1, *((1, 1, columns)[: 3 - thing.ndim] + thing.shape)[-2:])
    frames = np.zeros(matrices.shape, bool) if wrong is None else wrong.reshape(matrices.shape)

    drawn = []
    for matrix, framed in zip(matrices, frames):
        cells = []
        for number, is_framed in zip(matrix.ravel(), framed.ravel()):
            shade = min(max(float(number), 0), 1) / 2 if is_shaded and np.isfinite(number) else 0
            align = "center" if is_mask else "right"
            style = f"padding:1px 6px;text-align:{align};background:rgba(59,130,246,{shade:.2f})"
            if is_framed:
                style += ";outline:2px solid #e03131"
            text = str(bool(number)) if is_mask and number in (0, 1) else f"{number + 0.0:.4g}"
            cells.append(f'<span style="{style}">{text}</span>')
        style = f"grid-template-columns:repeat({columns},auto);gap:3px;font-family:monospace"
        drawn.append(f'<div style="display:inline-grid;{style}">{"".join(cells)}</div>')
    return f'<div style="display:flex;flex-wrap:wrap;gap:10px 18px">{"".join(drawn)}</div>'


def own_lines(trace: TracebackType, names: Mapping[str, Any]) -> list[str]:
    """The lines of a notebook's own functions through which an error came, the last one last."""
    found: list[str] = []
    function, outer, inner = "", own_lines.__code__, trace.tb_next
    while inner is not None:
        frame = inner.tb_frame
        file = frame.f_code.co_filename
        if frame.f_globals is names and file != in_notebook.__code__.co_filename:
            if frame.f_code in outer.co_consts:  # a comprehension, say, on a line of the function
                found.pop()
            else:
                function = frame.f_code.co_name.replace("<lambda>", "a lambda")

            outer = frame.f_code
            code = linecache.getline(file, inner.tb_lineno).strip()
            found.append(f"line {inner.tb_lineno} of the cell of {function}:  {code}")

        inner = inner.tb_next
    return found[-3:]


OF_SHAPES = re.compile(r"\b(ax[ei]s|batch|lengths?(?! \d)|shapes?|sizes?)\b")
"""Words of a question about shapes."""


ASKS: dict[str, dict[str, str]] = {}
"""By visible check: the questions that help where it finds a mistake, by what is compared. The
build fills them in."""


def statement(message: str) -> str:
    """What a check says, without the question at its end."""
    return re.sub(r"(?<=[.!]) +[A-Z][^\n]*\?$", "", message)


def fitting_question(error: BaseException, trace: TracebackType) -> str:
    """What a check was about to ask when an error came, if that fits the error; else what is asked
    about arrays that do not fit each other, if that is the error; else empty.

    NumPy raises these errors where shapes do not fit, and a question about numbers does not help
    there.
    """
    asked = next_question(trace) if isinstance(error, (ValueError, IndexError)) else ""
    if OF_SHAPES.search(asked):
        return asked
    found = said_by([f"{type(error).__name__}: {error}"], SHARED_BY_MISTAKES)
    return found[1] if found else ""


def next_question(trace: TracebackType) -> str:
    """What a check was about to ask when an error came; empty if nothing."""
    code = trace.tb_frame.f_code
    asked: dict[str, str] = {}
    for text in code.co_consts:  # the check's own name is one of them
        asked |= ASKS.get(text, {}) if isinstance(text, str) else {}
    for step in dis.get_instructions(code):
        if step.offset <= trace.tb_lasti or not isinstance(step.argval, str):
            continue
        if "?" in step.argval or step.argval in asked:
            return asked.get(step.argval, step.argval)
    return ""
