"""The tools in both their forms: as the package, and as the build writes them into a notebook."""

from types import ModuleType

import pytest

import autograder.tools
from tests.support.written_tools import written


@pytest.fixture(params=["package", "notebook"])
def tools(request: pytest.FixtureRequest) -> ModuleType:
    if request.param == "package":
        return autograder.tools
    module: ModuleType = written(*autograder.tools.__all__)["tools"]
    return module
