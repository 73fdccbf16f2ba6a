"""Another memory beside us: traces of claude-mem, which are read and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memfold.errors import HostFileProblem
from memfold.hosts import files
from memfold.hosts.edit import Document

NAME = "claude-mem"


@dataclass(frozen=True, slots=True)
class Traces:
    """What was found of it."""

    at_work: tuple[str, ...] = ()  # where it is called: "its plugin in /home/u/.claude", ...
    database: Path | None = None  # None where there is none, or an empty file

    def __bool__(self) -> bool:
        return bool(self.at_work or self.database)

    def explained(self) -> str:
        """One or two sentences for the person; '' where there is nothing."""
        if not self:
            return ""
        found = list(self.at_work)
        if self.database is not None:
            size_mb = self.database.stat().st_size / 1_000_000
            found.append(f"its database {self.database} ({size_mb:.1f} MB)")
        side = (
            " Both can run side by side, but each shows its own index when a session starts."
            if self.at_work
            else ""
        )
        return f"claude-mem is here too: {' and '.join(found)}.{side} Nothing of it is changed."


def traces(hooks_files: Sequence[Path], env: Mapping[str, str]) -> Traces:
    """What there is of it in these hosts' files and in its own data directory.

    A file that cannot be read shows nothing: installing says what is wrong with it.
    """
    at_work: list[str] = []
    for path in hooks_files:
        try:
            told = _object(path)
        except HostFileProblem:
            continue
        enabled = told.get("enabledPlugins")
        if isinstance(enabled, dict) and any(
            on and str(name).startswith(f"{NAME}@") for name, on in enabled.items()
        ):
            at_work.append(f"its plugin in {path}")
        if _mentions(told.get("hooks")):
            at_work.append(f"its hooks in {path}")
    given = env.get("CLAUDE_MEM_DATA_DIR")
    folder = Path(given) if given else Path(env.get("HOME") or Path.home()) / f".{NAME}"
    database = folder / f"{NAME}.db"
    there = database.is_file() and database.stat().st_size > 0
    return Traces(tuple(at_work), database if there else None)


def _object(path: Path) -> dict[str, Any]:
    body = files.read(path)
    return dict(Document.read(path, body).root().value) if body is not None else {}


def _mentions(value: Any) -> bool:
    """Whether a command in there names it."""
    if isinstance(value, dict):
        return any(_mentions(one) for one in value.values())
    if isinstance(value, list):
        return any(_mentions(one) for one in value)
    return isinstance(value, str) and NAME in value
