"""Ids of a memory that was taken over, as the ids they have here.

``cm41`` is observation 41 of the first such memory, ``cmS7`` its summary 7, ``cmP12`` its prompt
12; ``cm2.41`` is observation 41 of the second. They are read before a call is looked at, so that
every rule holds for what they stand for: what the last reply did not list cannot be chosen by
either name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memfold.records import Kind
from memfold.store.ports import Takeover

_ALIAS = re.compile(r"\[?#?cm(?:([1-9]\d{0,5})\.)?([SP]?)(\d{1,18})\]?", re.IGNORECASE)
_KINDS: dict[str, Kind] = {"": "observation", "S": "summary", "P": "prompt"}
_LISTS = ("selectedIds", "ids", "observation_ids")
_ONES = ("anchor",)


def with_own_ids(takeover: Takeover, args: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments with each alias that is known replaced; anything else is left as it is."""
    found: dict[str, Any] = {}
    for name in _LISTS:
        given = args.get(name)
        if isinstance(given, list | tuple) and any(_may_be(one) for one in given):
            found[name] = [own_id(takeover, one) for one in given]
    for name in _ONES:
        if _may_be(args.get(name)):
            found[name] = own_id(takeover, args[name])
    return {**args, **found} if found else args


def own_id(takeover: Takeover, value: Any) -> Any:
    """``cmS7`` as ``S12``; anything that is no alias of an entry as it was given."""
    match = _ALIAS.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return value
    letter = match.group(2).upper()
    memory = int(match.group(1) or 1)
    entry_id = takeover.entry_of_alias(memory, _KINDS[letter], int(match.group(3)))
    return value if entry_id is None else f"{letter}{entry_id}"


def _may_be(value: Any) -> bool:
    return isinstance(value, str) and value.strip(" [#")[:2].lower() == "cm"
