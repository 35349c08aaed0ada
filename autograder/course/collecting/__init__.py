"""Submissions out of a folder of downloads: whose each one is, and when it was handed in."""
