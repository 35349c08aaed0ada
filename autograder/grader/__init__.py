"""Grades one submission: verdicts, diagnosis and pictures as one result."""
