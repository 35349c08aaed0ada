"""Sampling by Hugging Face's transformers, for tests/solutions/golden/.

Neither it nor PyTorch is part of the kit. To make the file anew, where both are installed::

    python tests/support/by_transformers.py
"""

import json
from pathlib import Path

import numpy as np
import torch
import transformers

GOLDEN = Path(__file__).parents[1] / "solutions" / "golden" / "sampling.json"
SETTINGS = (  # temperature, top_k, top_p
    (1.0, None, None),
    (0.7, 4, None),
    (1.3, None, 0.8),
    (0.5, 6, 0.9),
    (2.0, 9, 0.35),
    (1.0, None, 0.05),
)


def main() -> None:
    rng = np.random.default_rng(50)
    cases = []
    for temperature, top_k, top_p in SETTINGS:
        logits = 2 * rng.normal(size=12)
        scores = torch.tensor(logits[None])
        scores = transformers.TemperatureLogitsWarper(temperature)(None, scores)
        if top_k is not None:
            scores = transformers.TopKLogitsWarper(top_k)(None, scores)
        if top_p is not None:
            scores = transformers.TopPLogitsWarper(top_p)(None, scores)
        given = {"logits": logits.tolist(), "temperature": temperature}
        given |= {"top_k": top_k, "top_p": top_p}
        cases.append([given, torch.softmax(scores, dim=-1)[0].tolist()])
    data = {"transformers": transformers.__version__, "torch": torch.__version__, "cases": cases}
    GOLDEN.write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
