"""What everything else is built on: texts, files, errors, times, settings, results."""
