"""Exercises as the grader sees them, and the banks of answers that prove their checks."""
