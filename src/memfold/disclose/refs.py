"""Ids and numbers that an agent types, checked."""

from __future__ import annotations

import re

from memfold.errors import InvalidInput
from memfold.records import Kind

_REF = re.compile(r"\[?#?([SP]?)(\d{1,18})\]?", re.IGNORECASE)
_KINDS: dict[str, Kind] = {"": "observation", "S": "summary", "P": "prompt"}
MAX_ID = 2**63 - 1


def kind_and_id(value: object, name: str) -> tuple[Kind, int]:
    """``41``, ``S7`` or ``P12`` as (kind, id). Raises InvalidInput."""
    if isinstance(value, int | str) and not isinstance(value, bool):
        match = _REF.fullmatch(str(value).strip())
        if match:
            return _KINDS[match.group(1).upper()], int(match.group(2))
    raise InvalidInput(f"`{name}` holds {repr(value)[:40]}.", "Ids look like 41, S7 or P12.")


def ref_of(value: int | str) -> str:
    """The id as it is shown: ``s7`` and ``[S7]`` are ``S7``. Anything else is left as it is."""
    text = str(value).strip()
    match = _REF.fullmatch(text)
    return f"{match.group(1).upper()}{int(match.group(2))}" if match else text


def observation_id(value: object) -> int:
    """The number of an observation. Raises InvalidInput for other kinds."""
    kind, number = kind_and_id(value, "observation_ids")
    if kind != "observation":
        raise InvalidInput(
            f"{str(value)[:20]} is a {kind}; evidence belongs to observations.",
            "Give ids such as 41.",
        )
    return number


def whole_number(value: object, name: str, least: int, most: int | None) -> int:
    """``value`` in its range. Raises InvalidInput."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"`{name}` must be a whole number, not {repr(value)[:40]}.")
    if value < least or (most is not None and value > most):
        bounds = f"{least:,} or more" if most is None else f"from {least:,} to {most:,}"
        raise InvalidInput(f"`{name}` is {value:,}.", f"It must be {bounds}.")
    return value


def whole_numbers(value: object, name: str, most_ids: int) -> tuple[int, ...]:
    """A list of ids without repeats; empty for None. Raises InvalidInput."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or len(value) > most_ids:
        raise InvalidInput(f"`{name}` must be a list of up to {most_ids} ids.")
    numbers = (_number(one, name) for one in value)
    return tuple(dict.fromkeys(numbers))


def _number(value: object, name: str) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:19])
    return whole_number(value, f"{name}[]", 0, MAX_ID)
