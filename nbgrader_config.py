"""The course as nbgrader sees it; what is set for every course stands in the package."""

import sys
from pathlib import Path

c = get_config()  # noqa: F821  (nbgrader puts it there)

root = Path(__file__).resolve().parent

# The package of this checkout, also where nobody installed it.
if str(root) not in sys.path:
    sys.path.append(str(root))

from autograder.nbgrader.course_config import configure, draw_id  # noqa: E402  (found through the line above)

state = configure(c, root)
draw_id(c, root, state)

# What belongs to this class alone, its database for example, stands in a file of the same name in
# its own folder.
load_subconfig("nbgrader_config.py", path=str(state))  # noqa: F821  (nbgrader's loader puts it there; no file, no harm)
