"""What tool calls did, read from their inputs and results: commits, tests, files, searches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memfold.observe.builtin.calls import ASK, command_of, kind_of, output_of
from memfold.records import ToolUse

_COMMIT = re.compile(r"\bgit\b[^\n;&|]*\bcommit\b")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?\s*\n(.*?)\n\s*\1\b", re.DOTALL)
_MESSAGE = re.compile(
    r"(?:-[a-zA-Z]*m|--message)[= ]\s*(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|(\S+))", re.DOTALL
)
_HASH = re.compile(r"^\[[^\]\n]*?\b([0-9a-f]{7,40})\]", re.MULTILINE)
_TESTS = re.compile(
    r"(\d+ passed(?:, \d+ \w+)*|\d+ tests?, \d+ failures?|test result: \w+\. \d+ passed; \d+ failed"
    r"|Tests:\s+.*\d+ total|ok\s+\d+ tests?|\d+ passing(?:.*\d+ failing)?|Tests run: \d+, Failures: \d+)"
)
_RUNNER = re.compile(
    r"\b(?:pytest|go test|cargo (?:test|nextest)|npm (?:run )?test|(?:npx |pnpm |yarn )?(?:jest|vitest)"
    r"|pnpm test|yarn test|mix test|mvn .*test|gradle .*test|rspec|phpunit|ctest|make test|tox|bun test)\b"
)
_ERROR = re.compile(
    r"^.*(?:error|exception|\bpanic|\bfatal|\bfailed|\bFAIL)\b.*$", re.IGNORECASE | re.MULTILINE
)
_QUESTION_ANSWER = re.compile(r"\"([^\"]{3,300})\"\s*=\s*\"([^\"]{1,200})\"")
_TRAILER = re.compile(r"^(?:[A-Z][\w]*(?:-[\w]+)+|Fixes|Closes|Refs?): .*$|^🤖.*$", re.MULTILINE)
_PREFIX = re.compile(
    r"^(?:feat|fix|chore|docs|refactor|test|perf|ci|build|style)(?:\([^)]*\))?!?:\s*", re.I
)
_MUTATES = re.compile(
    r"\bsed -i|\bperl -p?i|\bgit (?:mv|rm|commit|rebase|merge|cherry-pick|revert|apply|push)\b|(?:^|[;&|]\s*)(?:mv|rm|cp|tee|touch|mkdir) "
    r"|\bgo (?:get|mod (?:edit|tidy))\b|\b(?:npm|pnpm|yarn|bun) (?:i|install|add|remove|up)\b|\bpip3? install\b"
    r"|\b(?:uv|poetry|cargo) (?:add|remove|update)\b|\bbrew install\b|\bgh (?:pr|issue) (?:create|merge|close)\b"
    r"|\bbd (?:create|close|update)\b|>\s*[\w./~-]+\.\w+",
    re.MULTILINE,
)


def changes_something(use: ToolUse) -> bool:
    """Whether a call left something other than it was: files, history, dependencies."""
    if not use.ok:
        return False
    return bool(use.files_changed) or bool(_MUTATES.search(command_of(use)[:4_000]))


@dataclass(frozen=True, slots=True)
class Commit:
    subject: str
    body: str
    hash: str
    kind: str  # "fix", "feat", ... where the subject says so


def commit_of(use: ToolUse) -> Commit | None:
    """The commit a call made, with the message the agent wrote."""
    command = command_of(use)
    if not use.ok or not _COMMIT.search(command):
        return None
    message = _message(command)
    if not message:
        return None
    subject, _, body = message.strip().partition("\n")
    kind = _PREFIX.match(subject)
    found = _HASH.search(output_of(use))
    return Commit(
        subject=_PREFIX.sub("", subject).strip(),
        body=_TRAILER.sub("", body).strip(),
        hash=found.group(1) if found else "",
        kind=re.split(r"[(:!]", kind.group(0))[0].lower() if kind else "",
    )


def _message(command: str) -> str:
    heredoc = _HEREDOC.search(command)
    if heredoc:
        return heredoc.group(2)
    parts = ["".join(groups) for groups in _MESSAGE.findall(command)]
    return "\n\n".join(part.replace('\\"', '"') for part in parts if not part.startswith("$("))


def tests_of(use: ToolUse) -> str:
    """The result line of a test run, '' where the call ran none."""
    if not _RUNNER.search(command_of(use)):
        return ""
    found = _TESTS.findall(output_of(use))
    return " ".join(found[-1].split()) if found else ""


def first_error(use: ToolUse) -> str:
    """The line that says what went wrong, of a failed call."""
    if use.ok:
        return ""
    found = _ERROR.search(output_of(use)[:20_000])
    return " ".join(found.group(0).split())[:160] if found else ""


def answers_of(use: ToolUse) -> list[tuple[str, str]]:
    """(question, the user's answer) of a question the host's own dialog asked."""
    if kind_of(use) != ASK:
        return []
    response: Any = use.response
    if isinstance(response, Mapping) and isinstance(response.get("answers"), Mapping):
        return [(str(q), str(a)) for q, a in response["answers"].items()]
    return _QUESTION_ANSWER.findall(output_of(use))
