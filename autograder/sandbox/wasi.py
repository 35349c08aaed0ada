"""The functions of the host that a WebAssembly guest may call: these, and no others.

A guest computes in its own memory, and reaches the world only through functions of its host.
wasmtime has such functions for the files, clocks and sockets of a system; the guest gets none of
them. The functions here have only bytes that were read before the guest started, a clock, random
numbers, and one connection to the grader. Nothing else exists for the guest, and an invalid request
ends it.

https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
"""

from __future__ import annotations

import os
import socket
import struct
import time
import zlib
from collections.abc import Callable, Mapping
from mmap import mmap
from typing import Any

from autograder.sandbox.worker.control import LINE

OK = 0
BAD_DESCRIPTOR, INVALID, IS_FOLDER, NO_ENTRY, NOT_THERE = 8, 28, 31, 44, 52
NO_FOLDER, READ_ONLY, NO_SEEK, OUTSIDE = 54, 69, 70, 76
"""Error numbers."""

STREAM, FOLDER, FILE = 2, 3, 4
"""Kinds of files."""

ROOT = 3
"""The descriptor of the folder in which all files are."""

MOST = 1 << 20
"""The most bytes to transfer at once: the guest's memory must have room for them."""

MOST_PARTS = 64
"""The most pieces of memory for one answer, and the most open files."""

CREATE, WRITE = 1, 1 << 6
"""Flags of a request to open a file: to create it; to write to it."""

Files = Mapping[str, "bytes | mmap"]
"""The contents of files, by path without the first slash."""


