"""A sandbox of the real host: a folder, a home and a memory of its own, and a scripted model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from memfold.errors import MemfoldError
from memfold.evals.read_gate.model import Agent, Model, Turn, serving

TIMEOUT_S = 180


class StudyFailed(MemfoldError):
    """A session of the host, or the scripted agent in it, came to nothing."""

    code = "study_failed"
    next_step = "Run `claude --version` to see that the program starts, and then the study again."


class World:
    """One project with one file in it. Sessions change nothing in it but its memory."""

    def __init__(self, root: Path, client: Path, model: Model) -> None:
        self.client, self.model = client, model
        self.home, self.config = root / "home", root / "config"
        self.project, self.memory = root / "project", root / "memory"
        self._kept = root / "kept"
        self.begins_with: int | None = None  # tokens, once a session was run
        for folder in (self.home, self.config, self.project):
            folder.mkdir(parents=True)

    @property
    def env(self) -> dict[str, str]:
        """Built from nothing: no key, login or setting of the person's gets in."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "IS_SANDBOX": "1",
            "MEMFOLD_HOME": str(self.memory),
            "MEMFOLD_SEMANTIC": "no",
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "none",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def memfold(self, *words: str) -> str:
        return self.run([sys.executable, "-I", "-m", "memfold.cli.main", *words])

    def session(self, prompt: str, agent: Agent) -> list[Turn]:
        """The turns of one session. Raises StudyFailed."""
        self.model.begin(agent)
        options = ["--output-format", "json", "--dangerously-skip-permissions"]
        said = self.run([str(self.client), "-p", *options], prompt)
        if self.model.trouble is not None:
            raise StudyFailed(
                f"The scripted agent did not understand the host: {self.model.trouble}.",
                "This version of the host may answer otherwise; `claude update` or another one.",
            ) from self.model.trouble
        if not self.model.turns or json.loads(said).get("is_error"):
            raise StudyFailed(f"The session ended early: {said[-500:]}")
        return self.model.turns

    def keep(self) -> None:
        """Remember the memory as it is now; ``restore`` brings it back."""
        self.memfold("stop")
        shutil.copytree(self.memory, self._kept)

    def restore(self, settings: Mapping[str, str]) -> None:
        """The kept memory with these settings, so that no session learns from another."""
        self.memfold("stop")
        shutil.rmtree(self.memory)
        shutil.copytree(self._kept, self.memory)
        with (self.memory / "settings.toml").open("a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())
        self.memfold("start")

    @contextmanager
    def hooked(self, hook: Mapping[str, object] | None) -> Iterator[None]:
        """With one more hook before reads, where one is given."""
        path = self.config / "settings.json"
        before = path.read_text()
        settings = json.loads(before)
        if hook is not None:
            groups = settings["hooks"].setdefault("PreToolUse", [])
            groups.append({"matcher": "Read", "hooks": [hook]})
        path.write_text(json.dumps(settings))
        try:
            yield
        finally:
            path.write_text(before)

    def git(self, *words: str) -> None:
        self.run(["git", "-C", str(self.project), *words])

    def run(
        self,
        words: Sequence[str],
        given: str = "",
        env: Mapping[str, str] | None = None,
        *,
        may_fail: bool = False,
    ) -> str:
        """What a program in the project printed. Raises StudyFailed where it failed."""
        done = subprocess.run(  # our own words, no shell
            words,
            cwd=self.project,
            env=self.env if env is None else env,
            input=given,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if done.returncode and not may_fail:
            said = (done.stderr + done.stdout)[-800:]
            raise StudyFailed(f"{words[0]} ended with {done.returncode}: {said}")
        return done.stdout


@contextmanager
def opened(root: Path, client: Path) -> Iterator[World]:
    """A world with memfold installed in it; its daemon is stopped at the end."""
    with serving() as model:
        world = World(root, client, model)
        world.memfold("install", "claude-code", "--yes", "--transport", "command")
        try:
            yield world
        finally:
            world.memfold("stop")
