"""The kit inside nbgrader: its gradebook, its exchange, its command line and its formgrader."""

__all__ = [
    "exchange",
    "execution",
    "lab",
]
