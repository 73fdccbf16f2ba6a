"""Records the sample sessions again, with the real Claude Code against a scripted model.

Needs ../shared/harness beside the checkout and the client it fetches. Run as
``python ../shared/harness/loopback_only.py python examples/record.py``. What is written below
``examples/sample`` has neutral paths and ids: the project lies in /home/you/pool.
"""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
HARNESS = HERE.parent.parent / "shared" / "harness"
SAMPLE = HERE / "sample"
PROJECT = "/home/you/pool"
EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop")

Script = Generator[list[Any], str, str]  # yields replies, returns the last words


def tool(name: str, **given: Any) -> dict[str, Any]:
    return {"tool": name, "input": given}


def leak(project: Path) -> Script:
    """Finds and fixes the leak on the error path."""
    file = str(project / "pool.py")
    yield ["I'll look at how connections come back.", tool("Read", file_path=file)]
    yield [
        "run() releases only after a query that worked. Let me see the test fail.",
        tool("Bash", command="python3 -m unittest -q test_pool", description="Run the test"),
    ]
    yield [
        "The cause: when execute() raises, run() never reaches release(), so every failing query "
        "keeps its connection. I'll release it in a finally block.",
        tool(
            "Edit",
            file_path=file,
            old_string="        result = connection.execute(query)\n"
            "        self.release(connection)\n        return result\n",
            new_string="        try:\n            return connection.execute(query)\n"
            "        finally:\n            self.release(connection)\n",
        ),
    ]
    yield [tool("Bash", command="python3 -m unittest -q test_pool", description="Run the test")]
    message = "Release the connection when a query fails"
    yield [tool("Bash", command=f"git commit -qam '{message}' && git log --oneline -1")]
    return (
        "Fixed the connection leak on the error path of `Pool.run`: a failing query kept its "
        "connection, so after two errors the pool was empty. The connection is now released in a "
        "`finally` block. The test that runs three failing queries passes, and it is committed.\n\n"
        "Not done: `acquire()` still raises at once when the pool is empty; a timeout would be the "
        "next step."
    )


def expiry(project: Path) -> Script:
    """Decides against a background thread, with the reason."""
    file = str(project / "pool.py")
    yield ["Let me read the pool before deciding.", tool("Read", file_path=file)]
    yield [
        "A reaper thread would need a lock around every acquire and has to be stopped in tests; "
        "checking the age when a connection is handed out needs neither.",
        tool(
            "Edit",
            file_path=file,
            old_string="    def acquire(self):\n        if not self._free:\n"
            '            raise RuntimeError("pool is empty")\n        return self._free.pop()\n',
            new_string="    def acquire(self):\n        if not self._free:\n"
            '            raise RuntimeError("pool is empty")\n'
            "        connection = self._free.pop()\n"
            '        if getattr(connection, "expired", False):\n'
            "            return self._connect()\n        return connection\n",
        ),
    ]
    yield [tool("Bash", command="python3 -m unittest -q test_pool", description="Run the test")]
    return (
        "Kept expiry lazy instead of adding a reaper thread, because a thread would need a lock "
        "around every `acquire()` and must be stopped in each test. `acquire()` now replaces a "
        "connection that has expired at the moment it is handed out. The test passes."
    )


def review(project: Path) -> Script:
    """A review that finds something and changes nothing."""
    yield [
        "I'll read the pool and its test.",
        tool("Read", file_path=str(project / "pool.py")),
        tool("Read", file_path=str(project / "test_pool.py")),
    ]
    return (
        "Findings:\n\n"
        "1. `Pool.release` accepts a connection that was already given back, so two callers can "
        "get the same connection. It should refuse what is in `_free` already.\n"
        "2. `Pool.__init__` opens all connections at once; when the third `connect()` fails, the "
        "first two are never closed.\n\n"
        "I changed nothing."
    )


SESSIONS = (
    ("leak", "The pool runs empty in production after a few errors. Find out why.", leak),
    ("expiry", "Connections go stale overnight. Should we add a background reaper?", expiry),
    ("review", "Review pool.py as if you had to run it in production.", review),
)


def main() -> int:
    sys.path.insert(0, str(HARNESS))
    # Late and by name: they lie beside the checkout, not in it.
    run_claude, stub_anthropic = map(importlib.import_module, ("run_claude", "stub_anthropic"))
    shutil.rmtree(SAMPLE, ignore_errors=True)
    (SAMPLE / "transcripts").mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder, run_claude.Sandbox(root=Path(folder)) as box:
        make_project(box.project)
        box.hook_all(list(EVENTS))
        for number, (name, prompt, script) in enumerate(SESSIONS, 1):
            answer(box, stub_anthropic, script(box.project))
            result = box.run(prompt, "--dangerously-skip-permissions")
            assert result.code == 0, result.stderr
            session = result.hooks[0]["payload"]["session_id"]
            neutral = Neutral(box, session, number)
            if number == 1:
                lines = [json.dumps(hook["payload"]) for hook in result.hooks]
                (SAMPLE / "hooks.jsonl").write_text(neutral.text("\n".join(lines) + "\n"))
            (found,) = box.config.rglob(f"{session}.jsonl")
            text = "".join(line for line in found.open() if kept(line))
            (SAMPLE / "transcripts" / f"{number}-{name}.jsonl").write_text(neutral.text(text))
    return 0


def make_project(project: Path) -> None:
    for file in (HERE / "pool").iterdir():
        shutil.copy(file, project)
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Sample"),
        ("config", "user.email", "sample@example.com"),
        ("add", "."),
        ("commit", "-qm", "A small pool"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)


def answer(box: Any, stub: Any, script: Script) -> None:
    """Let the model server answer from the script."""
    state = {"began": False}

    def reply_for(body: dict[str, Any]) -> Any:
        if not body.get("tools"):
            return stub.normalise("ok")
        results = stub.tool_results(body)
        try:
            if not state["began"]:
                state["began"] = True
                return stub.normalise(next(script))
            return stub.normalise(script.send(stub.text_of(results[-1]["content"])))
        except StopIteration as end:
            return stub.normalise(end.value)

    box.stub.reply_for = reply_for


def kept(line: str) -> bool:
    """Lines that say what was done; the host's own bookkeeping is left out."""
    return json.loads(line).get("type") in {"user", "assistant"}


class Neutral:
    """Paths and ids of the recording machine replaced by neutral ones."""

    def __init__(self, box: Any, session: str, number: int) -> None:
        self._pairs = (
            (str(box.project), PROJECT),
            (str(box.project).replace("/", "-"), PROJECT.replace("/", "-")),
            (str(box.config), "/home/you/.claude"),
            (str(box.root), "/home/you"),
            (session, f"00000000-0000-4000-8000-00000000000{number}"),
        )
        self._number = number

    def text(self, text: str) -> str:
        for given, neutral in self._pairs:
            text = text.replace(given, neutral)
        # The stub numbers its calls anew in each recording; a session's must not collide.
        text = re.sub(r"-tmp-[\w-]+?-project", PROJECT.replace("/", "-"), text)
        return re.sub(r"toolu_0*(\d+)", rf"toolu_{self._number}\1", text)


if __name__ == "__main__":
    sys.exit(main())
