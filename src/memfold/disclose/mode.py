"""A mode: the types, symbols and concepts that a kind of work is filed under."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memfold.errors import InvalidInput

SESSION_SYMBOL = "◎"
PROMPT_SYMBOL = "›"
NEUTRAL_SYMBOL = "□"  # a type of another mode: shown, never invisible
_FOLDER = Path(__file__).parent / "modes"


@dataclass(frozen=True, slots=True)
class TypeOf:
    id: str
    symbol: str
    label: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Mode:
    id: str
    name: str
    types: tuple[TypeOf, ...]
    concepts: Mapping[str, str]  # id -> sentence

    def symbol(self, type_id: str) -> str:
        for one in self.types:
            if one.id == type_id:
                return one.symbol
        return NEUTRAL_SYMBOL


@cache
def load_mode(mode_id: str, folder: Path = _FOLDER) -> Mode:
    """The mode of that id. Raises InvalidInput that names those there are."""
    known = {path.stem: path for path in sorted(folder.glob("*.json"))}
    if mode_id not in known:
        raise InvalidInput(
            f"There is no mode {mode_id[:40]!r}.", f"Set `mode` to one of {', '.join(known)}."
        )
    data = json.loads(known[mode_id].read_text("utf-8"))
    return Mode(
        id=data["id"],
        name=data["name"],
        types=tuple(
            TypeOf(one["id"], one["symbol"], one["label"], one["sentence"]) for one in data["types"]
        ),
        concepts={one["id"]: one["sentence"] for one in data["concepts"]},
    )
