"""What commands print: tables, scores, JSON, and what GitHub's workflows read."""
