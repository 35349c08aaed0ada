"""What the results of a class say, in numbers: for the teacher's page, for ``report --json`` and
for the terminal."""
