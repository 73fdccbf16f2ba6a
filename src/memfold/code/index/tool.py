"""smart_search: where something is defined or said in a workspace, within a price."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from memfold.code.index.build import Progress
from memfold.code.index.keeper import SymbolKeeper
from memfold.code.index.search import Hit
from memfold.code.workspace import roots_of
from memfold.display import one_line
from memfold.errors import InvalidInput
from memfold.records import Caller, ToolReply
from memfold.store.needs.symbols import Within

WAIT_S = 8.0  # for an index that is being made
MOST_RESULTS = 100
MOST_QUERY = 200
_LINE_BYTES = 240
_STEP_S = 0.5  # between two lines of progress


def search_reply(keeper: SymbolKeeper, args: Mapping[str, Any], caller: Caller) -> ToolReply:
    """smart_search for an agent, in the workspace it works in."""
    roots = roots_of(caller.cwd)
    if not roots:
        raise InvalidInput(
            "This session has no workspace to search in.",
            "Start the agent in the project's directory.",
        )
    hits, progress = smart_search(keeper, roots[0], args)
    return ToolReply(reply(str(args.get("query", "")), hits, progress))


def told_symbols(keeper: SymbolKeeper, wish: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """smart_search for a person: progress ``{"done", "total"}``, then ``{"result": ...}``.

    ``wish``: the tool's arguments, ``path`` absolute. Raises InvalidInput, StoreError.
    """
    path = os.path.realpath(str(wish.get("path", "")))
    roots = roots_of(path if os.path.isdir(path) else os.path.dirname(path))
    if not roots:
        raise InvalidInput(f"{path} is in no workspace.", "Name a folder or file of a project.")
    while not (progress := keeper.ready(roots[0], _STEP_S)).is_whole:
        yield {"done": progress.done, "total": progress.total}
    hits, progress = smart_search(keeper, roots[0], {**wish, "path": path})
    text = reply(str(wish.get("query", "")), hits, progress)
    told = [
        {
            "path": hit.path,
            "line": hit.line,
            "rank": hit.rank,
            **({"text": hit.text} if hit.symbol is None else asdict(hit.symbol)),
        }
        for hit in hits
    ]
    yield {"result": {"root": roots[0], "hits": told, "files": progress.files, "text": text}}


def smart_search(
    keeper: SymbolKeeper, root: str, args: Mapping[str, Any], wait_s: float = WAIT_S
) -> tuple[tuple[Hit, ...], Progress]:
    """(hits, best first; how far the index is). Raises InvalidInput, StoreError."""
    query = str(args.get("query", "")).strip()
    if not 0 < len(query) <= MOST_QUERY:
        raise InvalidInput(
            f"The query has {len(query):,} characters.", f"Give 1 to {MOST_QUERY}: a name or words."
        )
    under = _under(root, str(args.get("path") or ""))
    most = min(int(args.get("max_results", 20)), MOST_RESULTS)
    progress = keeper.ready(root, wait_s)
    pattern = str(args.get("file_pattern") or "")
    return keeper.find(root, query, most, Within(under, pattern)), progress


def _under(root: str, path: str) -> str:
    """``path`` below the root; '' for the root itself. Raises InvalidInput."""
    if not path or "\0" in path:
        return ""
    real = os.path.realpath(os.path.join(root, path))
    if real == root:
        return ""
    if not real.startswith(root.rstrip("/") + "/"):
        raise InvalidInput(f"{path} is outside {root}.", "Name a file or folder inside it.")
    return os.path.relpath(real, root)


def reply(query: str, hits: Sequence[Hit], progress: Progress) -> str:
    """A line a hit: place, then what stands there."""
    lines = [_line(hit) for hit in hits]
    if not lines:
        lines = [f"Nothing in {progress.files:,} files fits {one_line(query, 100)!r}."]
        if len(query.split()) > 1:
            lines.append("One line must hold all of its words: ask for fewer.")
    if not progress.is_whole:
        lines.append(
            f"The index is being made: {progress.done:,} of {progress.total:,} files are read. "
            "Ask again for the rest."
        )
    if progress.left_out:
        lines.append(f"{progress.left_out:,} files are not looked at: there are too many.")
    return "\n".join(lines)


def _line(hit: Hit) -> str:
    symbol = hit.symbol
    if symbol is None:
        return one_line(f"{hit.path}:{hit.line}: {hit.text}", _LINE_BYTES)
    name = f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name
    said = symbol.signature if symbol.name in symbol.signature else f"{name} {symbol.signature}"
    shown = f"{hit.path}:{symbol.line}-{symbol.end_line} {symbol.kind} {name}: {said}"
    return one_line(shown, _LINE_BYTES)
