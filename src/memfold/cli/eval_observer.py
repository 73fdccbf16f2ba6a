"""`memfold eval observer`: what the observer makes of recorded sessions, to read and to count."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memfold.cli import out
from memfold.cli.eval_folder import folder_of, say
from memfold.display import one_line
from memfold.errors import InvalidInput

if TYPE_CHECKING:
    from memfold.evals.observer import Figures, Shown

_MOST_LINES = 6


@click.command(short_help="Read what the observer makes of recorded sessions.")
@click.option("--data", type=click.Path(path_type=Path), help="The folder of recorded sessions.")
@click.option("--sample", default=100, show_default=True, type=click.IntRange(0, 10_000),
              help="How many observations to draw.")  # fmt: skip
@click.option("--seed", default=7, show_default=True, help="The same seed draws the same ones.")
@out.json_option
def command(data: Path | None, sample: int, seed: int, as_json: bool) -> None:
    """Observe recorded sessions in a new store, and show titles drawn at random with evidence.

    The folder holds a folder a host, named as in `memfold import`. Read each title: is it generic,
    cut off, or untrue to the sentence and the tool uses below it? A table a host follows: how many
    tool uses, observations, and tool uses that teach nothing, with the reasons. Nothing of your
    own memory is read or changed.

    \b
    Examples:
      memfold eval observer
      memfold eval observer --data ~/sessions --sample 20 --json
    """
    from memfold.evals import observer as room  # late: other commands need it not
    from memfold.house import House

    folder = folder_of(data, "data/transcripts", "--data")
    with tempfile.TemporaryDirectory(prefix="memfold-eval-") as home:
        house = House.open(Path(home))
        try:
            spans, left_out = _imported(house, folder)
            entries = room.every_observation(house.store)
            shown = room.drawn(house.store, entries, sample, seed)
            table = [room.figures(house.store, *span, entries) for span in spans]
        finally:
            house.close()
    if as_json:
        out.data(
            {
                "sample": [_shown_data(one) for one in shown],
                "hosts": [_figures_data(one) for one in table],
                "left_out": left_out,
            }
        )
        return
    for one in shown:
        for line in _shown_lines(one):
            out.text(line)
    for line in _table(table):
        out.text(line)
    for name, why in left_out.items():
        out.text(f"{name} was left out: {why}")


def _imported(house: Any, folder: Path) -> tuple[list[tuple[str, int, int]], dict[str, str]]:
    """((host, first id, last id of its tool uses), folder -> why it could not be read)."""
    spans: list[tuple[str, int, int]] = []
    left_out: dict[str, str] = {}
    for place in sorted(one for one in folder.iterdir() if one.is_dir()):
        first = house.store.counts().tool_uses + 1
        try:
            for line in house.backlog.import_sessions(place.name, place):
                if "result" in line:
                    say(f"{place.name}: {line['result']['observations']:,} observations")
        except InvalidInput as error:
            left_out[place.name] = error.message
            continue
        spans.append((place.name, first, house.store.counts().tool_uses))
    if not spans:
        raise InvalidInput(
            f"{folder} holds no folder named after a host.",
            "Lay it out as claude-code/..., codex/... and so on.",
        )
    return spans, left_out


def _shown_lines(one: Shown) -> Iterator[str]:
    entry = one.entry
    yield f"[{entry.id}] {one_line(entry.title, 480)}"
    yield f"    {entry.type} · {entry.host} · {one_line(entry.session, 60)}"
    if one.reason:
        yield f"    why: {one_line(one.reason, 400)}"
    if one.said:
        yield f"    said: {one_line(one.said, 400)}"
    for use in one.uses[:_MOST_LINES]:
        yield f"    - {use}"
    if len(one.uses) > _MOST_LINES:
        yield f"    - and {len(one.uses) - _MOST_LINES} more"


def _table(table: Sequence[Figures]) -> Iterator[str]:
    yield ""
    yield f"{'host':14} {'tool uses':>9} {'observations':>12} {'per use':>8} {'nothing':>8}  why"
    for one in table:
        why = ", ".join(f"{count} {reason}" for reason, count in one.nothing.items())
        yield (
            f"{one.host:14} {one.tool_uses:>9,} {one.observations:>12,} {one.per_use:>8.2f}"
            f" {one.nothing_share:>8.0%}  {why}"
        )


def _shown_data(one: Shown) -> dict[str, Any]:
    return {
        "id": one.entry.id,
        "title": one.entry.title,
        "type": one.entry.type,
        "host": one.entry.host,
        "session": one.entry.session,
        "reason": one.reason.split("\n") if one.reason else [],
        "said": one.said,
        "tool_uses": list(one.uses),
    }


def _figures_data(one: Figures) -> dict[str, Any]:
    return {
        "host": one.host,
        "tool_uses": one.tool_uses,
        "observations": one.observations,
        "observations_per_tool_use": round(one.per_use, 4),
        "nothing_share": round(one.nothing_share, 4),
        "nothing": dict(one.nothing),
    }
