"""NumPy's libraries for linear algebra, kept to one thread."""

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""The environment of a process that calculates in one thread, which is enough for small arrays."""
