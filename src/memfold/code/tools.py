"""The tools smart_outline and smart_unfold: a file of the workspace, as an agent asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memfold.code.apart import outline
from memfold.code.languages import language_of
from memfold.code.render import render
from memfold.code.symbols import Outline
from memfold.code.unfold import unfold
from memfold.code.workspace import read_source, roots_of
from memfold.errors import InvalidInput
from memfold.records import Caller, ToolReply


def smart_outline(args: Mapping[str, Any], caller: Caller) -> ToolReply:
    """The outline of ``file_path``. Raises InvalidInput."""
    path = str(args["file_path"])
    found = outline_of_file(path, roots_of(caller.cwd), caller.cwd)
    return ToolReply(render(found, path))


def smart_unfold(args: Mapping[str, Any], caller: Caller) -> ToolReply:
    """The source of ``symbol_name`` in ``file_path``. Raises InvalidInput, NotFound."""
    path, symbol = str(args["file_path"]), str(args["symbol_name"])
    return ToolReply(
        unfold_in_file(
            path, symbol, roots_of(caller.cwd), caller.cwd, from_line=int(args.get("from_line", 0))
        )
    )


def outline_of_file(path: str, roots: Sequence[str] | None, cwd: str = "") -> Outline:
    """What is in the file. ``roots`` as for read_source. Raises InvalidInput."""
    language = _language(path)
    return outline(read_source(path, roots, cwd), language)


def unfold_in_file(
    path: str, symbol: str, roots: Sequence[str] | None, cwd: str = "", *, from_line: int = 0
) -> str:
    """The symbol's source. Raises InvalidInput, NotFound."""
    language = _language(path)
    return unfold(read_source(path, roots, cwd), language, path, symbol, from_line)


def _language(path: str) -> str:
    language = language_of(path)
    if not language:
        raise InvalidInput(
            f"{path[:300]} is in no language that has an outline.", "Read the file instead."
        )
    return language
