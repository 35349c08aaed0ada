"""From the one file that a teacher edits to the notebooks: reading, rules, rehearsal, building."""
