"""What is said of a study follows from its rows, in words, as data and as a picture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from memfold.evals.read_gate import plot, report
from memfold.evals.read_gate.agents import FUNCTION, PART
from memfold.evals.read_gate.bill import Usage
from memfold.evals.read_gate.study import CONTEXTS, HABITS, KB, SIZES, Row
from memfold.evals.read_gate.verdict import LATER, verdicts

ROW = Row(
    part="calibration", size=0, context=0, arm="off", habit=FUNCTION, run=0, cost=100.0,
    whole_cost=100.0, usage=Usage(read=10), turns=2, at_read=10, at_end=1_000, estimated=0,
    steps=("whole",),
)  # fmt: skip
# Points by our gate and by the other kind at 49 and 19 KB, as published or near.
FETCH = {
    (49 * KB, FUNCTION): -36, (49 * KB, PART): -31, (19 * KB, FUNCTION): -1, (19 * KB, PART): 5,
}  # fmt: skip


def rows(**changed: Any) -> Iterator[Row]:
    """A study in which the gate saves 20 of 100 from 32 KB on and costs 20 below.

    ``ours``: points of our gate at the calibrated sizes; ``long``: the change of cost at 150,000.
    """
    ours, long = changed.get("ours", -50), changed.get("long", -20)
    fetch = changed.get("fetch", FETCH)
    for size in (19 * KB, 49 * KB):
        yield replace(ROW, size=size)
        for habit in HABITS:
            points = fetch.get((size, habit), 0)
            yield replace(ROW, size=size, arm="fetch", habit=habit, whole_cost=100.0 + points)
            yield replace(ROW, size=size, arm="memfold", habit=habit, whole_cost=100.0 + ours)
    for size in SIZES:
        for context in CONTEXTS:
            behind = replace(ROW, part="contexts", size=size, context=context)
            yield behind
            change = 20 if size < 32 * KB else -20
            if context == CONTEXTS[-1] and size >= 32 * KB:
                change = long
            for habit in HABITS:
                yield replace(
                    behind, arm="memfold", habit=habit, cost=100.0 + change, estimated=-change
                )


def test_a_study_that_agrees_is_believed_and_names_a_size() -> None:
    found = verdicts(list(rows()))
    assert found.is_believed
    assert found.beats
    assert found.recommended == 32 * KB
    assert found.right_signs == (16, 16)
    said = "\n".join(report.sentences(found))
    assert "can be believed" in said
    assert "read_gate_bytes = 32,768" in said


def test_a_published_figure_that_does_not_come_out_is_said_plainly() -> None:
    found = verdicts(list(rows(fetch={**FETCH, (49 * KB, PART): -15})))
    assert not found.is_believed
    assert "1 of 4 published figures do not come out" in report.sentences(found)[0]
    flipped = verdicts(list(rows(fetch={**FETCH, (19 * KB, PART): -5})))
    assert not flipped.is_believed


def test_less_than_five_points_more_is_said_plainly() -> None:
    found = verdicts(list(rows(ours=-35)))
    assert not found.beats
    assert "not 5 points better" in "\n".join(report.sentences(found))


def test_where_long_contexts_never_pay_it_is_off() -> None:
    found = verdicts(list(rows(long=20)))
    assert found.recommended is None
    assert "read_gate = off" in "\n".join(report.sentences(found))


def test_turns_that_follow_count_as_often_as_they_come() -> None:
    shorter = [replace(r, at_end=900) if r.arm == "memfold" else r for r in rows(long=20)]
    found = verdicts(shorter)
    assert all(cell.saved_later == pytest.approx(cell.saved + LATER * 10) for cell in found.cells)
    assert found.recommended == 19 * KB


def test_a_study_without_its_calibration_has_no_verdict() -> None:
    with pytest.raises(ValueError, match="median"):
        verdicts([row for row in rows() if row.part == "contexts"])


def test_the_report_holds_every_session_and_is_data_too() -> None:
    study = list(rows())
    found = verdicts(study)
    page = report.markdown(study, found, "the host 1.0")
    assert page.count("\n| calibration |") + page.count("\n| contexts |") == len(study)
    data = json.loads(json.dumps(report.as_data(study, found, "the host 1.0")))
    assert len(data["rows"]) == len(study)
    assert data["recommended_bytes"] == 32 * KB


def test_the_plot_is_one_picture_with_a_line_a_series_and_the_published_dots() -> None:
    root = ElementTree.fromstring(plot.svg(verdicts(list(rows()))))  # noqa: S314  # our own
    name = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{name}polyline")) == len(CONTEXTS) * 2
    for dot in root.findall(f"{name}circle"):
        assert 0 <= float(dot.attrib["cx"]) <= 760
        assert 0 <= float(dot.attrib["cy"]) <= 420
