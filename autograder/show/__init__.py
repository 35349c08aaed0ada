"""Grades and results as people and other systems see them."""
