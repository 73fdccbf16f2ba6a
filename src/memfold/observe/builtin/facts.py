"""The facts of an observation: commit, test results, errors and what ended them, symbols, items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memfold.observe.builtin import actions
from memfold.observe.builtin.calls import command_of
from memfold.observe.builtin.speech import Statement, clean
from memfold.observe.builtin.symbols import in_words, symbols_of
from memfold.observe.builtin.titles import shortened
from memfold.observe.paths import relative
from memfold.records import ToolUse

MOST = 8
_CHARS = 200
_MOST_SYMBOL_FACTS = 3
# The tool's own refusals and a shell's "not there": how the agent erred, not what the code does.
_OWN = re.compile(
    r"tool_use_error|InputValidationError|has not been read yet|String to replace not found|Found \d+ matches"
    r"|No such file or directory|command not found|not a git repository|user doesn't want|unexpected EOF|File does not exist",
    re.IGNORECASE,
)


def facts_of(
    commit: actions.Commit | None, uses: Sequence[ToolUse], said: Sequence[Statement], cwd: str
) -> tuple[str, ...]:
    """At most eight, each at most 200 characters, the surest first."""
    facts: dict[str, None] = {}
    if commit is not None:
        made = f"commit {commit.hash}".strip()
        facts[f"{made}: {clean(commit.subject)}"] = None
    # Of several runs the last one stands; an early one failed for a reason that is no more.
    runs = [tests for use in uses if (tests := actions.tests_of(use))]
    facts |= dict.fromkeys(f"tests: {clean(tests)}" for tests in runs[-1:])
    facts |= dict.fromkeys(_met(uses, cwd))
    items = [one.text for one in said if one.bullet and len(one.text) <= _CHARS]
    facts |= dict.fromkeys(items)
    symbols = list(symbols_of(uses).items())[:_MOST_SYMBOL_FACTS]
    facts |= {in_words(relative([path], cwd)[0], one): None for path, one in symbols}
    short = (shortened(fact, _CHARS) for fact in facts)
    return tuple(fact for fact in short if fact)[:MOST]


def _met(uses: Sequence[ToolUse], cwd: str) -> Iterator[str]:
    """Errors, each with the files whose change ended it where the same command then passed."""
    for at, use in enumerate(uses):
        error = actions.first_error(use)
        if not error or _OWN.search(error):
            continue
        command = " ".join(command_of(use).split())
        ended = [
            later
            for later in range(at + 1, len(uses))
            if command and uses[later].ok and " ".join(command_of(uses[later]).split()) == command
        ]
        between = uses[at + 1 : ended[0]] if ended else ()
        files = relative((path for one in between for path in one.files_changed), cwd)
        after = f"; passes since {', '.join(files[:2])} changed" if files else ""
        yield f"met: {shortened(clean(error), _CHARS - len(after) - 8)}{after}"
