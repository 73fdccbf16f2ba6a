"""The programs of ours that a host runs, as argument lists and as one line for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import memfold
from memfold.hosts import quick

HOOK, BRIDGE = "memfold/hook/hook.py", "memfold/serve/bridge.py"
GATE = "memfold/hook/gate.py"
_ENV = "/usr/bin/env"  # sets a variable where a host starts programs without a shell
_BEHIND_A_SHELL = ["/bin/sh", "-c", 'exec "$0" "$@"']


def doorbell() -> Path:
    """The hook program."""
    return Path(memfold.__file__).parent / "hook" / "hook.py"


def gatebell() -> Path:
    """The program that asks before a read."""
    return doorbell().with_name("gate.py")


def bridge() -> Path:
    """The stdio end of the MCP server."""
    return Path(memfold.__file__).parent / "serve" / "bridge.py"


@dataclass(frozen=True, slots=True)
class Runner:
    """The interpreter, by absolute path, and the data directory where it is not the usual one."""

    python: str
    data: str = ""  # $MEMFOLD_HOME at install; a host may start us without the person's variables
    perl: str = ""  # runs the quick hook; empty: hooks start Python

    @classmethod
    def of(cls, python: str, env: Mapping[str, str]) -> Runner:
        """With the quick hook where it rings on this machine."""
        given = env.get("MEMFOLD_HOME", "")
        return cls(python, str(Path(given).absolute()) if given else "", quick.perl())

    def hook(self, host: str) -> list[str]:
        return self._with_data([*self._quick(), self.python, "-I", "-S", str(doorbell()), host])

    def gate(self, host: str) -> list[str]:
        return self._with_data([*self._quick(), self.python, "-I", "-S", str(gatebell()), host])

    def server(self, host: str) -> list[str]:
        return self._with_data([self.python, "-I", "-S", str(bridge()), host])

    def memfold(self) -> list[str]:
        """The command line, by no name that has to be on a PATH."""
        return self._with_data([self.python, "-I", "-m", "memfold.cli.main"])

    def _quick(self) -> list[str]:
        return quick.words(self.perl) if self.perl else []

    def _with_data(self, words: list[str]) -> list[str]:
        if not self.data:
            return words
        setting = [_ENV, f"MEMFOLD_HOME={self.data}"]
        # `env` takes a path with a `=` in it for one more variable.
        return [*setting, *(_BEHIND_A_SHELL if "=" in words[0] else []), *words]


def in_shell(words: Sequence[str]) -> str:
    """One command line of these words, for a host that hands it to the person's shell."""
    return shlex.join(words)


def words_of(command: Mapping[str, Any]) -> list[str]:
    """The words a hook or server entry runs: program and arguments, or a line for a shell."""
    program, args = command.get("command"), command.get("args")
    if not isinstance(program, str):
        return []
    if isinstance(args, list):
        return [program, *(str(arg) for arg in args)]
    try:
        return shlex.split(program)
    except ValueError:  # somebody's own shell text
        return []


def runs(command: Mapping[str, Any], program: str) -> bool:
    """Whether an entry runs this program of ours, from whichever memfold and Python."""
    return any(word.endswith(program) for word in words_of(command))


def is_quick(command: Mapping[str, Any]) -> bool:
    """Whether an entry of ours runs the quick hook, and Python only behind it."""
    return runs(command, quick.PROGRAM)


def files_of(command: Mapping[str, Any]) -> tuple[str, ...]:
    """The files an entry of ours needs: its interpreters and our programs."""
    words = words_of(command)
    if words[:1] == [_ENV]:
        words = words[2:]
        if words[:3] == _BEHIND_A_SHELL:
            words = words[3:]
    interpreters = words[:1]
    for before, word in pairwise(words):
        if before.endswith(quick.PROGRAM):
            interpreters.append(word)
    return (*interpreters, *(word for word in words[1:] if word.endswith((".py", ".pl"))))
