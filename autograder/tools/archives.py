"""Arrays that a notebook brings along, such as the weights of a trained model."""

import base64
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np


def arrays(npz: str) -> dict[str, Any]:
    """The arrays in a NumPy archive, by name. What is stored as float16 is float64 from then on.

    Args:
        npz: its path, seen from the file that calls; in a notebook, where the build has put it in
            the place of the path, the archive itself as a text of letters and digits.

    Raises:
        ValueError: it holds Python objects.
    """
    if npz.endswith(".npz"):
        data = Path(sys._getframe(1).f_globals["__file__"]).with_name(npz).read_bytes()
    else:
        data = base64.b64decode(npz)
    found: dict[str, Any] = {}
    with np.load(io.BytesIO(data)) as archive:
        for name, array in archive.items():
            found[name] = array.astype(float) if array.dtype == np.float16 else array
    return found
