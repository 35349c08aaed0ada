"""What passes between the grader and the parent of the workers."""

from __future__ import annotations

import struct

MESSAGE = struct.Struct("<4sq")
"""A word and a number: a process id, or how a process ended."""
