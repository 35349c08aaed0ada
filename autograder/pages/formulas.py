"""A formula as people write it in TeX, as MathML: browsers typeset that without script or network.

What is known is what courses write: letters, scripts, fractions, roots, sums, fences, cases and
matrices. Of anything else there is no formula, and whoever asked shows the text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup, escape

DEEPEST = 40
"""Parts within parts: nobody writes more, and each one takes some calls."""

TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|.", re.DOTALL)


def _symbols(pairs: str) -> dict[str, str]:
    words = pairs.split()
    return dict(zip(words[::2], words[1::2]))


LETTERS = _symbols("""
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ iota ι kappa κ
    lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ phi ϕ varphi φ chi χ psi ψ omega ω
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω
    ell ℓ infty ∞ partial ∂ nabla ∇ emptyset ∅
""")
OPERATORS = _symbols("""
    cdot ⋅ times × div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ odot ⊙ otimes ⊗ oplus ⊕ le ≤ leq ≤ ge ≥
    geq ≥ ne ≠ neq ≠ approx ≈ sim ∼ equiv ≡ propto ∝ ll ≪ gg ≫ in ∈ notin ∉ subset ⊂ subseteq ⊆
    cup ∪ cap ∩ to → rightarrow → leftarrow ← Rightarrow ⇒ mapsto ↦ top ⊤ mid ∣ ldots … dots …
    cdots ⋯ vdots ⋮ ddots ⋱ forall ∀ exists ∃ lvert | rvert | lVert ‖ rVert ‖ Vert ‖ | ‖
    langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ prime ′
