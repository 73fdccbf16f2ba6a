"""Tool arguments checked against the tool's schema, with the right name or type in the refusal."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from memfold.errors import InvalidInput

Schema = Mapping[str, Any]

# What agents write when they mean one of ours: other memory tools' words for the same thing.
_OTHER_WORDS = {
    "cursor": "continuation",
    "q": "query",
    "text": "query",
    "search": "query",
    "max_results": "limit",
    "maxResults": "limit",
    "n": "limit",
    "project_name": "project",
    "dateStart": "since",
    "dateEnd": "until",
    "from": "since",
    "to": "until",
    "type": "types",
    "obs_type": "types",
    "list_name": "list",
    "name": "list",
    "todos": "items",
    "tasks": "items",
    "ids": "selectedIds",
    "id": "ids",
    "observationIds": "observation_ids",
    "maxBytes": "max_bytes",
}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}
_ARTICLES = {"integer": "a whole number", "array": "a list", "object": "an object"}


def check(tool: str, schema: Schema, args: Mapping[str, Any]) -> None:
    """Nothing, or InvalidInput that names the argument, what it takes and the right name.

    Checks names, presence, types, ``enum`` and bounds: the part of JSON Schema the tools use.
    """
    properties: Mapping[str, Schema] = schema["properties"]
    for name, value in args.items():
        if name not in properties:
            raise InvalidInput(
                f"{tool} has no argument `{name}`.", _right_name(name, tuple(properties), args)
            )
        _check_value(name, properties[name], value)
    for name in schema.get("required", ()):
        if name not in args:
            raise InvalidInput(f"{tool} needs `{name}`.", f"Call again with `{name}`.")


def _right_name(name: str, known: tuple[str, ...], args: Mapping[str, Any]) -> str:
    if not known:
        return "Call it with no arguments."
    other = _OTHER_WORDS.get(name)
    if other in known and other not in args:
        return f"Use `{other}`."
    folded = {word.lower().replace("_", ""): word for word in known}
    near = difflib.get_close_matches(name.lower().replace("_", ""), folded, 1, 0.7)
    if near:
        return f"Did you mean `{folded[near[0]]}`?"
    return f"It takes {', '.join(f'`{word}`' for word in known)}."


def _check_value(name: str, schema: Schema, value: Any) -> None:
    types = _types(schema)
    if types and not any(_is(value, one) for one in types):
        wanted = " or ".join(_ARTICLES.get(one, f"a {one}") for one in types)
        raise InvalidInput(f"`{name}` must be {wanted}, not {_said(value)}.")
    if "enum" in schema and value not in schema["enum"]:
        words = ", ".join(f"`{word}`" for word in schema["enum"])
        raise InvalidInput(f"`{name}` is {_said(value)}.", f"It takes one of {words}.")
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"from {low:,} to {high:,}" if high is not None else f"{low:,} or more"
        raise InvalidInput(f"`{name}` is {value}.", f"It must be {bounds}.")
    if isinstance(value, list | tuple) and "items" in schema:
        for index, item in enumerate(value):
            _check_value(f"{name}[{index}]", schema["items"], item)


def _types(schema: Schema) -> tuple[str, ...]:
    given = schema.get("type", ())
    return (given,) if isinstance(given, str) else tuple(given)


def _is(value: Any, type_name: str) -> bool:
    if isinstance(value, bool) and type_name in {"integer", "number"}:
        return False  # Python counts True as 1; JSON does not
    return isinstance(value, _TYPES[type_name])


def _said(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    if isinstance(value, bool | int | float):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return "a list" if isinstance(value, list | tuple) else "an object"
