"""Accounts of this machine, by name or number: in containers a number may have no name."""

from __future__ import annotations

import pwd


def name_of(number: int) -> str:
    """The name of an account for people."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def number_of(name: str) -> int | None:
    """The number of an account, which may be given as its number; None where there is none."""
    try:
        return int(name) if name.isdecimal() else pwd.getpwnam(name).pw_uid
    except KeyError:
        return None
