"""A secret that was redacted on the way in is in no answer, on no page, and not on the disk.

Every key here is made at run time from a seeded generator: none is real, and none stands in
this file. Source: spec of layer 4 and decision 0005.
"""

from __future__ import annotations

import json
import random
import re
import string
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold import wire
from memfold.house import House
from memfold.records import Caller, Entry, ToolUsed
from memfold.settings import Settings
from memfold.store.sqlite.store import SqliteStore

AT = 1_777_536_000_000
CHANCE = random.Random(20261202)
ALNUM = string.ascii_letters + string.digits
MORE = re.compile(r"\n\[[\d,]+ bytes left; next page: the same ids, offset=(\d+)\]$")


def made_up(prefix: str, length: int) -> str:
    """A key in a provider's form."""
    return prefix + "7x" + "".join(CHANCE.choice(ALNUM) for _ in range(length - 2))


SECRETS = [made_up("ghp_", 36), made_up("glpat-", 20), made_up("AIza", 35)]
secrets = st.sampled_from(SECRETS)
# Where a secret may stand: alone, in prose, in a command, a path, a header, a URL, a heap of text.
FORMS = st.sampled_from(
    ["{}", "see {} there", "curl -H 'Authorization: Bearer {}' x", "/code/app/{}/notes.md",
     "TOKEN={}", "https://host/x?access_token={}&y=1", "lines\n" * 60 + "{}\n" + "lines\n" * 60,
     "漢" * 90 + " {} " + "😀" * 60]
)  # fmt: skip
HIDING = st.builds(lambda form, secret: form.format(secret), FORMS, secrets)
VALUES = st.recursive(
    HIDING | st.text(max_size=20) | st.integers() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(HIDING | st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=6,
)
TOOLS = st.sampled_from(
    [("Bash", "command"), ("Read", "file_path"), ("Edit", "file_path"), ("mcp__x__y", "query")]
)


class Agent:
    """A house of its own, fed by hooks and asked through the tools as an agent asks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        store = SqliteStore.open(folder / wire.DATABASE)
        self.house = House(folder, Settings(), store)

    def hook(self, name: str, session: str = "s1", at_ms: int = AT, **more: Any) -> None:
        payload = {"session_id": session, "cwd": "/code/app", "hook_event_name": name, **more}
        self.house.intake.take_hook("claude-code", json.dumps(payload).encode(), at_ms)

    def work(self, tool: str, given: Any, response: Any, said: str) -> None:
        """A turn with one tool use in it, observed."""
        self.hook("UserPromptSubmit", prompt=f"Why does the pool leak? {said}")
        use = {"tool_name": tool, "tool_input": given, "tool_response": response}
        self.hook("PostToolUse", tool_use_id="toolu_1", at_ms=AT + 1, **use)
        fixed = f"Fixed the leak in the pool: a failing query kept its connection. {said}"
        self.hook("Stop", last_assistant_message=fixed, at_ms=AT + 2)
        self.house.backlog.observe()

    def caller(self) -> Caller:
        return self.house.caller(cwd="/code/app", host="claude-code", session="s2")

    def answers(self) -> Iterator[str]:
        """Everything an agent can be told, the pages of evidence also as one text."""
        call, who = self.house.toolbox.call, self.caller()
        yield self.house.context("/code/app", "claude-code")
        first = call("mem_search", {"query": "pool leak connection"}, who)
        yield first.text
        refs = [entry.ref for entry in first.entries]
        for query in SECRETS:
            found = call("mem_search", {"query": query[:12]}, who)
            yield found.text.replace(query[:12], "", 1)  # the query itself is repeated
        yield call("mem_search", {"query": "pool", "mode": "auto"}, who).text
        if refs:
            yield call("get_observations", {"ids": refs}, who).text
            yield call("timeline", {"anchor": refs[0]}, who).text
        yield "".join(_all_data(first.entries))
        for most in (256, 1_000, 65_536):
            yield self.evidence(most, who)

    def evidence(self, most: int, who: Caller) -> str:
        pages, offset = [], 0
        while True:
            args = {"ids": [1], "max_bytes": most, "offset": offset}
            text = self.house.toolbox.call("get_tool_uses", args, who).text
            more = MORE.search(text)
            body = MORE.sub("", text.split("\n", 1)[1]).removeprefix("  …")
            pages.append(body)
            if more is None:
                return "".join(pages)
            offset = int(more[1])

    def disk(self) -> bytes:
        return b"".join(file.read_bytes() for file in self.folder.rglob("*") if file.is_file())


def _all_data(entries: tuple[Entry, ...]) -> Iterator[str]:
    for entry in entries:
        yield repr(entry)


def leaked(text: str | bytes) -> list[str]:
    """Secrets whose telling half stands in the text, however it is wrapped."""
    plain = text.encode() if isinstance(text, str) else text
    bare = re.sub(rb"\s", b"", plain)
    return [secret for secret in SECRETS if secret[4:22].encode() in bare]


@settings(max_examples=60, deadline=None)
@given(TOOLS, HIDING, VALUES, VALUES, HIDING)
def test_no_answer_holds_a_secret(
    tool: tuple[str, str], first: str, more: Any, response: Any, said: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(Path(folder))
        name, key = tool
        agent.work(name, {key: first, "more": more}, response, said)
        assert agent.house.store.counts().tool_uses == 1
        for text in agent.answers():
            assert leaked(text) == []
        agent.house.close()
        assert leaked(agent.disk()) == []


def test_the_test_would_notice(tmp_path: Path) -> None:
    """What goes round the redaction is found by every look that the tests above take."""
    agent = Agent(tmp_path)
    agent.work("Bash", {"command": "ls"}, "x", "")
    project = agent.caller().project
    assert project is not None
    common: dict[str, Any] = {"host": "claude-code", "session": "s1", "at_ms": AT}
    bare = ToolUsed(**common, key="bare", tool="Bash", input={"k": SECRETS[0]}, response=SECRETS[1])
    agent.house.store.ingest(project.id, [bare])
    (use,) = [u for u in agent.house.store.tool_uses(range(1, 9), None) if u.key == "bare"]
    text = agent.house.toolbox.call("get_tool_uses", {"ids": [use.id]}, agent.caller()).text
    assert leaked(text) == SECRETS[:2]
    agent.house.close()
    assert leaked(agent.disk()) == SECRETS[:2]


@pytest.mark.parametrize("spoil", [0, 1, 2])
def test_nor_after_it_was_retired_and_read_again(tmp_path: Path, spoil: int) -> None:
    secret = SECRETS[spoil]
    home = tmp_path / "home"
    home.mkdir()
    agent = Agent(home)
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text("".join(json.dumps(line) + "\n" for line in _lines(secret)))
    intake = agent.house.intake
    assert (
        intake.take_transcript("claude-code", transcript, from_offset=False).tool_uses_stored == 1
    )
    agent.hook("PostToolUse", session="later", tool_name="Bash", tool_use_id="toolu_2",
               tool_input={"command": "ls"}, tool_response="x")  # fmt: skip
    agent.house.backlog.observe()
    titles = agent.house.store.counts().observations
    assert agent.house.store.retire(1 << 60, 99).tool_uses == 1
    again = intake.take_transcript("claude-code", transcript, from_offset=False)
    assert (again.tool_uses_stored, again.tool_uses_known) == (0, 1)
    agent.hook("PostToolUse", tool_name="Bash", tool_use_id="toolu_1",
               tool_input={"command": secret}, tool_response=secret)  # fmt: skip
    agent.house.backlog.observe()
    counts = agent.house.store.counts()
    assert (counts.tool_uses, counts.observations) == (1, titles)
    assert agent.house.store.tool_uses([1], None) == ()
    agent.house.close()
    assert leaked(agent.disk()) == []


def _lines(secret: str) -> list[dict[str, Any]]:
    common = {"sessionId": "s1", "cwd": "/code/app", "version": "2.1.332", "isSidechain": False}
    uses = {"type": "tool_use", "id": "toolu_1", "name": "Bash",
            "input": {"command": f"curl -u x:{secret}", secret: {secret: [secret]}}}  # fmt: skip
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": f"denied {secret}"}
    said = f"The pool leaks since a failing query keeps its connection. The key was {secret}."
    messages: list[tuple[str, Any]] = [
        ("user", f"Why does it fail with {secret}?"),
        ("assistant", [uses]),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": said}]),
    ]
    return [
        {**common, "type": role, "uuid": f"u{at}", "timestamp": f"2026-03-01T10:00:0{at}.000Z",
         "message": {"role": role, "content": content}}
        for at, (role, content) in enumerate(messages)
    ]  # fmt: skip
