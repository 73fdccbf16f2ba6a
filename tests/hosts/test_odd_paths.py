"""Blanks, quotes and dollars in paths: the very words that are written, run as a host runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import WAYS

from memfold.hosts import claude_code, codex, programs, quick
from memfold.hosts.programs import Runner

# Stands in for the interpreter: says what it was started with.
# Those of this machine; `sh` is on every one.
SHELLS = ["/bin/sh", *filter(None, map(shutil.which, ("bash", "dash", "zsh", "fish")))]
SCRIPT = """\
#!/bin/sh
printf '%s\\n' "$MEMFOLD_HOME" "$@"
"""
NAMES = st.text(
    st.sampled_from(list("ab1 '\"$`\\&;|<>()*?[]{}!#~=%-éß🙂\t")), min_size=1, max_size=14
).filter(lambda name: name.strip(".") != "")


def started_with(words: list[str]) -> list[str]:
    """What the stand-in was given, started by a host that knows no variable of ours."""
    env = {name: value for name, value in os.environ.items() if name != "MEMFOLD_HOME"}
    done = subprocess.run(words, input=b"{}", capture_output=True, env=env, check=True)
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("perl", WAYS)
@settings(max_examples=60, deadline=None)
@given(NAMES, NAMES)
def test_any_path_of_interpreter_and_data_directory_arrives_whole(
    perl: str, folder: str, data: str
) -> None:
    """Nobody listens in that data directory, so the quick hook hands over."""
    with tempfile.TemporaryDirectory() as root:
        python = Path(root, folder, "py thon")
        python.parent.mkdir()
        python.write_text(SCRIPT)
        python.chmod(0o755)
        home = str(Path(root, "d", data))
        runner = Runner(str(python), home, perl)
        hook = [home, "-I", "-S", str(programs.doorbell())]

        target = codex.Target.at(
            "user", project=Path(root), env={"MEMFOLD_HOME": home, "HOME": root}, python=str(python)
        )
        (entry, *_) = replace(target, runner=runner).hook_entries()
        written = json.loads(json.dumps(entry.value))["hooks"][0]
        assert started_with(["/bin/sh", "-c", written["command"]]) == [*hook, "codex"]
        assert programs.runs(written, programs.HOOK)
        needed = {str(python), str(programs.doorbell())}
        assert set(programs.files_of(written)) == needed | (
            {perl, str(quick.program())} if perl else set()
        )

        of_claude = claude_code.hook_of("Stop", runner)
        words = [of_claude["command"], *of_claude["args"]]
        assert started_with(words) == [*hook, "claude-code"]

        server = claude_code.server_of(runner)
        words = [server["command"], *server["args"]]
        assert started_with(words) == [home, "-I", "-S", str(programs.bridge()), "claude-code"]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_line_for_a_shell_is_read_alike_by_every_shell(shell: str, tmp_path: Path) -> None:
    """Codex hands it to the person's own: seen with the real binary."""
    python = tmp_path / 'it\'s "$HOME" \\ `x`' / "python"
    python.parent.mkdir()
    python.write_text(SCRIPT)
    python.chmod(0o755)
    line = programs.in_shell(Runner(str(python), str(tmp_path / "d'a\"ta")).hook("codex"))
    said = started_with([shell, "-c", line])
    assert said[0] == str(tmp_path / "d'a\"ta")
    assert said[-1] == "codex"


def test_without_a_data_directory_of_its_own_nothing_is_set() -> None:
    assert Runner("/p").hook("codex")[0] == "/p"
    assert Runner("/p", perl="/q").hook("codex")[0] == "/q"


def test_a_relative_data_directory_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host starts hooks in the project's directory, not in this one."""
    monkeypatch.chdir(tmp_path)
    assert Runner.of("/p", {"MEMFOLD_HOME": "mem"}).data == str(tmp_path / "mem")
