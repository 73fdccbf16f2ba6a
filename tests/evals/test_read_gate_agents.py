"""Scripted agents: each goes its way by what the host answers, and never without the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.evals.read_gate.agents import FUNCTION, MOST, PART, Habit, Way, agent, around
from memfold.evals.read_gate.model import Result
from memfold.evals.read_gate.sample import sample_of
from memfold.evals.read_gate.study import KB

SAMPLE = sample_of(19 * KB)
NAME = SAMPLE.symbol.rpartition(".")[2]
OUTLINE = f"  {SAMPLE.first}-{SAMPLE.last} def {NAME}(self)"
Host = Callable[[str, dict[str, Any]], Result]


def driven(host: Host, habit: Habit, *, looks_first: bool = False) -> tuple[Way, list[str], str]:
    """(the way, the tools called, the last words)."""
    way, called = Way(), []
    talk = agent("/p/service.py", SAMPLE, habit, way, looks_first=looks_first)
    answer: Sequence[dict[str, Any]] = next(talk)
    while True:
        calls = [block for block in answer if block["type"] == "tool_use"]
        called += [call["name"] for call in calls]
        try:
            answer = talk.send([host(call["name"], call["input"]) for call in calls])
        except StopIteration as end:
            return way, called, str(end.value)


def host(refusal: str) -> Host:
    """It holds whole reads back with these words; '' for not at all."""

    def answer(tool: str, asked: dict[str, Any]) -> Result:
        lines = SAMPLE.text.splitlines()
        if tool == "Bash" and "grep" in asked["command"]:
            return Result(f"{SAMPLE.first}:def {NAME}(self)")
        if tool.endswith("smart_outline"):
            return Result(OUTLINE)
        if tool.endswith("smart_unfold"):
            return Result("\n".join(lines[SAMPLE.first - 1 : SAMPLE.last]))
        if tool == "Read" and "offset" in asked:
            first = asked["offset"] - 1
            return Result("\n".join(lines[first : first + asked["limit"]]))
        if tool == "Read":
            return Result(refusal, is_error=True) if refusal else Result(SAMPLE.text)
        return Result("")

    return answer


@pytest.mark.parametrize("habit", [FUNCTION, PART, MOST])
def test_a_read_that_is_let_through_is_the_whole_way(habit: Habit) -> None:
    way, called, said = driven(host(""), habit)
    assert (way.steps, called) == (["whole"], ["Read"])
    assert SAMPLE.symbol in said


@pytest.mark.parametrize("habit", [FUNCTION, PART, MOST])
def test_with_the_outline_in_the_answer_one_read_follows(habit: Habit) -> None:
    way, called, _ = driven(host(f"Held back.\n{OUTLINE}"), habit, looks_first=True)
    assert called == ["Bash", "Read", "Read"]
    assert way.steps[0] == "held back"


def test_who_is_sent_away_fetches_the_outline_and_unfolds() -> None:
    way, called, _ = driven(host("Call smart_outline first."), FUNCTION)
    assert [name.rpartition("__")[2] for name in called] == [
        "Read",
        "smart_outline",
        "smart_unfold",
    ]
    assert way.steps == ["held back", "outline fetched", "unfolded"]


def test_a_file_that_the_host_does_not_read_is_searched() -> None:
    way, called, _ = driven(host("File content exceeds maximum allowed tokens"), FUNCTION)
    assert called == ["Read", "Bash", "Read"]
    assert way.steps == ["too large for the host"]


def test_a_way_that_misses_the_answer_measures_nothing() -> None:
    wrong = OUTLINE.replace(f"{SAMPLE.first}-{SAMPLE.last}", "1-2")
    with pytest.raises(LookupError, match="was not in what was read"):
        driven(host(wrong), FUNCTION)


@given(
    st.lists(st.text("ab", max_size=30), min_size=1, max_size=60),
    st.floats(0, 1),
    st.data(),
)
def test_a_part_holds_the_lines_and_no_more_than_its_share(
    lines: list[str], share: float, data: st.DataObject
) -> None:
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    start, end = around(lines, share, first, last)
    assert 1 <= start <= first
    assert last <= end <= len(lines)
    whole = sum(len(line) + 1 for line in lines)
    part = sum(len(line) + 1 for line in lines[start - 1 : end])
    least = max(share * whole, sum(len(line) + 1 for line in lines[first - 1 : last]))
    assert share * whole <= part + 1e-6 or (start, end) == (1, len(lines))
    longest = max(len(line) + 1 for line in lines)
    assert part <= least + 2 * longest
