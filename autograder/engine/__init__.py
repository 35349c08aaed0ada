"""The trust boundary: checks run here, students' functions in a locked worker, and only values cross."""
