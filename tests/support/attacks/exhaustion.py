"""E: time, memory, processes. Each costs its own check, and nobody else anything."""

import textwrap

from tests.support.attacks.attack import attack, read
from tests.support.attacks.target import STEPS

read("exhaustion")

attack("E05-loop-in-many-cells", "use up the time with cells",
       change=lambda nb: nb["cells"].extend({"cell_type": "code", "id": f"e{n}", "metadata": {}, "source": "while True: pass",
                                             "outputs": []} for n in range(30)))  # fmt: skip
ENDS = "import os\ndef {}(*_): os._exit(0)"
attack(
    "E31-a-worker-for-every-call",
    "have a new worker started for every call",
    said="ended its process",
    **{step: ENDS.format(step) for step in STEPS},
)


def reference(id: str, goal: str, body: str, said: str) -> None:
    """An attack on what stands in for a broken step while later ones are judged, and what student
    code may call."""
    product = "def product(a, b): return 0"
    total = f"import numpy as np\ndef total(x):\n{textwrap.indent(body, '    ')}"
    baseline = {"product": product, "total": "def total(x): return 0"}
    attack(id, goal, said=said, product=product, total=total, baseline=baseline)


read("reference", reference)


attack("A30-reference-for-itself", "earn a step's points with the reference that stands in for it",
       product="""
    import builtins, sys
    def product(a, b):
        stub = getattr(builtins, 'stub', None)
        return stub(a, b) if stub else 0
    """, total="""
    import builtins
    builtins.stub = product
    def total(x):
        builtins.stub = product
        return 0
    """)  # fmt: skip
