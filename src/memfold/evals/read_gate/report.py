"""The study as a page of Markdown and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from memfold.evals.read_gate.agents import MOST
from memfold.evals.read_gate.study import CONTEXTS, Row
from memfold.evals.read_gate.verdict import JUDGED, LATER, MORE, Verdicts, kilobytes

PLOT = "read-gate.svg"


def markdown(rows: Sequence[Row], found: Verdicts, host: str) -> str:
    """The whole report; it names the plot that lies beside it."""
    return "\n".join(
        [
            "# Does the read gate pay?",
            "",
            f"{len(rows)} sessions of {host} against a scripted model on loopback. Each request "
            "the host really sent is priced in tokens of plain input: 1.25 for what is written to "
            "the prompt cache, 0.1 for what is read from it, 5 for output. Tools and system prompt "
            "are in the cache before the session begins.",
            "",
            "## Verdicts",
            "",
            *_verdicts(found),
            "",
            f"![Change of cost by the size of the file]({PLOT})",
            "",
            "## Published figures, and the same by these sessions",
            "",
            *_agreements(found),
            "",
            "## Our gate by size, context and habit",
            "",
            f"From the request on that asks for the read. A later turn reads what stands in the "
            f"context once more; {LATER} follow a read in three of four recorded sessions.",
            "",
            *_cells(found),
            "",
            "## Sessions",
            "",
            *_rows(rows),
            "",
        ]
    )


def as_data(rows: Sequence[Row], found: Verdicts, host: str) -> dict[str, Any]:
    """The same for a program."""
    right, judged = found.right_signs
    return {
        "host": host,
        "believed": found.is_believed,
        "beats_fetching": found.beats,
        "recommended_bytes": found.recommended,
        "estimate_right": [right, judged],
        "agreements": [
            {**asdict(one.published), "measured": one.measured, "holds": one.holds}
            for one in found.agreements
        ],
        "cells": [asdict(cell) for cell in found.cells],
        "rows": [asdict(row) for row in rows],
    }


def sentences(found: Verdicts) -> list[str]:
    """The verdicts, a sentence each."""
    missed = [one for one in found.agreements if not one.holds]
    said = [
        "The published figures come out, so the others can be believed."
        if not missed
        else f"{len(missed)} of {len(found.agreements)} published figures do not come out: what "
        "follows is not to be believed."
    ]
    for habit, theirs, ours in found.against:
        more = theirs - ours
        said.append(
            f"At 49 KB, with {habit.in_words} read afterwards, our gate changes the cost by "
            f"{ours:+.0f} points, one that sends the agent for the outline by {theirs:+.0f}: "
            + (f"{more:.0f} more saved." if more >= MORE else f"not {MORE} points better.")
        )
    for context in CONTEXTS:
        at_once, later = (found.pays_from(context, later=late) for late in (False, True))
        said.append(
            f"With a context of {context:,} tokens it pays {_from(at_once)} by the answer itself, "
            f"and {_from(later)} with {LATER} turns behind it."
        )
    least = found.recommended
    said.append(
        f"Recommended: read_gate_bytes = {least:,}."
        if least
        else "Recommended: read_gate = off. At no size does it save in every context."
    )
    right, judged = found.right_signs
    said.append(
        f"The gate's own estimate (read_gate = adaptive) has the right sign in {right} of {judged} "
        "cases."
    )
    return said


def _from(size: int | None) -> str:
    return f"from {kilobytes(size)} on" if size else "at no size"


def _verdicts(found: Verdicts) -> Iterator[str]:
    for one in sentences(found):
        yield f"- {one}"


def _agreements(found: Verdicts) -> Iterator[str]:
    yield "| model | file | then reads | published | here | |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for one in found.agreements:
        figures = ", ".join(f"{each:+.0f} %" for each in one.published.points)
        wanted = "same sign" if one.published.sign_only else "within 10"
        yield (
            f"| {one.published.model} | {kilobytes(one.published.size)} | "
            f"{one.published.habit.in_words} | {figures} | {one.measured:+.1f} % | "
            f"{wanted}: {'yes' if one.holds else 'no'} |"
        )
    yield ""
    yield (
        f"The part of the larger file that is read is {JUDGED[1].share:.0%}: who reads "
        f"{MOST.share:.0%} of it cannot save 30 % of the cost, whatever else is free; at 19 KB "
        "that habit comes out close to the published figure."
    )


def _cells(found: Verdicts) -> Iterator[str]:
    yield (
        "| file | context | then reads | cost | tokens saved | "
        f"with {LATER} turns more | the gate's estimate | spread |"
    )
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |"
    for one in found.cells:
        yield (
            f"| {kilobytes(one.size)} | {one.context:,} | {one.habit.in_words} | "
            f"{one.points:+.1f} % | {one.saved:,.0f} | {one.saved_later:,.0f} | "
            f"{one.estimated:,} | {one.spread:.1f} |"
        )


def _rows(rows: Sequence[Row]) -> Iterator[str]:
    yield (
        "| part | file | context | gate | then reads | run | cost from the read on | "
        "of the session | written | read | output | turns | steps |"
    )
    yield "| --- |" + " --- |" * 12
    for row in rows:
        used = row.usage
        yield (
            f"| {row.part} | {row.size:,} | {row.at_read:,} | {row.arm} | {row.habit.name} | "
            f"{row.run + 1} | {row.cost:,.0f} | {row.whole_cost:,.0f} | "
            f"{used.written + used.written_hour:,} | {used.read:,} | {used.output:,} | "
            f"{row.turns} | {', '.join(row.steps)} |"
        )
