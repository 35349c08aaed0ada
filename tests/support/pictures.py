"""Pictures as the programs of others write them."""

import io
import random
from typing import Any

from PIL import Image


def drawn(mode: str = "RGB", size: tuple[int, int] = (7, 5), **options: Any) -> bytes:
    """A PNG as another program writes it."""
    file = io.BytesIO()
    length = len(Image.new(mode, size).tobytes())
    Image.frombytes(mode, size, random.Random(7).randbytes(length)).save(file, "PNG", **options)
    return file.getvalue()
