"""Stands before the package of this name on the path of what tests start.

jsonschema compiles its grammar of addresses for a second whenever nbgrader or JupyterLab starts, and
does without where it is not installed. No test is about addresses.
"""

raise ImportError("tests do without it")
