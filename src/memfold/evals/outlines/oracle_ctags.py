"""Other languages judged by Universal Ctags, where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from memfold.evals.outlines.ctags_kinds import READERS, Tag, why_not
from memfold.evals.outlines.oracles import Expected, Told

_TIMEOUT_S = 60
# Clauses of one function are one symbol where they follow each other.
_CLAUSES = frozenset({"elixir"})


class _Line(msgspec.Struct, frozen=True):
    name: str = ""
    kind: str = ""
    line: int = 0
    scope_kind: str = msgspec.field(name="scopeKind", default="")


@dataclass(frozen=True, slots=True)
class CtagsOracle:
    """Starts ctags once a file."""

    program: str
    version: str
    languages: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"ctags {self.version}"

    def told(self, path: Path, text: str, language: str) -> Told:
        run = subprocess.run(
            self._command(path, language), capture_output=True, timeout=_TIMEOUT_S, check=False
        )
        if run.returncode:
            return Told(unread=f"{path.name}: ctags ended with {run.returncode}")
        lines = text.split("\n")
        told = Told()
        last = Tag("", "", 0, "")
        for tag in _tags(run.stdout):
            why = why_not(tag, language, lines)
            if language in _CLAUSES and not why:
                if (tag.name, tag.kind) == (last.name, last.kind):
                    why = "a further clause of the same function"
                last = tag
            if why:
                told.left_out[why] += 1
            else:
                told.expected.append(Expected(tag.name, tag.kind, tag.line))
        return told

    def _command(self, path: Path, language: str) -> list[str]:
        reader = READERS[language]
        return [
            self.program, "--quiet", "--options=NONE", f"--language-force={reader.name}",
            *([f"--kinds-{reader.name}=+{reader.more}"] if reader.more else []),
            "--output-format=json", "--fields=+nKs", "--extras=-qr", "--sort=no",
            "-o", "-", str(path),
        ]  # fmt: skip


def on_this_machine() -> CtagsOracle | None:
    """None where there is no ctags, or another one than Universal Ctags with JSON."""
    program = shutil.which("ctags")
    if program is None:
        return None
    version = re.match(r"Universal Ctags ([\d.]+)", _output(program, "--version"))
    if version is None or not re.search(r"^json\b", _output(program, "--list-features"), re.M):
        return None
    known = set(_output(program, "--list-languages").split("\n"))
    languages = tuple(one for one, reader in READERS.items() if reader.name in known)
    return CtagsOracle(program, version[1], languages)


def _output(program: str, option: str) -> str:
    run = subprocess.run(
        [program, option], capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
    )
    return run.stdout


def _tags(output: bytes) -> Iterator[Tag]:
    """In the order they stand in the file."""
    found = [msgspec.json.decode(line, type=_Line) for line in output.splitlines()]
    for one in sorted((one for one in found if one.name and one.line), key=lambda one: one.line):
        yield Tag(one.name, one.kind, one.line, one.scope_kind)
