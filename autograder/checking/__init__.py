"""A student's own copy, checked where the student works."""
