"""What gate and index need of outlines: whether a path is code, and what is in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources
from zlib import crc32

from memfold.code.apart import outline
from memfold.code.index.build import Parsers
from memfold.code.languages import is_code as is_code_language
from memfold.code.languages import language_of
from memfold.code.render import render
from memfold.code.symbols import Outline, Symbol
from memfold.code.text import text_of
from memfold.code.workspace import is_secret
from memfold.errors import MemfoldError
from memfold.store.needs.symbols import SymbolRow

GATE_OUTLINE_BYTES = 9_000  # of the 12,000 that the answer to a read may have


def is_code(path: str) -> bool:
    """Whether the gate may answer for it: code that can be outlined, and no secret."""
    return is_code_language(language_of(path)) and not is_secret(path)


def outline_text(path: str, data: bytes) -> str:
    """What stands for a read of the file; '' where it cannot be outlined as a whole."""
    found = _outline(path, data)
    if found is None or not found.symbols or found.cut_short:
        return ""
    return render(found, path, GATE_OUTLINE_BYTES)


def _outline(path: str, data: bytes) -> Outline | None:
    try:
        return outline(data, language_of(path))
    except MemfoldError:
        return None  # binary, or in no language we know


def outlines_made_by() -> int:
    """Stands for the code and the queries that outlines are made by."""
    own = resources.files("memfold.code")
    folders = (own, own / "queries")
    files = sorted((one for folder in folders for one in folder.iterdir()), key=lambda f: f.name)
    made = 0
    for file in files:
        if file.name.endswith((".py", ".scm")):
            made = crc32(file.read_bytes(), made)
    return made


def parsers(clean: Callable[[str], str]) -> Parsers:
    """How the index reads files. ``clean``: takes secrets out of a text that is kept."""

    def symbols_of(path: str, data: bytes) -> Sequence[SymbolRow]:
        found = _outline(path, data)
        if found is None:
            return ()
        said = "\n".join(f"{one.signature}\n{one.doc}" for one in found.symbols)
        kept = clean if clean(said) != said else str  # one look for a file without any
        return [_row(one, kept) for one in found.symbols]

    return Parsers(
        wanted=lambda path: not is_secret(path),
        language=language_of,
        symbols=symbols_of,
        text=text_of,
    )


def _row(one: Symbol, clean: Callable[[str], str]) -> SymbolRow:
    return SymbolRow(
        name=one.name,
        kind=one.kind,
        line=one.line,
        end_line=one.end_line,
        parent=one.scope,
        signature=clean(one.signature),
        doc=clean(one.doc),
        exported=one.exported,
    )
