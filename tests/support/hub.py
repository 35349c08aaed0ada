"""JupyterHub with real accounts: the lines of docs/jupyterhub.md, run on a machine of their own."""

from __future__ import annotations

import itertools
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
from playwright.sync_api import Browser, Page

from tests.support.machine import ROOT, Machine, machine

PAGE = ROOT / "docs" / "jupyterhub.md"
COURSE = "attention"
KIT = ("autograder", "assignments", "solutions", "nbgrader_config.py")
PATIENCE = 300

PORTS = """
c.JupyterHub.bind_url = "http://127.0.0.1:{}"
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{}"
c.JupyterHub.services[0]["url"] = "http://127.0.0.1:{}"
"""
"""What the page does not say: other tests, and a hub of this machine's own, have ports, too."""

OURS = f"""
# The package of this checkout, wherever the environment has its own from.
c.Spawner.environment = {{"PYTHONPATH": "{ROOT}"}}
c.JupyterHub.services[0]["environment"] = c.Spawner.environment
# A busy machine.
c.Spawner.start_timeout = c.Spawner.http_timeout = {PATIENCE}
c.JupyterHub.services[0]["timeout"] = {PATIENCE}
"""


@dataclass
class Hub:
    machine: Machine
    address: str

    def person(self, name: str) -> Person:
        """Somebody who has logged in, and has no server yet."""
        one = Person(name, self.address)
        one.session.get(f"{self.address}/hub/login", timeout=PATIENCE)
        answer = one.session.post(
            f"{self.address}/hub/login",
            params={"next": "/hub/home"},
            data={"username": name, "password": password(name), "_xsrf": one.xsrf("/hub/")},
            timeout=PATIENCE,
        )
        assert answer.url.endswith("/hub/home"), answer.text
        return one

    @contextmanager
    def page(self, browser: Browser, name: str, path: str) -> Iterator[Page]:
        """A page of the browser, into which they have logged in, at that path."""
        context = browser.new_context(viewport={"width": 1400, "height": 900})
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(self.address + path)
        page.get_by_label("Username:").fill(name)
        page.get_by_label("Password:").fill(password(name))
        page.get_by_role("button", name="Sign in").click()
        yield page
        context.close()


@dataclass
class Person:
    name: str
    address: str
    session: requests.Session = field(default_factory=requests.Session)

    def xsrf(self, path: str) -> str | None:
        """The word against forged requests that belongs to the server at this path."""
        return self.session.cookies.get("_xsrf", path=path)

    def opens_server(self) -> None:
        """Start the server of their own that everybody gets from the hub, and wait for it."""
        self.session.get(f"{self.address}/hub/spawn", timeout=PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = self.session.get(f"{self.address}/user/{self.name}/tree", timeout=PATIENCE)
            if answer.ok and f"/user/{self.name}/" in answer.url:
                return
            assert answer.status_code != 500, f"the server does not start: {answer.text}"
            time.sleep(0.5)
        raise AssertionError(answer.text)

    def status(self, path: str) -> int:
        """What they get there: 200, or 403 where they may not look."""
        return self.session.get(self.address + path, timeout=PATIENCE).status_code

    def asks(self, server: str, path: str, method: str = "GET", **about: Any) -> Any:
        """The JSON that a server answers; it must be no refusal."""
        answer = self.session.request(
            method,
            self.address + server + path,
            headers={"X-XSRFToken": self.xsrf(server) or ""},
            timeout=PATIENCE,
            **about,
        )
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text[-2000:]}"
        return answer.json()


def password(name: str) -> str:
    return f"password of {name}"


def blocks() -> list[str]:
    """The lines that the page tells people to run, block by block."""
    return re.findall("^```bash\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)


@contextmanager
def hub(log: Path) -> Iterator[Hub]:
    """A hub that was set up as the page says; its programs alone are those of these tests."""
    accounts, programs, exchange, course, config, unit, start = blocks()
    assert "systemctl enable" in unit, "started by hand here, without systemd"
    assert "pip install jupyterhub" in programs
    with machine() as there:
        there.run("root", accounts)
        for name in ("ada", "ben", "grace", "gus"):
            there.run("root", f"echo '{name}:{password(name)}' | chpasswd")
        there.run("root", "mkdir /home/attention/kit")
        there.run("root", f"cd /mnt/kit && cp -R {' '.join(KIT)} /home/attention/kit")
        there.run("root", programs.partition("apt-get")[0])
        there.run("root", exchange)
        there.run(COURSE, course)
        ports = _free_ports(4)
        there.run("root", config)
        extra = PORTS.format(*ports) + OURS
        there.run("root", f"cat >> /srv/jupyterhub/jupyterhub_config.py <<'END'\n{extra}END\n")

        address = f"http://127.0.0.1:{ports[0]}"
        with log.open("w") as out:
            # As the system would start it again: it does not wait long for its proxy.
            again = f"for attempt in 1 2 3; do (\n{start}) || true; done"
            command = there.command("root", again)
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            )
        _wait(f"{address}/services/{COURSE}/api", process, log)
        yield Hub(there, address)
    process.wait()


def _free_ports(number: int) -> list[int]:
    """Ports below those that the system gives away, so that nobody else gets one meanwhile."""
    ports: list[int] = []
    for port in itertools.count(20_000 + os.getpid() % 10_000):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        ports.append(port)
        if len(ports) == number:
            break
    return ports


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until somebody answers there."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if requests.get(address, timeout=PATIENCE).ok:
                return
        except requests.ConnectionError:
            pass  # not yet
        time.sleep(0.2)
    raise AssertionError(f"no hub: {log.read_text()[-3000:]}")
