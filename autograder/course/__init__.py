"""A course: its folder, its students, and all that is stored of it."""
