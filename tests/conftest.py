"""Fixtures that several test files share."""

from tests.courses import built_root, course

__all__ = ["built_root", "course"]