""")
LARGE = {"sum": "∑", "prod": "∏", "int": "∫", "max": "max", "min": "min", "lim": "lim"}
FUNCTIONS = frozenset(
    [
        "exp",
        "log",
        "ln",
        "sin",
        "cos",
        "tan",
        "tanh",
        "sinh",
        "cosh",
        "arg",
        "det",
        "dim",
        "sup",
        "inf",
        "Pr",
    ]
)
ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "vec": "→", "dot": "˙", "overline": "¯"}
UPRIGHT = frozenset(
    ["text", "mathrm", "operatorname", "operatorname*", "mathsf", "mathtt", "textbf", "mathbf"]
)
DOUBLE = dict(zip("CENPQRZ", "ℂ𝔼ℕℙℚℝℤ"))
SPACES = {",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.3em", "quad": "1em", "qquad": "2em"}
SILENT = frozenset(["!", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "limits"])
APPLIED, NO_BREAK = "\u2061", "\u00a0"
ESCAPED = frozenset("{}_%$&#")
CELL_ENDS = frozenset({"&", "\\\\", "\\end"})
TABLES = {"cases": "{.", "pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "matrix": "..",
          "aligned": ".."}  # fmt: skip


class _Unknown(Exception):
    """It is no formula that is known here."""


@lru_cache(maxsize=4096)
def formula(source: str, is_display: bool) -> Markup | None:
    """The formula between its dollars as MathML; None if something in it is not known."""
    reader = _Reader(TOKEN.findall(source), is_display)
    try:
        inside = reader.row(frozenset())
    except (_Unknown, IndexError):
        return None
    kind = ' display="block"' if is_display else ""
    note = f'<annotation encoding="application/x-tex">{escape(source)}</annotation>'
    return Markup(f"<math{kind}><semantics>{inside}{note}</semantics></math>")


class _Reader:
    """Goes through the tokens of a formula; each method reads one part, and returns its MathML."""

    def __init__(self, tokens: list[str], is_display: bool) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0
        self._is_display = is_display

    def row(self, ends: frozenset[str]) -> str:
        """All parts up to one of these tokens, which is left; without any, up to the end."""
        parts: list[str] = []
        while self._next() not in ends:
            if not self._next():
                if ends:
                    raise _Unknown
                break
            parts.append(self._scripted())
        return f"<mrow>{''.join(parts)}</mrow>"

    def _next(self) -> str:
        """The next token that is no blank, which is left; empty at the end."""
        while self._place < len(self._tokens) and self._tokens[self._place].isspace():
            self._place += 1
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _take(self, wanted: str = "") -> str:
        token = self._next()
        if not token or wanted not in ("", token):
            raise _Unknown
        self._place += 1
        return token

    def _scripted(self) -> str:
        """A part with what stands below and above it."""
        is_large = self._is_display and self._next()[1:] in LARGE
        base = self._part()
        scripts: dict[str, str] = {}
        while self._next() in ("_", "^", "'"):
            mark = self._take()
            where = "_" if mark == "_" else "^"
            if where in scripts:
                raise _Unknown
            scripts[where] = "<mo>′</mo>" if mark == "'" else self._argument()
        if not scripts:
            return base
        names = ("munder", "mover", "munderover") if is_large else ("msub", "msup", "msubsup")
        name = names[2] if len(scripts) == 2 else names["^" in scripts]
        return f"<{name}>{base}{scripts.get('_', '')}{scripts.get('^', '')}</{name}>"

    def _argument(self) -> str:
        """What a command or script goes with: one token, or what stands in braces."""
        if self._next().isdigit():
            return f"<mn>{self._take()}</mn>"
        return self._part()

    def _part(self) -> str:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Unknown
        part = self._token(self._take())
        self._depth -= 1
        return part

    def _token(self, token: str) -> str:
        if token == "{":
            inside = self.row(frozenset("}"))
            self._take("}")
            return inside
        if token.startswith("\\"):
            return self._command(token[1:])
        if token.isdigit():
            while self._place < len(self._tokens) and re.match(r"[\d.]", self._tokens[self._place]):
                token += self._tokens[self._place]
                self._place += 1
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{escape(token)}</mi>"
        if token in "}^_&#%$~":
            raise _Unknown
        # A fence is as large as what it holds where somebody says so, with \\left.
        size = ' stretchy="false"' if token in "()[]|/" else ""
        return f"<mo{size}>{escape('−' if token == '-' else token)}</mo>"

    def _command(self, name: str) -> str:
        if name in LETTERS:
            return f"<mi>{LETTERS[name]}</mi>"
        if name in OPERATORS:
            return f"<mo>{OPERATORS[name]}</mo>"
        if name in LARGE:
            return f"<mo>{LARGE[name]}</mo>"
        if name in FUNCTIONS:
            return f"<mi>{name}</mi><mo>{APPLIED}</mo>"
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in SILENT:
            return ""
        if name in ESCAPED:
            return f"<mo>{escape(name)}</mo>"
        return self._with_argument(name)

    def _with_argument(self, name: str) -> str:
        if name in ("frac", "tfrac", "dfrac"):
            return f"<mfrac>{self._argument()}{self._argument()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self._argument()}</msqrt>"
        if name in ACCENTS:
            return f'<mover accent="true">{self._argument()}<mo>{ACCENTS[name]}</mo></mover>'
        if name in UPRIGHT:
            # Blanks at its ends would be lost.
            return f"<mtext>{escape(self._words().replace(' ', NO_BREAK))}</mtext>"
        if name == "mathbb":
            letter = DOUBLE.get(self._words())
            if letter is None:
                raise _Unknown
            return f"<mi>{letter}</mi>"
        if name == "left":
            opening = self._fence()
            inside = self.row(frozenset({"\\right"}))
            self._take("\\right")
            return f"<mrow>{opening}{inside}{self._fence()}</mrow>"
        if name == "begin":
            return self._table(self._words())
        raise _Unknown

    def _words(self) -> str:
        """The text in braces, or a single letter, as it stands."""
        if self._next() != "{":
            token = self._take()
            if not token.isalnum():
                raise _Unknown
            return token
        self._take("{")
        words = ""
        while self._tokens[self._place] != "}":
            token = self._tokens[self._place]
            if token == "{" or (token.startswith("\\") and token[1:] not in ESCAPED):
                raise _Unknown
            words += token.removeprefix("\\")
            self._place += 1
        self._take("}")
        return words

    def _fence(self) -> str:
        token = self._take()
        fence = OPERATORS.get(token[1:]) or token.removeprefix("\\")
        return "" if fence == "." else f"<mo>{escape(fence)}</mo>"

    def _table(self, name: str) -> str:
        if name not in TABLES:
            raise _Unknown
        rows: list[str] = []
        cells: list[str] = []
        while True:
            cells.append(f"<mtd>{self.row(CELL_ENDS)}</mtd>")
            end = self._take()
            if end != "&":
                rows.append(f"<mtr>{''.join(cells)}</mtr>")
                cells = []
            if end == "\\end":
                break
        if self._words() != name:
            raise _Unknown
        opening, closing = (f"<mo>{mark}</mo>" if mark != "." else "" for mark in TABLES[name])
        return f"<mrow>{opening}<mtable>{''.join(rows)}</mtable>{closing}</mrow>"
