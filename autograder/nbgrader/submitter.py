"""Where configurations that were written for an earlier kit look for ``Submitter``."""

from autograder.nbgrader.students import Submitter as Submitter
