"""The arguments of ``mem_search`` checked: a new search, or a continuation of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from memfold.disclose.refs import ref_of
from memfold.disclose.search.dates import moment_ms
from memfold.errors import InvalidInput
from memfold.measure import utf8_bytes
from memfold.records import SearchFilters

MAX_QUERY_CHARS = 500
MAX_QUERY_BYTES = 1_024
MAX_PROJECT_BYTES = 256
MAX_FILTERS = 20
MAX_FILTER_BYTES = 256
_RANGES = {  # name: (least, most, default)
    "limit": (1, 20, 20),
    "maxDetails": (1, 5, 3),
    "depthBefore": (0, 3, 2),
    "depthAfter": (0, 3, 2),
}
_LISTS = ("types", "concepts", "files")
_OPTIONS = ("mode", "query", "project", *_RANGES, *_LISTS, "since", "until")
_ARGS = (*_OPTIONS, "continuation", "selectedIds")


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a search was begun with; frozen for all its steps."""

    query: str
    mode: str = "guided"
    project: str = ""  # as given; empty = the session's own
    limit: int = 20
    max_details: int = 3
    depth_before: int = 2
    depth_after: int = 2
    types: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    since: str = ""  # as given
    until: str = ""
    since_ms: int | None = None
    until_ms: int | None = None

    @property
    def filters(self) -> SearchFilters:
        return SearchFilters(self.types, self.concepts, self.files, self.since_ms, self.until_ms)

    def value(self, name: str) -> object:
        """The value of an argument by the name an agent uses."""
        return getattr(self, _FIELD.get(name, name))


_FIELD = {
    "maxDetails": "max_details",
    "depthBefore": "depth_before",
    "depthAfter": "depth_after",
}


@dataclass(frozen=True, slots=True)
class Continue:
    """The next step of a search."""

    cursor: str
    selected: tuple[str, ...]  # refs as shown: 41, S7, P12; no repeats
    repeated: Mapping[str, object]  # options given again; they must be the same


def parse(args: Mapping[str, Any], now_ms: int) -> Options | Continue:
    """Raises InvalidInput that names the argument and what would be right."""
    unknown = sorted(str(name) for name in args if name not in _ARGS)
    if unknown:
        raise InvalidInput(
            f"mem_search has no argument `{unknown[0][:60]}`.", f"It takes {', '.join(_ARGS)}."
        )
    given = {name: value for name, value in args.items() if value is not None}
    options = _checked(given)
    if "continuation" in given:
        cursor = given["continuation"]
        if not isinstance(cursor, str):
            raise InvalidInput("`continuation` must be the cursor of the last reply, a text.")
        if "selectedIds" not in given:
            raise InvalidInput(
                "A continuation needs `selectedIds`.",
                "Give ids shown by the last reply, or [] to end the search.",
            )
        return Continue(cursor, _refs(given["selectedIds"]), options)
    if "selectedIds" in given:
        raise InvalidInput(
            "`selectedIds` came without `continuation`.",
            "Give the cursor of the last reply with it, or start with `query` alone.",
        )
    if "query" not in options:
        raise InvalidInput("`query` is missing.", "Give 1 to 500 characters to look for.")
    values: dict[str, Any] = {_FIELD.get(name, name): value for name, value in options.items()}
    since = values.get("since")
    until = values.get("until")
    since_ms = moment_ms(since, "since", now_ms) if since else None
    until_ms = moment_ms(until, "until", now_ms, end=True) if until else None
    if since_ms is not None and until_ms is not None and since_ms > until_ms:
        raise InvalidInput("`since` is later than `until`.")
    return Options(**values, since_ms=since_ms, until_ms=until_ms)


def _checked(given: Mapping[str, Any]) -> dict[str, object]:
    """The options given, each of its type and in its range."""
    options: dict[str, object] = {}
    if "query" in given:
        options["query"] = _query(given["query"])
    if "mode" in given:
        if given["mode"] not in ("guided", "auto"):
            raise InvalidInput(f"`mode` is {_said(given['mode'])}.", "It takes guided or auto.")
        options["mode"] = given["mode"]
    for name, most in (("project", MAX_PROJECT_BYTES), ("since", 64), ("until", 64)):
        if name in given:
            options[name] = _text(given[name], name, most)
    for name, (least, most, _) in _RANGES.items():
        if name in given:
            value = given[name]
            if isinstance(value, bool) or not isinstance(value, int):
                raise InvalidInput(f"`{name}` must be a whole number, not {_said(value)}.")
            if not least <= value <= most:
                raise InvalidInput(f"`{name}` is {value}.", f"It must be from {least} to {most}.")
            options[name] = value
    for name in _LISTS:
        if name in given:
            options[name] = _texts(given[name], name)
    return options


def _query(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"`query` must be a text, not {_said(value)}.")
    # A lone surrogate cannot be encoded; it becomes a question mark, which finds nothing.
    query = value.encode("utf-8", "replace").decode("utf-8").strip()
    if not 1 <= len(query) <= MAX_QUERY_CHARS or utf8_bytes(query) > MAX_QUERY_BYTES:
        raise InvalidInput(
            f"`query` is {len(query)} characters, {utf8_bytes(query)} bytes.",
            f"It takes 1 to {MAX_QUERY_CHARS} characters and up to {MAX_QUERY_BYTES:,} bytes.",
        )
    return query


def _text(value: object, name: str, most_bytes: int) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"`{name}` must be a text, not {_said(value)}.")
    text = value.encode("utf-8", "replace").decode("utf-8").strip()
    if not text or utf8_bytes(text) > most_bytes:
        raise InvalidInput(
            f"`{name}` is {utf8_bytes(text)} bytes long.", f"It takes 1 to {most_bytes}."
        )
    return text


def _texts(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise InvalidInput(f"`{name}` must be a list of texts, not {_said(value)}.")
    if len(value) > MAX_FILTERS:
        raise InvalidInput(f"`{name}` holds {len(value)}.", f"It takes up to {MAX_FILTERS}.")
    return tuple(_text(one, f"{name}[{at}]", MAX_FILTER_BYTES) for at, one in enumerate(value))


def _refs(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise InvalidInput("`selectedIds` must be a list.", 'Such as [41, "S7"], or [] to end.')
    most = _RANGES["maxDetails"][1]
    if len(value) > most:
        raise InvalidInput(
            f"`selectedIds` holds {len(value)} ids.", f"Choose up to `maxDetails`, at most {most}."
        )
    refs: dict[str, None] = {}
    for one in value:
        if isinstance(one, bool) or not isinstance(one, int | str):
            raise InvalidInput(f"`selectedIds` holds {_said(one)}.", "Ids look like 41, S7 or P12.")
        refs[ref_of(one)] = None
    return tuple(refs)


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)[:40]
