"""``autograder watch``: the visible checks of a notebook or script, at every save."""
