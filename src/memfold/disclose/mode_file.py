"""One mode as its JSON file says it: read, checked key by key, refused in one sentence.

Whatever the file holds, the answer is a ModeFile or InvalidInput. What a mode inherits is joined
in ``mode.py``. The format is told in docs/howto/add-a-mode.md.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from memfold.display import block, one_line
from memfold.errors import InvalidInput

ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
ID_RULE = "It takes 1 to 40 of a-z, 0-9, _ and -, beginning with a letter or digit."
MAX_FILE_BYTES = 64 * 1024
MAX_TYPES = 24
MAX_CONCEPTS = 24
MAX_DROPS = MAX_TYPES + MAX_CONCEPTS
MAX_NAME_CHARS = 60
MAX_LABEL_CHARS = 32
MAX_SENTENCE_CHARS = 240
MAX_INSTRUCTIONS_CHARS = 8_000
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_KEYS = ("id", "name", "extends", "language", "types", "concepts", "drop", "observer")
_TYPE_KEYS = ("id", "symbol", "label", "sentence")
_CONCEPT_KEYS = ("id", "sentence")
_OBSERVER_KEYS = ("instructions",)
_NAMED = 24  # as many names stand in a refusal
_BMP_END = 0xFFFF
# Letters and symbols by their category, and nothing to see all the same.
_LOOK_BLANK = frozenset("\u2800\u3164\u115f\u1160\uffa0")
_NO_SYMBOL = {"C": "a control or unassigned character", "M": "a combining mark", "Z": "a blank"}


class TypeOf(msgspec.Struct, frozen=True):
    id: str
    symbol: str  # one character of the Basic Multilingual Plane, unique in its mode
    label: str
    sentence: str
    origin: str = ""  # id of the mode whose file says it


class Concept(msgspec.Struct, frozen=True):
    id: str
    sentence: str
    origin: str = ""


class ModeFile(msgspec.Struct, frozen=True, kw_only=True):
    """What one file says, all of it checked; empty where the file says nothing."""

    id: str
    name: str
    extends: str = ""
    language: str = ""
    types: tuple[TypeOf, ...] = ()
    concepts: tuple[Concept, ...] = ()
    drop: tuple[str, ...] = ()
    instructions: str = ""
    where: str  # how sentences name the file


def read_file(path: Path, where: str, own_signs: Mapping[str, str]) -> ModeFile:
    """The file at ``path``. ``own_signs``: symbol -> what memfold uses it for.

    Raises InvalidInput whose sentence begins with ``where``.
    """
    try:
        if not path.is_file():  # a pipe would be waited for
            raise InvalidInput(f"{where}: this is not a file.", "Give a mode as a JSON file.")
        with path.open("rb") as file:
            body = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise InvalidInput(
            f"{where}: it cannot be read ({error.strerror}).", "Make it readable, or remove it."
        ) from error
    return parsed(body, where, own_signs)


def parsed(body: bytes, where: str, own_signs: Mapping[str, str]) -> ModeFile:
    """The mode in ``body``. Raises InvalidInput, whatever the bytes."""
    if len(body) > MAX_FILE_BYTES:
        raise InvalidInput(
            f"{where}: the file is over {MAX_FILE_BYTES // 1024} KiB.",
            "Shorten its sentences and instructions.",
        )
    reader = _Reader(where, own_signs)
    try:
        value = json.loads(body.decode("utf-8-sig"), object_pairs_hook=reader.without_repeats)
    except UnicodeDecodeError as error:
        raise reader.refusal(f"byte {error.start} is not UTF-8.", "Save it as UTF-8.") from error
    except json.JSONDecodeError as error:
        raise reader.refusal(
            f"it is not JSON: line {error.lineno}, column {error.colno}: {error.msg}.",
            "Mend that line.",
        ) from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, 10,000 brackets
        raise reader.refusal("a value is too long or nested too deeply.", "Remove it.") from error
    return reader.mode(value)


def nearest(name: str, known: Sequence[str]) -> str:
    """``Did you mean `types`?``, or what there is."""
    import difflib  # late: only a refusal needs it

    near = difflib.get_close_matches(name.lower()[:60], known, 1, 0.6)
    if near:
        return f"Did you mean `{near[0]}`?"
    more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
    return f"There are {', '.join(known[:_NAMED])}{more}."


class _Reader:
    """Checks the values of one file; every refusal names the file and the key."""

    def __init__(self, where: str, own_signs: Mapping[str, str]) -> None:
        self._where = where
        self._own_signs = own_signs

    def refusal(self, what: str, next_step: str) -> InvalidInput:
        return InvalidInput(f"{self._where}: {what}", next_step)

    def without_repeats(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in found if names.count(name) > 1)
            raise self.refusal(f"the key {_said(twice)} stands twice.", "Remove one of them.")
        return found

    def mode(self, value: Any) -> ModeFile:
        given = self._object(value, "", _KEYS, required=("id", "name"))
        mode_id = self._id(given["id"], "id")
        observer = self._object(given.get("observer", {}), "observer", _OBSERVER_KEYS)
        return ModeFile(
            id=mode_id,
            name=self._text(given["name"], "name", MAX_NAME_CHARS),
            extends=self._id(given["extends"], "extends") if "extends" in given else "",
            language=self._language(given["language"]) if "language" in given else "",
            types=self._types(given.get("types", []), mode_id),
            concepts=self._concepts(given.get("concepts", []), mode_id),
            drop=self._drop(given.get("drop", [])),
            instructions=self._instructions(observer.get("instructions", "")),
            where=self._where,
        )

    def _object(
        self, value: Any, key: str, known: Sequence[str], *, required: Sequence[str] = ()
    ) -> dict[str, Any]:
        named = f"`{key}`" if key else "the file"
        if not isinstance(value, dict):
            raise self.refusal(
                f"{named} is {_said(value)}.", f"It takes an object with {', '.join(known)}."
            )
        for name in value:
            if name not in known:
                raise self.refusal(
                    f"{named} has an unknown key {_said(name)}.", nearest(name, known)
                )
        for name in required:
            if name not in value:
                raise self.refusal(
                    f"`{key}.{name}` is missing." if key else f"`{name}` is missing.",
                    f"Every {'entry' if key else 'mode'} has {', '.join(required)}.",
                )
        return value

    def _list(self, value: Any, key: str, most: int) -> list[Any]:
        if not isinstance(value, list):
            raise self.refusal(f"`{key}` is {_said(value)}.", "It takes a list.")
        if len(value) > most:
            raise self.refusal(f"`{key}` holds {len(value)}.", f"It takes up to {most}.")
        return value

    def _types(self, value: Any, origin: str) -> tuple[TypeOf, ...]:
        found: list[TypeOf] = []
        for at, one in enumerate(self._list(value, "types", MAX_TYPES)):
            key = f"types[{at}]"
            given = self._object(one, key, _TYPE_KEYS, required=_TYPE_KEYS)
            type_ = TypeOf(
                self._id(given["id"], f"{key}.id"),
                self._symbol(given["symbol"], f"{key}.symbol"),
                self._text(given["label"], f"{key}.label", MAX_LABEL_CHARS),
                self._text(given["sentence"], f"{key}.sentence", MAX_SENTENCE_CHARS),
                origin,
            )
            self._new(type_.id, [other.id for other in found], f"{key}.id")
            for other in found:
                if other.symbol == type_.symbol:
                    raise self.refusal(
                        f"`{key}.symbol` is {type_.symbol}, which {other.id} has already.",
                        "Give each type a symbol of its own.",
                    )
            found.append(type_)
        return tuple(found)

    def _concepts(self, value: Any, origin: str) -> tuple[Concept, ...]:
        found: list[Concept] = []
        for at, one in enumerate(self._list(value, "concepts", MAX_CONCEPTS)):
            key = f"concepts[{at}]"
            given = self._object(one, key, _CONCEPT_KEYS, required=_CONCEPT_KEYS)
            concept = Concept(
                self._id(given["id"], f"{key}.id"),
                self._text(given["sentence"], f"{key}.sentence", MAX_SENTENCE_CHARS),
                origin,
            )
            self._new(concept.id, [other.id for other in found], f"{key}.id")
            found.append(concept)
        return tuple(found)

    def _drop(self, value: Any) -> tuple[str, ...]:
        found: list[str] = []
        for at, one in enumerate(self._list(value, "drop", MAX_DROPS)):
            dropped = self._id(one, f"drop[{at}]")
            self._new(dropped, found, f"drop[{at}]")
            found.append(dropped)
        return tuple(found)

    def _new(self, name: str, before: Sequence[str], key: str) -> None:
        if name in before:
            raise self.refusal(
                f"`{key}` is {_said(name)}, which stands there already.", "Remove one of them."
            )

    def _id(self, value: Any, key: str) -> str:
        if not isinstance(value, str) or not ID.fullmatch(value):
            raise self.refusal(f"`{key}` is {_said(value)}.", ID_RULE)
        return value

    def _language(self, value: Any) -> str:
        if not isinstance(value, str) or not _LANGUAGE.fullmatch(value):
            raise self.refusal(
                f"`language` is {_said(value)}.", "It takes a language tag, such as en or pt-BR."
            )
        return value

    def _text(self, value: Any, key: str, most_chars: int) -> str:
        """One line of 1 to ``most_chars`` characters, blanks folded, controls taken out."""
        rule = f"It takes 1 to {most_chars:,} characters."
        if not isinstance(value, str):
            raise self.refusal(f"`{key}` is {_said(value)}.", rule)
        if len(value) > most_chars:
            raise self.refusal(f"`{key}` has {len(value):,} characters.", rule)
        text = one_line(value, most_chars * 4)
        if not text:
            raise self.refusal(f"`{key}` is empty.", rule)
        return text

    def _instructions(self, value: Any) -> str:
        rule = f"It takes up to {MAX_INSTRUCTIONS_CHARS:,} characters."
        if not isinstance(value, str):
            raise self.refusal(f"`observer.instructions` is {_said(value)}.", rule)
        if len(value) > MAX_INSTRUCTIONS_CHARS:
            raise self.refusal(f"`observer.instructions` has {len(value):,} characters.", rule)
        return block(value).strip()

    def _symbol(self, value: Any, key: str) -> str:
        rule = "It takes one visible character up to U+FFFF, such as ◇."
        if not isinstance(value, str):
            raise self.refusal(f"`{key}` is {_said(value)}.", rule)
        if len(value) != 1:
            count = f"{len(value):,} characters" if value else "empty"
            raise self.refusal(
                f"`{key}` is {count}.",
                rule + (" An emoji often carries an invisible second one." if value else ""),
            )
        code = f"{_said(value)} (U+{ord(value):04X})"
        if ord(value) > _BMP_END:
            raise self.refusal(f"`{key}` is {code}, outside the Basic Multilingual Plane.", rule)
        kind = "Z" if value in _LOOK_BLANK else unicodedata.category(value)[0]
        if kind in _NO_SYMBOL:
            raise self.refusal(f"`{key}` is {code}, {_NO_SYMBOL[kind]}.", rule)
        if value in self._own_signs:
            raise self.refusal(
                f"`{key}` is {value}, which memfold uses for {self._own_signs[value]}.",
                "Choose another symbol.",
            )
        return value


def _said(value: Any) -> str:
    """A value in a refusal: short, and safe to print."""
    if isinstance(value, str):
        return repr(value[:40])  # escapes what cannot be printed, lone surrogates too
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return json.dumps(value)[:40]  # a number, true, false or null
