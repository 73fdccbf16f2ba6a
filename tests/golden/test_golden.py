"""What an agent reads, word for word. See README.md for how to read a diff."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sample_memory import Memory, at_ms

from memfold.disclose.context import LIMIT_UNITS, session_context
from memfold.disclose.gather import gather_index
from memfold.disclose.index import IndexView, render_index
from memfold.disclose.mode import load_mode
from memfold.display import CONTEXT_CLOSE, CONTEXT_OPEN
from memfold.errors import MemfoldError
from memfold.hosts.limits import session_start_limit
from memfold.measure import Unit, length_in, utf8_bytes, utf16_units
from memfold.records import ReplyGiven
from memfold.serve.context import ContextDesk
from memfold.settings import Settings
from memfold.workstate import section

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").glob("*.txt"))
MARK = "--- reads ---\n"
MAX_REPLY_BYTES = 64 * 1024


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_an_agent_reads_as_written(case: Path, request: Any, tmp_path: Path) -> None:
    """Every layer's text; the case's name says which promise it shows."""
    given, _, expected = case.read_text("utf-8").partition(MARK)
    actual = _read(json.loads(given), tmp_path)
    if request.config.getoption("--golden", default=False):
        case.write_text(f"{given}{MARK}{actual}", encoding="utf-8")
        return
    assert actual == expected


def test_there_is_a_case_for_each_rendering() -> None:
    kinds = {path.stem.split("-")[0] for path in CASES}
    assert kinds >= {"section", "index", "context", "search", "auto", "details"}
    assert kinds >= {"evidence", "error", "workflow", "legacy", "work"}


def _read(given: Mapping[str, Any], folder: Path) -> str:
    memory = Memory.open(folder / "home", given.get("project", "sample"))
    checkout = folder / "checkout"
    checkout.mkdir()
    for name, text in given.get("files", {}).items():
        (checkout / name).write_text(text, "utf-8")
    sessions = [*_sessions(given.get("memory")), *given.get("sessions", [])]
    for session in sessions:
        if session.get("cwd") == "$checkout":
            session["cwd"] = str(checkout)
        memory.remember(session)
    parts = []
    for step in given["do"]:
        memory.clock.now_ms = at_ms(step.get("now", given.get("now", "2026-04-29 12:00")))
        said, text = _step(memory, step)
        _check(text)
        parts.append(f"> {said}\n{text}\n")
    memory.store.close()
    text = "\n".join(parts)
    return re.sub(r"ms_[A-Za-z0-9_-]{24}", "ms_<cursor>", text)


def _sessions(name: str | None) -> list[dict[str, Any]]:
    if name is None:
        return []
    sessions: list[dict[str, Any]] = json.loads((HERE / f"memory/{name}.json").read_text("utf-8"))
    return sessions


def _step(memory: Memory, step: Mapping[str, Any]) -> tuple[str, str]:
    """(what the agent did, what it reads)."""
    if "tool" in step:
        args = step.get("args", {})
        said = f"{step['tool']} {json.dumps(args, ensure_ascii=False)}"
        if len(said) > 200:
            said = said[:200] + "…"
        caller = memory.caller()
        if "as" in step:
            named = memory.store.by_name(step["as"])
            caller = memory.caller(named)
        try:
            return said, memory.call(step["tool"], args, caller).text
        except MemfoldError as error:
            return said, f"{error.code} - {error}"
    if step.keys() & {"pin", "reply", "supersede"}:
        return _happened(memory, step)
    if "start" in step:
        return f"session start {json.dumps(step['start'])}", _started(memory, step["start"])
    if "section" in step:
        return "section", _section(memory, **step["section"])
    given = dict(step["index"] if "index" in step else step["context"])
    limit = given.pop("limit", LIMIT_UNITS if "context" in step else 7_000)
    reply = given.pop("last_reply", "")
    unit: Unit = given.pop("unit", "utf16")
    view = _view(memory, given, reply)
    if "context" in step:
        text = session_context(_section(memory), view, limit).text
        assert text == session_context(_section(memory), view, limit).text
        assert text.startswith(CONTEXT_OPEN)
        assert text.endswith(CONTEXT_CLOSE)
        assert text.count(CONTEXT_CLOSE) == 1
    else:
        text = render_index(view, limit, unit=unit).text
        assert text == render_index(_view(memory, given, reply), limit, unit=unit).text
        assert CONTEXT_CLOSE not in text
    assert length_in(text, unit) <= limit
    return "session start" if "context" in step else f"index {json.dumps(step['index'])}", text


def _happened(memory: Memory, step: Mapping[str, Any]) -> tuple[str, str]:
    if "pin" in step:
        for one in step["pin"]:
            memory.store.pin(one, (memory.project.id,), at_ms=memory.clock())
        return f"memfold pin {step['pin']}", "pinned"
    if "supersede" in step:
        older, newer = step["supersede"]
        memory.store.supersede(older, newer)
        return f"{older} superseded by {newer}", "marked"
    reply = ReplyGiven(
        host="claude-code", session=step["session"], at_ms=memory.clock(), text=step["reply"]
    )
    memory.store.ingest(memory.project.id, [reply])
    return f"reply in {step['session']}", "kept"


def _started(memory: Memory, values: Mapping[str, Any]) -> str:
    """What the hook of a new session prints, made on the spot and again as kept ready."""
    desk = ContextDesk(
        memory.store,
        Settings({"timezone": "UTC"} | dict(values)),
        memory.clock,
        mode=lambda: load_mode("code"),
        limit=session_start_limit,
    )
    text = desk.text(memory.caller(host="claude-code"), memory.project.name)
    assert text == desk.text(memory.caller(host="claude-code"), memory.project.name)
    return text


def _section(memory: Memory, limit_units: int = section.LIMIT_UNITS) -> str:
    current = memory.store.current((memory.project.id,))
    text = section.render_section(current, memory.clock(), limit_units=limit_units)
    assert text == section.render_section(current, memory.clock(), limit_units=limit_units)
    assert utf16_units(text) <= limit_units
    return text


def _view(memory: Memory, values: Mapping[str, Any], last_reply: str) -> IndexView:
    # As `settings.load` gives them: lists of names are tuples.
    read = {key: tuple(one) if isinstance(one, list) else one for key, one in values.items()}
    return gather_index(
        memory.store,
        Settings({"timezone": "UTC"} | read),
        project=memory.project.name,
        project_ids=(memory.project.id,),
        now_ms=memory.clock(),
        last_reply=last_reply,
    )


def _check(text: str) -> None:
    """What holds for every reply."""
    assert utf8_bytes(text) <= MAX_REPLY_BYTES
    assert not [char for char in text if ord(char) < 32 and char not in "\n\t"]
    assert not set(text) & set("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert text == text.strip("\n")
