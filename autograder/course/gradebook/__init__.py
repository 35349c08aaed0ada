"""nbgrader's tables, and what is written into them and read out of them."""
