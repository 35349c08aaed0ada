"""What commands print: tables, scores, JSON, and what GitHub's workflows read."""

__all__ = [
    "class_tables",
    "console",
    "course_table",
    "explanation",
    "fresh_answers",
    "github_actions",
    "kill_matrix",
    "lost_points",
    "output",
    "score_table",
]
