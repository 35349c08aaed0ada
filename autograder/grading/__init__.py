"""The grading of a class: who grades, processes or a cluster, and what keeps it whole when it is
cut short."""
