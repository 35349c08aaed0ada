"""The trust boundary: checks run here, students' functions in a locked worker."""
