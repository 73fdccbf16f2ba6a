"""smart_search: where something is defined or said in a workspace, within a price."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from memfold.code.index.build import Progress
from memfold.code.index.keeper import SymbolKeeper
from memfold.code.index.search import Hit
from memfold.display import one_line
from memfold.errors import InvalidInput
from memfold.store.needs.symbols import Within

WAIT_S = 8.0  # for an index that is being made
MOST_RESULTS = 100
MOST_QUERY = 200
_LINE_BYTES = 240


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
