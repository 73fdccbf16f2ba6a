"""Writes the reference pages from the code, so that they cannot differ from it.

``python docs/generate.py`` writes, ``--check`` says what is out of date and exits with 1.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from memfold import errors
from memfold.cli.main import cli
from memfold.observe.builtin.judged import REASONS
from memfold.observe.builtin.types import CONCEPTS, TYPES
from memfold.observe.builtin.worth import ENOUGH, NOTHINGS, WEIGHTS
from memfold.serve.tools import TOOLS
from memfold.settings import SETTINGS

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- Written by docs/generate.py; change the code and run `make docs`. -->\n"


def settings_page() -> str:
    rows = "\n".join(
        f"| `{s.name}` | `{_default(s.default)}` | {s.unit} | {s.help} |" for s in SETTINGS
    )
    return (
        "# Settings\n\nFrom the environment (`MEMFOLD_` and the name in capitals), else from\n"
        "`settings.toml` in the data directory, else the default.\n\n"
        f"| name | default | unit | what it does |\n| --- | --- | --- | --- |\n{rows}\n"
    )


def _default(value: object) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def errors_page() -> str:
    rows = "\n".join(
        f"| `{kind.code}` | {kind.__doc__.splitlines()[0] if kind.__doc__ else ''} "
        f"| {kind.next_step} |"
        for kind in _kinds(errors.MemfoldError)
        if kind.__module__ == errors.__name__
    )
    return (
        "# Errors\n\nTools and commands say the code, what happened, and the next step.\n\n"
        f"| code | what happened | next step |\n| --- | --- | --- |\n{rows}\n"
    )


def _kinds(kind: type[errors.MemfoldError]) -> Iterator[type[errors.MemfoldError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _kinds(child)


def tools_page() -> str:
    parts = ["# Tools\n\nWhat an agent gets over MCP, in this order.\n"]
    for tool in TOOLS:
        parts.append(f"\n## {tool.name}\n\n{tool.description}\n")
        for name, schema in tool.properties.items():
            shown = {key: value for key, value in schema.items() if key != "description"}
            said = schema.get("description", "")
            parts.append(f"- `{name}`: {said} `{json.dumps(shown)}`".replace(":  `", ": `"))
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def cli_page() -> str:
    parts = ["# Command line\n"]
    parts += _commands(cli, click.Context(cli, info_name="memfold"))
    return "\n".join(parts).rstrip() + "\n"


def _commands(group: click.Group, ctx: click.Context) -> Iterator[str]:
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=ctx, terminal_width=92)
        if isinstance(command, click.Group):
            yield from _commands(command, inner)
        else:
            yield f"## {inner.command_path}\n\n```\n{command.get_help(inner)}\n```\n"


def observer_page() -> str:
    types = "\n".join(f"| {r.type} | {r.when} | {r.example} |" for r in TYPES)
    concepts = "\n".join(f"| {r.concept} | {r.when} |" for r in CONCEPTS)
    weights = "\n".join(f"| {name} | {points:+.1f} |" for name, points, _ in WEIGHTS)
    nothings = ", ".join(name for name, _ in NOTHINGS)
    return (
        "# What the built-in observer does\n\nIt reads one turn"
        " (from a prompt to the next) and writes"
        " at most six observations. Why it works\nthis way: [decision 0007]"
        "(../decisions/0007-built-in-observer.md) and its second"
        " pass.\n`memfold why ID` says which of"
        " these rules made an observation.\n\n## Titles\nA title is what the agent said, else the"
        " subject of its commit, the user's answer to a question,"
        " what\nthe web was asked, or what the"
        f" edits define. A sentence needs {ENOUGH} points. Never a title: {nothings}.\n\n"
        f"| a sentence that | points |\n| --- | --- |\n{weights}\n\n## Types\nThe first rule that"
        f" holds decides.\n\n| type | when | example |\n| --- | --- |"
        f" --- |\n{types}\n\n## Concepts\n"
        f"None to three, by the first that hold.\n\n| concept | when"
        f" |\n| --- | --- |\n{concepts}\n\n"
        "## Facts\nCommit hash and subject, the last result line of"
        " the tests, the first error line of"
        " failed calls with\nthe files whose change ended it, the"
        " items of the list below a summing-up"
        " sentence, and functions and\nclasses that the edits added,"
        " changed or removed; at most eight.\n\n"
        f"## What is left out\nTool uses that {', '.join(REASONS)}:"
        f" they are no evidence, unless there is"
        " nothing else.\n"
    )


PAGES = {
    "observer.md": observer_page,
    "settings.md": settings_page,
    "errors.md": errors_page,
    "tools.md": tools_page,
    "cli.md": cli_page,
}


def main() -> int:
    stale = []
    for name, page in PAGES.items():
        text = NOTE + page()
        file = REFERENCE / name
        if not file.exists() or file.read_text("utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv:
                file.write_text(text, "utf-8")
    if "--check" in sys.argv and stale:
        print(f"out of date: {', '.join(stale)}; run `make docs`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
