"""`memfold eval outline`: whether outlines list what is in a file, judged by others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memfold.cli import out
from memfold.display import one_line
from memfold.errors import InvalidInput

if TYPE_CHECKING:
    from memfold.evals.outlines.outline import Place, Row

_MOST_REASONS = 6


@click.command(short_help="Count what outlines find, judged by other readers of source.")
@click.argument("folder", default=".", type=click.Path(path_type=Path))
@click.option("--misses", default=0, show_default=True, type=click.IntRange(0, 10_000),
              help="Name so many symbols a language that were not found.")  # fmt: skip
@out.json_option
def command(folder: Path, misses: int, as_json: bool) -> None:
    """Outline every source file of a folder, and count the symbols that others find in it.

    Python is judged by its own `ast`, JavaScript by the parser inside node, other languages by
    Universal Ctags, as far as they are installed. A symbol is found when the outline has its name
    on its line. False: a symbol of ours whose name does not stand on the line we say. What the
    others tell and is no symbol (a variable inside a function, a package) is listed with its
    reason below the table. Nothing of your own memory is read or changed.

    \b
    Examples:
      memfold eval outline
      memfold eval outline ~/src/pool --misses 5
      memfold eval outline ~/src/pool --json
    """
    from memfold.evals.outlines.oracles import oracles  # late: other commands need it not
    from memfold.evals.outlines.outline import rows

    if not folder.is_dir():
        raise InvalidInput(f"{folder} is no folder.", "Name a folder of source files.")
    found = rows(folder.resolve(), oracles())
    if not found:
        raise InvalidInput(
            f"{folder} holds no file in a language that has outlines.",
            "Name a folder of source files.",
        )
    if as_json:
        out.data({"languages": [_as_data(row, misses) for row in found]})
        return
    for line in _table(found):
        out.text(line)
    for line in _below(found, misses):
        out.text(line)


def _table(found: Sequence[Row]) -> Iterator[str]:
    yield (
        f"{'language':11} {'files':>6} {'ours':>8} {'expected':>8} {'found':>8} {'share':>7}"
        f" {'false':>6} {'ms/32K':>7}  judged by"
    )
    for row in found:
        judged = (
            f"{row.expected:>8,} {row.found:>8,} {row.share:>7.1%}"
            if row.oracle
            else f"{'':>8} {'':>8} {'':>7}"
        )
        yield (
            f"{row.language:11} {row.files:>6,} {row.symbols:>8,} {judged} {len(row.false):>6,}"
            f" {row.ms:>7.1f}  {row.oracle or 'nobody here'}"
        )


def _below(found: Sequence[Row], misses: int) -> Iterator[str]:
    for row in found:
        reasons = row.left_out.most_common()
        told = ", ".join(f"{count:,} {why}" for why, count in reasons[:_MOST_REASONS])
        if told:
            yield f"{row.language}: left out {told}"
        for one in row.passed_over:
            yield f"{row.language}: passed over {one_line(one)}"
        for place in row.missing[:misses]:
            yield f"{row.language}: missing {_shown(place)}"
        for place in row.false[:misses]:
            yield f"{row.language}: false {_shown(place)}"


def _shown(place: Place) -> str:
    return f"{one_line(place.name)} {one_line(place.file)}:{place.line}"


def _as_data(row: Row, misses: int) -> dict[str, Any]:
    return {
        "language": row.language,
        "oracle": row.oracle,
        "files": row.files,
        "symbols": row.symbols,
        "expected": row.expected if row.oracle else None,
        "found": row.found if row.oracle else None,
        "share": round(row.share, 4) if row.oracle else None,
        "false": len(row.false),
        "ms_per_32_kib": round(row.ms, 2),
        "left_out": dict(row.left_out.most_common()),
        "passed_over": row.passed_over,
        "missing": [_place_data(one) for one in row.missing[:misses]],
        "false_lines": [_place_data(one) for one in row.false[:misses]],
    }


def _place_data(place: Place) -> dict[str, Any]:
    return {"file": place.file, "name": place.name, "line": place.line}
