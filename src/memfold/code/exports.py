"""What of a file others may use, by the rules of its language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from memfold.code.symbols import Symbol

_WORD = re.compile(r"[A-Za-z_]\w*")
_INSIDE = re.compile(r"\([^()]*\)|\"[^\"\n]*\"")
# What stands inside these is theirs alone.
CLOSED = frozenset({"function", "method", "constructor", "private function", "closure", "variable"})
# Of a name, its kind, the header, whether it stands in an `export`, and what it is in.
Test = Callable[[str, str, bytes, bool, Symbol | None], bool]


@dataclass(frozen=True, slots=True)
class Rules:
    """Says of each symbol whether others may use it."""

    test: Test

    def exported(
        self, name: str, kind: str, header: bytes, wrapped: bool, parent: Symbol | None
    ) -> bool:
        """``header``: from its start to its body. ``wrapped``: it stands in an ``export``."""
        if parent is not None and (not parent.exported or parent.kind in CLOSED):
            return False
        return self.test(name, kind, header, wrapped, parent)


def rules(language: str, names: frozenset[str]) -> Rules:
    """The language's rules. ``names``: what the file itself says that it exports."""
    test = _TESTS.get(language, _always)
    if not names:
        return Rules(test)
    return Rules(
        lambda name, kind, header, wrapped, parent: (
            name in names or (wrapped and "export" in _words(header))
            if parent is None
            else test(name, kind, header, wrapped, parent)
        )
    )


def _words(header: bytes) -> set[str]:
    return set(_WORD.findall(_INSIDE.sub(" ", header.decode("utf-8", "replace"))))


def _always(*_told: object) -> bool:
    return True


def _underscore(name: str, *_told: object) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _capital(name: str, *_told: object) -> bool:
    return name[:1].isupper()


def _not(*hidden: str) -> Test:
    return lambda _name, _kind, header, _wrapped, _in: _words(header).isdisjoint(hidden)


def _any(*shown: str) -> Test:
    return lambda _name, _kind, header, _wrapped, _in: not _words(header).isdisjoint(shown)


def _script(name: str, _kind: str, header: bytes, _wrapped: bool, parent: Symbol | None) -> bool:
    if parent is None:
        return "export" in _words(header)
    return not (name.startswith("#") or _words(header) & {"private", "protected"})


def _rust(_name: str, kind: str, header: bytes, _wrapped: bool, parent: Symbol | None) -> bool:
    if kind in {"impl", "macro"} or (parent is not None and parent.kind in {"trait", "enum"}):
        return True
    return (parent is not None and parent.kind == "impl" and " for " in parent.signature) or (
        "pub" in _words(header)
    )


def _java(_name: str, kind: str, header: bytes, _wrapped: bool, parent: Symbol | None) -> bool:
    if parent is not None and parent.kind in {"interface", "annotation"}:
        return "private" not in _words(header)
    return (kind == "constant" and parent is not None and parent.kind == "enum") or (
        "public" in _words(header)
    )


def _csharp(_name: str, kind: str, header: bytes, _wrapped: bool, parent: Symbol | None) -> bool:
    if kind in {"namespace", "constant"} or (parent is not None and parent.kind == "interface"):
        return "private" not in _words(header)
    return "public" in _words(header)


def _swift(_name: str, kind: str, header: bytes, _wrapped: bool, parent: Symbol | None) -> bool:
    if kind in {"extension", "case"} or (parent is not None and parent.kind == "protocol"):
        return _words(header).isdisjoint({"private", "fileprivate"})
    return not _words(header).isdisjoint({"public", "open"})


_TESTS: dict[str, Test] = {
    "python": _underscore,
    "dart": lambda name, *_told: not name.startswith("_"),
    "javascript": _script,
    "jsx": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _capital,
    "rust": _rust,
    "java": _java,
    "csharp": _csharp,
    "swift": _swift,
    "c": _not("static"),
    "cpp": _not("static"),
    "php": _not("private", "protected"),
    "kotlin": _not("private", "internal", "protected"),
    "scala": _not("private", "protected"),
    "lua": _not("local"),
    "elixir": _not("defp", "defmacrop"),
    "zig": _any("pub", "export", "test"),
}
