"""Keeping a course: back-ups, and people who are to be forgotten."""
