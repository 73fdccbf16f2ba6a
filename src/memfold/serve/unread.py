"""Packages whose own file is run when somebody asks for what it defines, and not before.

The MCP SDK's package files import its client and its high-level server: 12 MB that a daemon would
hold for ever. Whoever wants only a module inside need not run them.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def leave_unread(*names: str) -> None:
    """Let these packages be imported without running their own file; outer ones come first.

    The first name that is looked up in one of them, and is no module imported already, runs the
    file as an import would have. What is imported, or not there, is left alone.
    """
    for name in names:
        if name not in sys.modules:
            _leave_unread(name)


def _leave_unread(name: str) -> None:
    spec = find_spec(name)
    if spec is None or spec.loader is None or spec.submodule_search_locations is None:
        return  # no package: the import itself says what is wrong
    loader, package = spec.loader, module_from_spec(spec)

    def run(wanted: str) -> Any:
        del package.__dict__["__getattr__"]
        try:
            loader.exec_module(package)
        except BaseException:
            package.__dict__.setdefault("__getattr__", run)  # who asks next is told as well
            raise
        return getattr(package, wanted)

    package.__dict__["__getattr__"] = run
    sys.modules[name] = package
    _tell_parent(name, package)


def _tell_parent(name: str, package: ModuleType) -> None:
    outer, _, own = name.rpartition(".")
    if outer:
        setattr(sys.modules[outer], own, package)
