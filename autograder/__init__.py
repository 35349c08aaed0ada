"""Build, release and grade exercises in which people learn by writing the code."""

__version__ = "1.0"
