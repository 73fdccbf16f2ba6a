"""A package that is left unread is there, and becomes itself as soon as somebody asks."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfold.serve.unread import leave_unread

OUTER = """\
from .inner import module
runs = globals().get("runs", 0) + 1
__version__ = "7"
from .inner.module import value as given
"""
# What the daemon's MCP door takes from the SDK, in a process of its own.
SDK = """\
import sys
from memfold.serve.mcp import McpDoor
McpDoor(None, None)._build()
lean = sorted(name for name in sys.modules if name.startswith("mcp."))
print("mcp.client" in lean, "mcp.server.mcpserver" in lean)
import mcp
from mcp import Client
from mcp.server import MCPServer
print(Client.__module__, MCPServer.__name__, mcp.ServerSession.__name__)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package `outer` with a package `inner` whose file fails where `fails` stands in it."""
    folder = tmp_path / "unread_outer"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text(OUTER)
    (folder / "inner" / "__init__.py").write_text("here = 1\n")
    (folder / "inner" / "module.py").write_text("value = 5\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.startswith("unread_outer")]:
        del sys.modules[name]


def test_a_module_inside_is_imported_and_the_packages_files_are_not_run(package: Path) -> None:
    leave_unread("unread_outer", "unread_outer.inner")
    module = importlib.import_module("unread_outer.inner.module")
    assert module.value == 5
    outer, inner = sys.modules["unread_outer"], sys.modules["unread_outer.inner"]
    assert outer.inner is inner
    assert "given" not in vars(outer)
    assert "here" not in vars(inner)


@pytest.mark.parametrize("asked", ["given", "__version__", "runs"])
def test_whoever_asks_gets_what_the_file_defines_and_it_is_run_once(
    package: Path, asked: str
) -> None:
    leave_unread("unread_outer", "unread_outer.inner")
    module = importlib.import_module("unread_outer.inner.module")
    outer = importlib.import_module("unread_outer")
    expected = {"given": 5, "__version__": "7", "runs": 1}
    assert getattr(outer, asked) == expected[asked]
    assert {name: getattr(outer, name) for name in expected} == expected
    assert importlib.import_module("unread_outer.inner").here == 1
    assert sys.modules["unread_outer.inner.module"] is module
    with pytest.raises(AttributeError, match="nobody"):
        _ = outer.nobody


def test_a_file_that_fails_says_so_to_everyone_who_asks(package: Path) -> None:
    (package / "__init__.py").write_text("raise RuntimeError('broken')\n")
    leave_unread("unread_outer")
    outer = importlib.import_module("unread_outer")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="broken"):
            _ = outer.given


def test_what_is_imported_or_not_there_is_left_alone(package: Path) -> None:
    outer = importlib.import_module("unread_outer")
    leave_unread("unread_outer", "unread_outer.inner.module", "no_such_package")
    assert sys.modules["unread_outer"] is outer
    assert outer.given == 5
    assert "no_such_package" not in sys.modules


def test_the_sdk_serves_without_its_client_and_is_whole_for_who_wants_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SDK], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.splitlines() == [
        "False False",
        "mcp.client.client MCPServer ServerSession",
    ], done.stderr