class System:
    """The system that one guest sees.

    Args:
        environment: its environment variables; empty except in tests.
    """

    def __init__(self, files: Files, environment: Mapping[str, str]) -> None:
        self.line: socket.socket | None = None
        self.memory: Any = None
        """The guest's, a ``wasmtime.Memory``."""
        self._files = files
        self._folders: dict[str, list[str]] = {"": []}

        for name in files:
            parts = name.split("/")
            for depth in range(len(parts)):
                inside = self._folders.setdefault("/".join(parts[:depth]), [])
                if parts[depth] not in inside:
                    inside.append(parts[depth])

        self._texts = {
            "args": [b"python"],
            "environ": [f"{name}={value}".encode() for name, value in environment.items()],
        }
        self._open: dict[int, tuple[str, int]] = {ROOT: ("", 0)}

    def function(self, name: str) -> Callable[..., int | None]:
        """The function of this name, for ``wasmtime.Linker``; if there is none, a function that
        refuses."""
        found: Callable[..., int | None] | None = getattr(self, name, None)
        if found is not None:
            return found
        error = READ_ONLY if name.startswith("path_") else NOT_THERE
        return lambda *_: error

    # Arguments and environment.

    def args_sizes_get(self, guest: Any, count: int, size: int) -> int:
        return self._sizes(guest, "args", count, size)

    def args_get(self, guest: Any, places: int, texts: int) -> int:
        return self._get(guest, "args", places, texts)

    def environ_sizes_get(self, guest: Any, count: int, size: int) -> int:
        return self._sizes(guest, "environ", count, size)

    def environ_get(self, guest: Any, places: int, texts: int) -> int:
        return self._get(guest, "environ", places, texts)

    def _sizes(self, guest: Any, kind: str, count: int, size: int) -> int:
        self._put(guest, count, "<I", len(self._texts[kind]))
        self._put(guest, size, "<I", sum(len(text) + 1 for text in self._texts[kind]))
        return OK

    def _get(self, guest: Any, kind: str, places: int, texts: int) -> int:
        for number, text in enumerate(self._texts[kind]):
            self._put(guest, places + 4 * number, "<I", texts & 0xFFFFFFFF)
            self._write(guest, texts, text + b"\0")
            texts += len(text) + 1
        return OK

    # Time and chance.

    def clock_res_get(self, guest: Any, clock: int, place: int) -> int:
        self._put(guest, place, "<Q", 1000)
        return OK

    def clock_time_get(self, guest: Any, clock: int, precision: int, place: int) -> int:
        self._put(guest, place, "<Q", time.monotonic_ns() if clock else time.time_ns())
        return OK

    def poll_oneoff(self, guest: Any, asked: int, answer: int, count: int, place: int) -> int:
        """Sleep; there is nothing else to wait for."""
        if count != 1:
            return INVALID
        word, kind, clock, until, _, flags = struct.unpack(
            "<QB7xI4xQQH6x", self._read(guest, asked, 48)
        )
        if kind != 0:
            return INVALID
        if flags & 1:
            until -= time.monotonic_ns() if clock else time.time_ns()
        time.sleep(min(max(until, 0) / 1e9, 1e6))
        self._put(guest, answer, "<QHBxIQH6x", word, 0, 0, 0, 0, 0)
        self._put(guest, place, "<I", 1)
        return OK

    def random_get(self, guest: Any, place: int, size: int) -> int:
        size &= 0xFFFFFFFF
        if size > MOST:
            return INVALID
        self._write(guest, place, os.urandom(size))
        return OK

    def sched_yield(self, guest: Any) -> int:
        return OK

    def proc_exit(self, guest: Any, code: int) -> None:
        os._exit(code & 0xFF)

    # Files, and the line to the grader.

    def fd_prestat_get(self, guest: Any, number: int, place: int) -> int:
        if number != ROOT:
            return BAD_DESCRIPTOR
        self._put(guest, place, "<II", 0, 1)
        return OK

    def fd_prestat_dir_name(self, guest: Any, number: int, place: int, size: int) -> int:
        self._write(guest, place, b"/")
        return OK

    def path_open(
        self, guest: Any, folder: int, _: int, name: int, size: int, how: int, rights: int,
        __: int, ___: int, place: int,
    ) -> int:  # fmt: skip
        path = self._path(guest, folder, name, size)
        if path is None:
            return OUTSIDE
        if how & CREATE or rights & WRITE:
            return READ_ONLY
        if path not in self._files and path not in self._folders:
            return NO_ENTRY
        if len(self._open) >= MOST_PARTS:
            return INVALID
        number = next(n for n in range(LINE + 1, LINE + MOST_PARTS + 2) if n not in self._open)
        self._open[number] = path, 0
        self._put(guest, place, "<I", number)
        return OK

    def path_filestat_get(
        self, guest: Any, folder: int, _: int, name: int, size: int, place: int
    ) -> int:
        path = self._path(guest, folder, name, size)
        if path is None:
            return OUTSIDE
        if path not in self._files and path not in self._folders:
            return NO_ENTRY
        return self._stat(guest, path, place)

    def fd_filestat_get(self, guest: Any, number: int, place: int) -> int:
        # Requests about the root folder, and about the connection, are refused.
        if number == ROOT or number not in self._open:
            return BAD_DESCRIPTOR
        return self._stat(guest, self._open[number][0], place)

    def fd_fdstat_get(self, guest: Any, number: int, place: int) -> int:
        kind = STREAM
        if number > LINE or number == ROOT:
            if number not in self._open:
                return BAD_DESCRIPTOR
            kind = FILE if self._open[number][0] in self._files else FOLDER
        self._put(guest, place, "<BxHxxxxQQ", kind, 0, (1 << 30) - 1, (1 << 30) - 1)
        return OK

    def fd_close(self, guest: Any, number: int) -> int:
        if number == LINE:
            self.line = None
        elif number != ROOT:
            self._open.pop(number, None)
        return OK

    def fd_read(self, guest: Any, number: int, parts: int, count: int, place: int) -> int:
        if number == LINE and self.line is not None:
            room = self._parts(guest, parts, count)
            data = self.line.recv(min(sum(size for _, size in room), MOST))
            self._fill(guest, room, data, place)
            return OK
        return self._read_file(guest, number, parts, count, None, place)

    def fd_pread(
        self, guest: Any, number: int, parts: int, count: int, begin: int, place: int
    ) -> int:
        return self._read_file(guest, number, parts, count, begin, place)

    def _read_file(
        self, guest: Any, number: int, parts: int, count: int, begin: int | None, place: int
    ) -> int:
        room = self._parts(guest, parts, count)
        if number == 0:
            self._fill(guest, room, b"", place)
            return OK

        if number not in self._open:
            return BAD_DESCRIPTOR
        path, at = self._open[number]
        if path not in self._files:
            return IS_FOLDER

        start = at if begin is None else max(begin, 0)
        data = self._files[path][start : start + min(sum(size for _, size in room), MOST)]
        self._fill(guest, room, data, place)
        if begin is None:
            self._open[number] = path, at + len(data)
        return OK

    def fd_write(self, guest: Any, number: int, parts: int, count: int, place: int) -> int:
        written = 0
        for begin, size in self._parts(guest, parts, count):
            data = self._read(guest, begin, min(size, MOST - written))
            if number == LINE and self.line is not None:
                self.line.sendall(data)
            elif number not in (1, 2):  # nobody reads its output
                return READ_ONLY if number in self._open else BAD_DESCRIPTOR
            written += len(data)
        self._put(guest, place, "<I", written)
        return OK

    def fd_seek(self, guest: Any, number: int, by: int, whence: int, place: int) -> int:
        if number not in self._open or self._open[number][0] not in self._files:
            return NO_SEEK
        path, at = self._open[number]
        at = (0, at, len(self._files[path]))[whence] + by
        if not 0 <= at < 1 << 62:
            return INVALID
        self._open[number] = path, at
        self._put(guest, place, "<Q", at)
        return OK

    def fd_tell(self, guest: Any, number: int, place: int) -> int:
        return self.fd_seek(guest, number, 0, 1, place)

    def fd_readdir(
        self, guest: Any, number: int, place: int, size: int, cookie: int, used: int
    ) -> int:
        if number not in self._open or self._open[number][0] not in self._folders:
            return NO_FOLDER
        folder = self._open[number][0]
        entries = bytearray()
        for at, name in enumerate((".", "..", *self._folders[folder])):
            path = f"{folder}/{name}".strip("/")
            kind = FILE if path in self._files else FOLDER
            if at >= cookie >= 0:
                entries += struct.pack("<QQIB3x", at + 1, _inode(path), len(name.encode()), kind)
                entries += name.encode()
        taken = bytes(entries[: size & 0xFFFFFFFF])
        self._write(guest, place, taken)
        self._put(guest, used, "<I", len(taken))
        return OK

    def _stat(self, guest: Any, path: str, place: int) -> int:
        size, kind = 0, FOLDER
        if path in self._files:
            size, kind = len(self._files[path]), FILE
        self._put(guest, place, "<QQB7xQQQQQ", 1, _inode(path), kind, 1, size, 0, 0, 0)
        return OK

    def _path(self, guest: Any, folder: int, place: int, size: int) -> str | None:
        """The path in the guest's request; None if it leads outside."""
        if folder not in self._open:
            return None
        name = self._read(guest, place, min(size & 0xFFFFFFFF, 4096))
        parts = [part for part in self._open[folder][0].split("/") if part]
        for part in name.decode("utf-8", "replace").split("/"):
            if part == "..":
                if not parts:
                    return None
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        return "/".join(parts)

    # The guest's memory: wasmtime's own functions check the bounds of every access.

    def _read(self, guest: Any, place: int, size: int) -> bytes:
        place &= 0xFFFFFFFF
        return bytes(self.memory.read(guest, place, place + size))

    def _write(self, guest: Any, place: int, data: bytes) -> None:
        if data:
            self.memory.write(guest, bytearray(data), place & 0xFFFFFFFF)

    def _put(self, guest: Any, place: int, form: str, *values: int) -> None:
        self._write(guest, place, struct.pack(form, *values))

    def _parts(self, guest: Any, place: int, count: int) -> list[tuple[int, int]]:
        """The addresses and sizes of consecutive pieces of memory."""
        listed = self._read(guest, place, 8 * min(count & 0xFFFFFFFF, MOST_PARTS))
        return list(struct.iter_unpack("<II", listed))

    def _fill(self, guest: Any, room: list[tuple[int, int]], data: bytes, place: int) -> None:
        at = 0
        for begin, size in room:
            self._write(guest, begin, data[at : at + size])
            at += size
        self._put(guest, place, "<I", len(data))


def _inode(path: str) -> int:
    return zlib.crc32(path.encode())
