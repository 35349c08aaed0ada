"""What commands print: tables, scores, JSON, and what GitHub's workflows read."""

__all__ = [
    "class_tables",
    "console",
    "explanation",
    "github_actions",
    "look",
    "output",
    "proof_tables",
    "score_table",
]
