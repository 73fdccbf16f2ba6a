"""`memfold mode`: which modes there are, what one holds, and whether a file is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from memfold import settings
from memfold.cli import ask, out
from memfold.disclose.mode import Mode
from memfold.disclose.mode_shelf import FOLDER, OnShelf, Shelf


@click.group(short_help="List, show and check modes.")
def command() -> None:
    """List, show and check modes: the types and concepts that work is filed under.

    Your own lie in the folder modes/ of the data directory, one JSON file each.
    """


@command.command("list", short_help="List modes, those with mistakes too.")
@out.json_option
def list_modes(as_json: bool) -> None:
    """List all modes: shipped ones, your own, and what is wrong with those that cannot be used.

    \b
    Examples:
      memfold mode list
      memfold mode list --json
    """
    wanted = settings.load(ask.home()).text("mode")
    shelf = _shelf()
    rows = list(shelf.all())
    trouble = shelf.usable(wanted).trouble
    if as_json:
        listed = [_row(row) for row in rows]
        out.data({"set": wanted, "trouble": trouble, "modes": listed})
        return
    for row in rows:
        out.text(_line(row, wanted))
    if trouble:
        out.text(f"The mode set is {wanted[:40]!r}, and code stands in for it. {trouble}")


@command.command("show", short_help="Show one mode's types and concepts.")
@click.argument("mode_id", required=False, metavar="[ID]")
@out.json_option
def show(mode_id: str | None, as_json: bool) -> None:
    """Show one mode: its types with their symbols, its concepts, and where it comes from.

    Without ID, the mode that the settings name.

    \b
    Examples:
      memfold mode show
      memfold mode show research
      memfold mode show code --json
    """
    shelf = _shelf()
    mode = shelf.find(settings.load(ask.home()).text("mode") if mode_id is None else mode_id)
    if as_json:
        out.data(_data(mode, shelf.source(mode.id)))
    else:
        _tell(mode, shelf.source(mode.id))


@command.command("check", short_help="Check a mode's file.")
@click.argument("file", type=click.Path(path_type=Path))
@out.json_option
def check(file: Path, as_json: bool) -> None:
    """Check a file before you use it as a mode. Exits with 1 and the reason when it is none.

    \b
    Examples:
      memfold mode check law.json
    """
    mode = _shelf().check(file)
    place = ask.home() / FOLDER / f"{mode.id}.json"
    if as_json:
        out.data({**_data(mode, str(file)), "place": str(place)})
        return
    out.text(f"{file} is in order: {_counts(mode)}.")
    if file.resolve() != place.resolve():
        out.text(f"Its place is {place}.")
    out.text(f'It is used with `mode = "{mode.id}"` in {ask.home() / "settings.toml"}.')


def _shelf() -> Shelf:
    return Shelf(ask.home() / FOLDER)


def _line(row: OnShelf, wanted: str) -> str:
    if row.mode is None:
        return f"WRONG {row.trouble}"
    is_set = " (set)" if row.mode.id == wanted else ""
    said = f"{row.mode.id}{is_set}: {row.mode.name}, {_counts(row.mode)}"
    return f"{said}; {_origin(row.mode, row.source)}"


def _counts(mode: Mode) -> str:
    return f"{out.count(len(mode.types), 'type')}, {out.count(len(mode.concepts), 'concept')}"


def _origin(mode: Mode, source: str) -> str:
    return source + (f"; extends {' -> '.join(mode.extends)}" if mode.extends else "")


def _tell(mode: Mode, source: str) -> None:
    out.text(f"{mode.name} ({mode.id}), language {mode.language}")
    out.text(_origin(mode, source))
    out.text("\nTypes:")
    width = max(len(one.id) for one in mode.types)
    for kind in mode.types:
        out.text(f"  {kind.symbol} {kind.id:{width}}  {kind.sentence}{_from(kind.origin, mode)}")
    if mode.concepts:
        out.text("\nConcepts:")
        width = max(len(one.id) for one in mode.concepts)
    for concept in mode.concepts:
        out.text(f"  {concept.id:{width}}  {concept.sentence}{_from(concept.origin, mode)}")
    if mode.instructions:
        out.text("\nInstructions for a model observer (the built-in one does not read them):")
        for line in mode.instructions.split("\n"):
            out.text(f"  {line}")


def _from(origin: str, mode: Mode) -> str:
    return "" if origin == mode.id else f" (from {origin})"


def _row(row: OnShelf) -> dict[str, Any]:
    if row.mode is None:
        return {"source": row.source, "trouble": row.trouble}
    return {
        "id": row.mode.id,
        "name": row.mode.name,
        "types": len(row.mode.types),
        "concepts": len(row.mode.concepts),
        "extends": list(row.mode.extends),
        "source": row.source,
        "trouble": "",
    }


def _data(mode: Mode, source: str) -> dict[str, Any]:
    return {
        "id": mode.id,
        "name": mode.name,
        "source": source,
        "extends": list(mode.extends),
        "language": mode.language,
        "types": [
            {
                "id": one.id,
                "symbol": one.symbol,
                "label": one.label,
                "sentence": one.sentence,
                "from": one.origin,
            }
            for one in mode.types
        ],
        "concepts": [
            {"id": one.id, "sentence": one.sentence, "from": one.origin} for one in mode.concepts
        ],
        "observer": {"instructions": mode.instructions},
    }
