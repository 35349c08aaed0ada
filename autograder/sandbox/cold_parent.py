"""Workers where processes cannot be forked (Windows)."""

from __future__ import annotations

import contextlib
import socket
import subprocess

from autograder.sandbox.parent_process import (
    READY_SECONDS,
    EngineFault,
    Worker,
    command,
    environment,
)
from autograder.sandbox.supplies import Supplies
from autograder.sandbox.worker.control import END_SECONDS


class ColdParent:
    """A new Python for each worker."""

    def __init__(self, supplies: Supplies) -> None:
        self._supplies = supplies
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self.lost = False
        self.preloaded: dict[tuple[str, str], int] = {}
        self.compiled: dict[tuple[str, str], bytes] = {}

    @property
    def descriptors(self) -> list[int]:
        return []

    def wait_ready(self) -> None:
        """Every worker is waited for when it starts."""

    def preload(self, cell: str, source: str) -> None:
        """Nothing to load: every worker begins anew."""

    def start(self) -> Worker:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(READY_SECONDS)
            process = subprocess.Popen(
                command("process", frozenset(), self._supplies, "cold", server.getsockname()[1]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self._supplies.data,
                env=environment(),
            )
            self._processes[process.pid] = process
            try:
                return Worker(server.accept()[0], process.pid)
            except OSError as error:
                raise EngineFault(f"the worker does not answer: {error}") from None

    def end(self, worker: Worker, gone: bool = False) -> int | None:
        worker.sock.close()
        process = self._processes.pop(worker.number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS if gone else 0)
        status = process.poll()
        process.kill()
        process.wait()
        return status

    def close(self) -> None:
        for process in self._processes.values():
            process.kill()
            process.wait()
