"""A rule for import-linter: a package is entered through its doors.

The doors of a package are the modules that its ``__init__`` names in ``__all__``. Nothing else in
it is imported from outside.
"""

import importlib

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class Doors(Contract):
    """Every package below ``root`` is imported from outside through its doors alone."""

    root = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Find the imports that come in another way."""
        wrong: list[str] = []
        for module in sorted(graph.modules):
            for importer in sorted(graph.find_modules_that_directly_import(module)):
                closed = self._closed(module, importer)
                if closed:
                    wrong.append(f"{importer} imports {module}: {closed} is no door")
        return ContractCheck(kept=not wrong, metadata={"wrong": wrong})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Say which imports these are."""
        for line in check.metadata["wrong"]:
            output.print_error(line)

    def _closed(self, module: str, importer: str) -> str:
        """The first module on the way to this one that is no door; empty if there is none."""
        root = str(self.root)
        if not module.startswith(f"{root}."):
            return ""
        parts = module.split(".")
        for depth in range(2, len(parts)):
            package = ".".join(parts[:depth])
            is_inside = importer == package or importer.startswith(f"{package}.")
            if not is_inside and parts[depth] not in doors(package):
                return f"{package}.{parts[depth]}"
        return ""


def doors(package: str) -> list[str]:
    """What a package names in ``__all__``."""
    return list(getattr(importlib.import_module(package), "__all__", ()))
