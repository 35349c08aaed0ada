"""Names the mistake behind a wrong answer."""
