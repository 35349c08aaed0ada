"""nbgrader's own application tests: with the kit in its configuration those pass that pass without.

All of them take eight minutes, twice, so this is a sample.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import nbgrader  # type: ignore[import-untyped]
import pytest
from nbgrader.utils import get_username  # type: ignore[import-untyped]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nbgrader's exchange needs POSIX")

JOINED = """\
from autograder.nbgrader.course_config import join
c = get_config()
join(c)
"""

SAMPLES = ("export", "list")
"""Files of nbgrader's tests: these go through release, submission, grading, feedback and lists."""


def outcomes(folder: Path, name: str, config: str) -> dict[str, str]:
    """What becomes of each of these tests with a configuration."""
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(config)
    report = folder / "report.xml"
    tests = Path(nbgrader.__file__).parent / "tests" / "apps" / f"test_nbgrader_{name}.py"
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
    settings = folder / "pytest.ini"
    settings.write_text("[pytest]\n")  # else those of this project, by which warnings are errors
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", str(settings)]
    subprocess.run(
        [*command, f"--junitxml={report}", tests],
        env={**os.environ, "JUPYTER_CONFIG_DIR": str(folder), "PATH": path, "USER": get_username()},
        cwd=folder,
        capture_output=True,
        check=False,
    )
    cases = xml.parse(report).iter("testcase")
    return {case.attrib["name"]: " ".join(part.tag for part in case) for case in cases}


@pytest.mark.everything
@pytest.mark.parametrize("name", SAMPLES)
def test_nbgraders_own_tests_pass_with_the_kit_exactly_where_they_pass_without(name, tmp_path):
    without = outcomes(tmp_path / "without", name, "c = get_config()\n")
    assert list(without.values()).count("") > 1
    assert outcomes(tmp_path / "with", name, JOINED) == without
