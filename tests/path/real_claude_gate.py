"""The gate in the real Claude Code against a scripted model. Run by ``test_real_claude.py``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memfold.evals.read_gate import seeding, study, trial, world
from memfold.evals.read_gate.agents import FUNCTION, PART, Habit
from memfold.evals.read_gate.model import Agent, Result, calls, serving
from memfold.evals.read_gate.sample import Sample, sample_of
from memfold.evals.read_gate.study import KB
from memfold.evals.read_gate.world import World

CLAUDE = Path(os.environ.get("CLAUDE_BIN", "~/.cache/coding-clients/claude")).expanduser()
SAMPLE = sample_of(49 * KB)
CHANGED = SAMPLE.answer_line.replace("#", " * 2  #")
TRIES = 5  # a busy machine may be too late for the first reads


@pytest.fixture
def place(tmp_path: Path) -> Iterator[World]:
    with world.opened(tmp_path / "world", CLAUDE) as opened:
        yield opened


def editing(file: Path, sample: Sample, way: str, seen: list[Result]) -> Agent:
    """Reads the whole file, is held back, reads on as the answer offers, and edits."""
    seen += yield [calls("Read", file_path=str(file))]
    if way == "unfold":
        yield [calls("ToolSearch", query="select:mcp__memfold__smart_unfold")]
        seen += yield [
            calls("mcp__memfold__smart_unfold", file_path=str(file), symbol_name=sample.symbol)
        ]
    else:
        long = sample.last - sample.first + 1
        seen += yield [calls("Read", file_path=str(file), offset=sample.first, limit=long)]
    seen += yield [
        calls("Edit", file_path=str(file), old_string=sample.answer_line, new_string=CHANGED)
    ]
    return "Changed."


@pytest.mark.timeout(240)
@pytest.mark.parametrize("way", ["read", "unfold"])
def test_a_whole_read_is_held_back_and_the_edit_after_a_part_succeeds(
    place: World, way: str
) -> None:
    file = place.project / "service.py"
    seeding.seed(place, file, SAMPLE)
    status = file.stat()
    for _ in range(TRIES):
        place.restore({})
        seen: list[Result] = []
        place.session("Double the patience.", editing(file, SAMPLE, way, seen))
        held, part, edited = seen
        if held.is_error:
            break
        file.write_text(SAMPLE.text)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert held.is_error
    assert SAMPLE.symbol.rpartition(".")[2] in held.text, "the outline stands in the answer"
    assert f"{SAMPLE.first}-" in held.text
    assert SAMPLE.answer_line.strip() in part.text
    assert not part.is_error
    assert not edited.is_error, edited.text
    assert CHANGED in file.read_text()
    told = json.loads(place.memfold("gate", "--json"))["decisions"]
    assert [one["kind"] for one in told].count("block") == 1


@pytest.mark.timeout(240)
def test_the_study_gives_the_published_figures_again() -> None:
    """Of the larger file, within ten points; and the answer that holds the outline saves more."""
    rows = list(study.rows(CLAUDE, 1, lambda _: None, sizes=(49 * KB,), contexts=()))
    cost = {(row.arm, row.habit): row.whole_cost for row in rows}

    def points(arm: study.Arm, habit: Habit) -> float:
        return (cost[arm, habit] / cost["off", FUNCTION] - 1) * 100

    assert points("fetch", FUNCTION) == pytest.approx(-36.5, abs=11.5)
    assert points("fetch", PART) == pytest.approx(-31, abs=11)
    for habit in (FUNCTION, PART):
        assert points("memfold", habit) <= points("fetch", habit) - 5


@pytest.mark.timeout(240)
def test_a_real_agent_is_asked_with_the_login_that_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The login is a script on loopback here; that the host ran it is told by the host itself."""
    with serving() as model:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        said: list[str] = []

        def again(line: str) -> None:
            said.append(line)
            model.begin(plain())

        def plain() -> Agent:
            yield [calls("Grep", pattern="patience", output_mode="content")]
            return SAMPLE.answer_line

        model.begin(plain())
        sizes = (49 * KB,)
        found = list(trial.trials(CLAUDE, "", 1, 100.0, again, sizes=sizes))
        model.begin(plain())
        stopped = list(trial.trials(CLAUDE, "", 3, 0.001, again, sizes=sizes))
    assert [(one.arm, one.run) for one in found] == [(arm, 0) for arm in trial.ARMS]
    assert all(one.is_right and one.tools == ("Grep",) for one in found)
    assert all(one.dollars > 0 for one in found)
    assert len(list(trial.table(found))) == 2 + len(trial.ARMS)
    assert stopped == [], "the host breaks the first off when the money is spent"
