"""What the README shows of a terminal."""

import re

from tests.support.courses import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def session(command: str) -> list[str]:
    """The lines below ``$ command``, without the gaps."""
    shown = re.search(rf"```console\n\$ {re.escape(command)}\n(.*?)```", README, flags=re.DOTALL)
    assert shown, command
    return [line for line in shown[1].splitlines() if line not in ("…", "")]
