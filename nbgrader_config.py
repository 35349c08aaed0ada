"""The course as nbgrader sees it: folders, gradebook, and what stands where an answer was."""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (nbgrader puts it there)

root = Path(__file__).resolve().parent
state = Path(os.environ.get("AUTOGRADER_COURSE") or root / "course").absolute()

# nbgrader calls `alembic` by name and finds it only in an activated environment.
tools = str(Path(sys.executable).parent)
if tools not in os.environ.get("PATH", "").split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join(filter(None, [tools, os.environ.get("PATH")]))

# The package of this checkout, also where nobody installed it.
if str(root) not in sys.path:
    sys.path.append(str(root))

# nbgrader creates the gradebook, but not the folder that it lies in.
try:
    state.mkdir(parents=True, exist_ok=True)
except OSError:
    pass  # nbgrader itself says so as soon as it needs the folder

c.CourseDirectory.root = str(root)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "assignments"

# Relative where it can be: nbgrader reads an absolute folder as a regular expression, and trips
# over a + in it.
place = state.relative_to(root) if state.is_relative_to(root) else state
for step in ("submitted", "autograded", "feedback"):
    setattr(c.CourseDirectory, f"{step}_directory", str(place / step))

# Another database stands in the class's own file, see below: the tests and the demonstration use
# this file, too.
c.CourseDirectory.db_url = f"sqlite:///{state / 'gradebook.db'}"

from autograder.authoring.build import CODE_STUB, TEXT_STUB  # noqa: E402  (found through the line above)
from autograder.course import Course  # noqa: E402

# Two courses that share an exchange must not collect each other's students.
c.CourseDirectory.course_id = Course(root, state).id()

c.ClearSolutions.code_stub = {"python": CODE_STUB}
c.ClearSolutions.text_stub = TEXT_STUB

# Our engine in the place of nbgrader's: nothing of nbgrader parses, copies or runs what a student
# handed in.
c.Autograde.exporter_class = "autograder.nbgrader.plugin.GradeExporter"
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = []
c.GenerateFeedback.exporter_class = "autograder.nbgrader.plugin.FeedbackExporter"
c.GenerateFeedback.preprocessors = []

# nbgrader refuses to generate an exercise whose checks changed once there are submissions; the
# gradebook is told first.
c.GenerateAssignment.pre_convert_hook = "autograder.nbgrader.plugin.before_generate"

# Takes the notebook alone, and never through a link that a student made.
c.ExchangeFactory.collect = "autograder.nbgrader.collector.Collector"

# Says who still has no mark by hand.
c.ExchangeFactory.release_feedback = "autograder.nbgrader.releaser.FeedbackReleaser"

# The formgrader would show all of this above the list of assignments, and cannot without a warning.
c.FormgradeExtension.debug = False

# Whoever grades by hand need not scroll past the tools that every notebook begins with.
c.TagRemovePreprocessor.remove_input_tags = {"setup"}

# An exchange for one account, without root. For a class with accounts on this machine name a folder
# that all can write.
c.Exchange.root = str(state / "exchange")
try:
    (state / "exchange").mkdir(exist_ok=True)
except OSError:
    pass  # as above

# What belongs to this class alone, its database for example, stands in a file of the same name in
# its own folder.
load_subconfig("nbgrader_config.py", path=str(state))  # noqa: F821  (nbgrader's loader puts it there; no file, no harm)
