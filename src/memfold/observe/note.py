"""What an agent or a person writes down, as an observation; a refusal names the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memfold.display import one_line
from memfold.errors import InvalidInput
from memfold.records import Draft

MAX_TITLE_CHARS = 120
MAX_TEXT_CHARS = 4_000
MAX_CONCEPTS = 3
MAX_FILES = 20
MAX_PATH_CHARS = 500
USUAL_TYPE = "discovery"
OBSERVER = "note/1"  # who made such an observation
_TITLE_BYTES = 4 * MAX_TITLE_CHARS


def note_of(
    args: Mapping[str, Any], types: Sequence[str], concepts: Sequence[str], at_ms: int
) -> Draft:
    """The observation that a ``memory_note`` call asks for. Raises InvalidInput.

    ``types`` and ``concepts``: those of the mode. Without a type it is a discovery, or in a mode
    without those its first type.
    """
    long = len(" ".join(str(args["title"]).split()))
    title = one_line(str(args["title"]), _TITLE_BYTES).strip()
    if not title or long > MAX_TITLE_CHARS:
        raise InvalidInput(
            f"`title` is {long if title else 0:,} characters long; it takes 1 to "
            f"{MAX_TITLE_CHARS}.",
            "Say the fact in one line; the rest goes into `text`.",
        )
    text = str(args.get("text", "")).strip()
    if len(text) > MAX_TEXT_CHARS:
        raise InvalidInput(
            f"`text` is {len(text):,} characters long; it takes up to {MAX_TEXT_CHARS:,}.",
            "Keep what the next session needs, or write several notes.",
        )
    return Draft(
        type=_one_of(
            "type", str(args.get("type", USUAL_TYPE if USUAL_TYPE in types else types[0])), types
        ),
        title=title,
        narrative=text,
        concepts=tuple(
            _one_of("concepts", one, concepts)
            for one in _texts(args.get("concepts"), "concepts", MAX_CONCEPTS, 40)
        ),
        files_read=tuple(_texts(args.get("files"), "files", MAX_FILES, MAX_PATH_CHARS)),
        at_ms=at_ms,
        observer=OBSERVER,
    )


def _one_of(field: str, given: str, known: Sequence[str]) -> str:
    if given in known:
        return given
    said = ", ".join(known)
    raise InvalidInput(f"`{field}` is {given[:40]!r}.", f"This mode has {said}.")


def _texts(value: Any, field: str, most: int, most_chars: int) -> list[str]:
    given = [one_line(str(one), most_chars * 4).strip() for one in value or ()]
    if len(given) > most:
        raise InvalidInput(f"`{field}` holds {len(given)}; it takes up to {most}.")
    for one in given:
        if not 1 <= len(one) <= most_chars:
            raise InvalidInput(
                f"`{field}` holds a text of {len(one):,} characters; each has 1 to {most_chars}."
            )
    return list(dict.fromkeys(given))
