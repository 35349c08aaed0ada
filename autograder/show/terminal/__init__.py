"""Output of commands: tables, scores, JSON, and lines for GitHub's workflows."""

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
