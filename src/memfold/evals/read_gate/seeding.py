"""What memory knows before the study: a session of the real host that worked on the file."""

from __future__ import annotations

import ast
from pathlib import Path

from memfold.evals.read_gate.model import Agent, calls, says
from memfold.evals.read_gate.sample import Sample
from memfold.evals.read_gate.world import StudyFailed, World

_MOST_NAMES = 15  # titles that a gate names


def seed(place: World, file: Path, sample: Sample) -> None:
    """A project with the file in it, worked on once. Raises StudyFailed."""
    file.write_text(sample.text.replace(f"{sample.answer_line}\n", "", 1))
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Sample"),
        ("config", "user.email", "sample@example.com"),
        ("add", "."),
        ("commit", "-qm", "The service"),
    ):
        place.git(*words)
    place.session(
        "Runs hang for ever once a process has died. Find out why and mend it.",
        _mending(file, sample),
    )
    if file.read_text() != sample.text:
        raise StudyFailed("The session before the study did not change the file as it should.")
    place.keep()


def names_in(sample: Sample) -> list[str]:
    """Some of its functions."""
    nodes = (node for node in ast.walk(ast.parse(sample.text)) if isinstance(node, ast.FunctionDef))
    return [node.name for node in nodes][:_MOST_NAMES]


def _mending(file: Path, sample: Sample) -> Agent:
    yield [
        says(f"Locks are kept in {sample.symbol}. I will look there."),
        calls("Read", file_path=str(file), offset=sample.first, limit=40),
    ]
    yield [
        says(
            f"The cause: {sample.symbol} never breaks a lock that a dead process left behind, so "
            "the next run waits for ever. It gets a patience, after which the lock is broken."
        ),
        calls(
            "Edit",
            file_path=str(file),
            old_string=f"{sample.before}\n",
            new_string=f"{sample.before}\n{sample.answer_line}\n",
        ),
    ]
    check = f"python3 -m py_compile {file.name} && git commit -qam 'Break locks left behind'"
    yield [calls("Bash", command=check, description="Check and commit")]
    return (
        f"Fixed the hang: {sample.symbol} broke no lock of a dead process; now it does, after its "
        "patience. The change is committed."
    )
