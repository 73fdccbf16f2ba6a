"""Which tags of ctags are symbols, and why the others are not.

A tag is left out only by what ctags says of it (its kind, its name, what it stands in) or by the
text where it stands, never by whether we find it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tag:
    """A line of ctags."""

    name: str
    kind: str
    line: int
    inside: str  # the kind of what it is in; "" at the top


@dataclass(frozen=True, slots=True)
class Reader:
    """How ctags reads one of our languages."""

    name: str  # ctags's own
    more: str = ""  # kinds that it tells only when asked
    no_symbols: Mapping[str, str] = field(default_factory=dict)  # kind -> why


_PACKAGE = "the package of the whole file"
_IMPORT = "an import"
_WEB = Reader("TypeScript")
READERS: Mapping[str, Reader] = {
    "javascript": Reader("JavaScript"),
    "jsx": Reader("JavaScript"),
    "typescript": _WEB,
    "tsx": _WEB,
    "go": Reader("Go", no_symbols={"package": _PACKAGE}),
    "rust": Reader("Rust"),
    "java": Reader("Java", no_symbols={"package": _PACKAGE}),
    "c": Reader("C", more="px"),
    "cpp": Reader("C++", more="px"),
    "csharp": Reader("C#"),
    "ruby": Reader("Ruby"),
    "php": Reader("PHP", no_symbols={"alias": _IMPORT, "namespace": _PACKAGE}),
    "kotlin": Reader("Kotlin", no_symbols={"package": _PACKAGE}),
    "lua": Reader("Lua"),
    "bash": Reader("Sh", no_symbols={"heredoc": "the end of a here document"}),
    "elixir": Reader("Elixir"),
    "sql": Reader("SQL"),
    "css": Reader("CSS"),
    "scss": Reader("SCSS", no_symbols={"parameter": "a parameter"}),
}
_MADE_UP = re.compile(r"^(__anon|AnonymousFunction|anonymousObject|AnonymousClass|<)|<lambda>")
_LOCAL = frozenset({"function", "method", "func", "singletonMethod", "getter", "setter"})
_VALUES = frozenset({"constant", "variable", "field", "member", "local"})


def why_not(tag: Tag, language: str, lines: Sequence[str]) -> str:
    """Why the tag is no symbol; "" for one that is. ``lines``: the file's."""
    said = READERS[language].no_symbols.get(tag.kind, "")
    if said:
        return said
    if _MADE_UP.search(tag.name):
        return "a name made up for what has none"
    if tag.kind in _VALUES and tag.inside in _LOCAL:
        return "a variable inside a function"
    line = lines[tag.line - 1] if 0 < tag.line <= len(lines) else ""
    rule = _RULES.get(language)
    return rule(tag, line, lines) if rule else ""


def _c(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    if tag.kind == "enumerator" and re.match(rf"\s*{re.escape(tag.name)}\s*\(", line):
        return "a macro called where a constant may stand"
    if tag.kind == "namespace" and f"{tag.name}::" in line:
        return "the outer part of a namespace's name"
    return ""


def _css(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    if re.search(rf"\[[^\]]*\b{re.escape(tag.name)}\b|\]{re.escape(tag.name)}", line):
        return "a piece of a selector by attribute"
    return ""


def _script(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    if tag.name in {"const", "let", "var"}:
        return "a keyword that ctags takes for a name"
    if tag.kind in _VALUES and line[:1].isspace():
        return "a variable inside a block"
    return ""


def _kotlin(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    if re.search(rf"\{{ *{re.escape(tag.name)} *->|\bfor \({re.escape(tag.name)} in", line):
        return "a parameter of a lambda or a loop"
    if tag.kind in _VALUES and not re.search(rf"\b(?:val|var)\b.*\b{tag.name}\b", line):
        return "a parameter of a lambda or a loop"
    return ""


def _bash(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    name = re.escape(tag.name)
    if tag.kind == "function" and not re.match(rf"\s*(?:function\s+{name}|{name}\s*\()", line):
        return "an array or an option that ctags takes for a function"
    if tag.kind == "function" and tag.name.endswith("="):
        return "an array or an option that ctags takes for a function"
    return ""


def _csharp(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    if tag.kind == "field" and re.search(rf"\(.*\b{re.escape(tag.name)}\b.*\)\s*=>", line):
        return "a parameter that ctags takes for a field"
    return ""


def _lua(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    if tag.kind == "function" and re.search(r"\bfunction\b", line) is None:
        return "`function_arg(...)`, taken for a function by ctags"
    if re.fullmatch(r"[\w.:]+", tag.name) is None:
        return "the text of a pattern that ctags takes for a name"
    return ""


def _ruby(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    if tag.kind == "constant" and re.search(rf"\b{re.escape(tag.name)}\s*===", line):
        return "a comparison that ctags takes for a constant"
    if tag.kind == "accessor" and tag.name.endswith("="):
        return "the writer of an attribute that is one symbol"
    return ""


def _scss(tag: Tag, line: str, _lines: Sequence[str]) -> str:
    if tag.kind == "variable" and not re.match(rf"\s*\${re.escape(tag.name)}\s*:", line):
        return "a parameter, or a key of a map that ctags takes for a variable"
    return ""


def _elixir(tag: Tag, _line: str, lines: Sequence[str]) -> str:
    quotes = sum(line.count('"""') for line in lines[: tag.line - 1])
    return "an example inside a doc string" if quotes % 2 else ""


_RULES = {
    "jsx": _script, "typescript": _script, "tsx": _script, "c": _c, "cpp": _c, "csharp": _csharp,
    "ruby": _ruby, "kotlin": _kotlin, "lua": _lua, "bash": _bash, "elixir": _elixir, "css": _css,
    "scss": _scss,
}  # fmt: skip
