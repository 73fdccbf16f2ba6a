"""JavaScript judged by acorn, the parser inside node."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import msgspec

from memfold.evals.outlines.oracles import Expected, Told

_SCRIPT = Path(__file__).with_name("acorn.js")
_TIMEOUT_S = 60


class _Answer(msgspec.Struct, frozen=True):
    version: str = ""
    expected: tuple[tuple[str, str, int], ...] = ()  # name, kind, line
    left_out: dict[str, int] = {}
    error: str = ""


@dataclass(frozen=True, slots=True)
class AcornOracle:
    """Starts node once a file."""

    node: str
    version: str

    @property
    def title(self) -> str:
        return f"acorn {self.version}"

    def told(self, path: Path, text: str, _language: str) -> Told:
        answer = _asked(self.node, text)
        if answer.error:
            return Told(unread=f"{path.name}: {answer.error}")
        return Told([Expected(*one) for one in answer.expected], Counter(answer.left_out))


def on_this_machine() -> AcornOracle | None:
    """None where there is no node, or one without acorn inside."""
    node = shutil.which("node")
    if node is None:
        return None
    answer = _asked(node, "")
    return None if answer.error else AcornOracle(node, answer.version)


def _asked(node: str, text: str) -> _Answer:
    run = subprocess.run(
        [node, "--expose-internals", str(_SCRIPT)],
        input=text.encode("utf-8", "replace"),
        capture_output=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    try:
        return msgspec.json.decode(run.stdout, type=_Answer)
    except msgspec.DecodeError:  # it ended before it wrote: no acorn in this node, or no memory
        return _Answer(error=f"node ended with {run.returncode}")
