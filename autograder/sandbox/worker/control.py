"""What passes between the grader and the parent of the workers."""

from __future__ import annotations

import struct

MESSAGE = struct.Struct("<4sq")
"""A word and a number: a process id, the core to fork on, or how a process ended."""

ANY_CORE = -1
"""Wherever the system likes."""

KILLED = -1
"""How a process ended that had not ended by itself."""

END_SECONDS = 1.0
"""For a worker that has hung up and should be about to end."""
