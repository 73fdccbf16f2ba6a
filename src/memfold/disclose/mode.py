"""A mode: the types, symbols and concepts that a kind of work is filed under.

Shipped modes lie in ``modes/``; a person's own are found by ``mode_shelf.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from memfold.disclose.mode_file import (
    MAX_CONCEPTS,
    MAX_TYPES,
    Concept,
    ModeFile,
    TypeOf,
    nearest,
    read_file,
)
from memfold.errors import InvalidInput

DEFAULT = "code"
SESSION_SYMBOL = "◎"
PROMPT_SYMBOL = "›"
NEUTRAL_SYMBOL = "□"  # a type of another mode: shown, never invisible
OWN_SIGNS = {  # no type may have these: they mean something on an entry's line already
    SESSION_SYMBOL: "sessions",
    PROMPT_SYMBOL: "prompts",
    NEUTRAL_SYMBOL: "types of other modes",
    '"': "the same minute",
    "·": "the parts of a line",
    "×": "counts",
    ",": "lists",
}
MAX_CHAIN = 8  # a mode and those it extends, one after the other
_FOLDER = Path(__file__).parent / "modes"
_LANGUAGE = "en"


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """A mode with all that it inherits."""

    id: str
    name: str
    language: str  # a tag such as en; what a model observer is to write in
    types: tuple[TypeOf, ...]  # its own first, then those it inherits
    concepts: tuple[Concept, ...]
    instructions: str = ""  # for a model observer
    extends: tuple[str, ...] = ()  # the modes it inherits from, nearest first

    def symbol(self, type_id: str) -> str:
        for one in self.types:
            if one.id == type_id:
                return one.symbol
        return NEUTRAL_SYMBOL

    def type_ids(self, names: Sequence[str]) -> tuple[str, ...]:
        """``names`` as given, and the ids of the types that they name by label or loosely.

        Nothing is refused or left out: a name may be a type of another mode.
        """
        by_label = {_loose(one.label): one.id for one in self.types}
        return _with_ids(names, by_label | {_loose(one.id): one.id for one in self.types})

    def concept_ids(self, names: Sequence[str]) -> tuple[str, ...]:
        """The same for concepts."""
        return _with_ids(names, {_loose(one.id): one.id for one in self.concepts})


def _loose(name: str) -> str:
    return name.casefold().replace("_", " ").replace("-", " ").strip()


def _with_ids(names: Sequence[str], by_name: dict[str, str]) -> tuple[str, ...]:
    meant = [by_name[_loose(name)] for name in names if _loose(name) in by_name]
    return (*names, *(one for one in dict.fromkeys(meant) if one not in names))


def joined(chain: Sequence[ModeFile]) -> Mode:
    """The mode of ``chain[0]``; each extends the next, the last extends none.

    Its own types stand first, then the inherited ones that it neither drops nor says itself.
    Raises InvalidInput that names the file.
    """
    types: tuple[TypeOf, ...] = ()
    concepts: tuple[Concept, ...] = ()
    for file in reversed(chain):
        _check_drop(file, [*(one.id for one in types), *(one.id for one in concepts)])
        gone = {*file.drop, *(one.id for one in file.types)}
        inherited = [one for one in types if one.id not in gone]
        _check_symbols(file, inherited)
        types = (*file.types, *inherited)
        gone = {*file.drop, *(one.id for one in file.concepts)}
        concepts = (*file.concepts, *(one for one in concepts if one.id not in gone))
        _check_count(file, "types", len(types), MAX_TYPES)
        _check_count(file, "concepts", len(concepts), MAX_CONCEPTS)
    if not types:
        raise InvalidInput(
            f"{chain[0].where}: the mode has no types.", "Give `types`, or drop fewer of them."
        )
    return Mode(
        id=chain[0].id,
        name=chain[0].name,
        language=next((one.language for one in chain if one.language), _LANGUAGE),
        types=types,
        concepts=concepts,
        instructions=next((one.instructions for one in chain if one.instructions), ""),
        extends=tuple(one.id for one in chain[1:]),
    )


def _check_drop(file: ModeFile, inherited: Sequence[str]) -> None:
    own = {*(one.id for one in file.types), *(one.id for one in file.concepts)}
    for at, name in enumerate(file.drop):
        if not file.extends:
            raise InvalidInput(
                f"{file.where}: `drop` is given, but the mode extends none.",
                "Name the mode it inherits from in `extends`, or remove `drop`.",
            )
        if name not in inherited:
            raise InvalidInput(
                f"{file.where}: `drop[{at}]` is {name}, which {file.extends} does not have.",
                nearest(name, inherited),
            )
        if name in own:
            raise InvalidInput(
                f"{file.where}: {name} stands in `drop` and is given by the mode itself.",
                "Remove it from `drop`: what a mode says itself replaces what it inherits.",
            )


def _check_symbols(file: ModeFile, inherited: Sequence[TypeOf]) -> None:
    taken = {one.symbol: one for one in inherited}
    for at, one in enumerate(file.types):
        other = taken.get(one.symbol)
        if other is not None:
            raise InvalidInput(
                f"{file.where}: `types[{at}].symbol` is {one.symbol}, which {other.id}, inherited "
                f"from {other.origin}, has already.",
                f'Choose another symbol, or put "{other.id}" into `drop`.',
            )


def _check_count(file: ModeFile, key: str, count: int, most: int) -> None:
    if count > most:
        raise InvalidInput(
            f"{file.where}: the mode has {count} {key}, inherited ones included.",
            f"It takes up to {most}: put some into `drop`.",
        )


@cache
def shipped_ids() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


@cache
def shipped_file(mode_id: str) -> ModeFile:
    """One of ``shipped_ids()``."""
    return read_file(_FOLDER / f"{mode_id}.json", f"modes/{mode_id}.json", OWN_SIGNS)


@cache
def load_mode(mode_id: str) -> Mode:
    """The shipped mode of that id. Raises InvalidInput that names those there are."""
    if mode_id not in shipped_ids():
        raise InvalidInput(
            f"There is no mode {mode_id[:40]!r}.",
            f"Set `mode` to one of {', '.join(shipped_ids())}.",
        )
    chain = [shipped_file(mode_id)]
    while chain[-1].extends:
        chain.append(shipped_file(chain[-1].extends))
    return joined(chain)
