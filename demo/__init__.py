"""The demonstration: what ``make demo`` and ``make pictures`` run."""
