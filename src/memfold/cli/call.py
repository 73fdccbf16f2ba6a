"""`memfold call`: one MCP tool, called as an agent would."""

from __future__ import annotations

import json
from typing import Any

import click

from memfold.cli import ask, out
from memfold.errors import InvalidInput


@click.command(short_help="Call one MCP tool and print its text.")
@click.argument("tool")
@click.argument("arguments", default="{}", metavar="[JSON]")
@click.option(
    "--cwd",
    default=".",
    show_default=True,
    type=click.Path(path_type=str),
    help="Directory the agent works in.",
)
@out.json_option
@click.pass_context
def command(ctx: click.Context, tool: str, arguments: str, cwd: str, as_json: bool) -> None:
    """Call one MCP tool and print its text.

    Exits with 1 when the tool refuses. With --json: entries, cursor, step and error code.

    \b
    Examples:
      memfold call mem_search '{"query": "connection leak"}'
      memfold call mem_search '{"continuation": "ms_...", "selectedIds": ["41"]}' --json
      memfold call work_state_read --cwd ~/code/app
    """
    payload = {"args": _object(arguments), "cwd": ask.absolute(cwd), "host": "cli", "session": ""}
    reply = ask.post(f"/tool/{ask.quoted(tool)}", payload)
    failed = bool(reply.get("is_error"))
    if as_json:
        out.data(
            {
                "tool": tool,
                "text": reply["text"],
                "entries": reply.get("entries", []),
                "cursor": reply.get("cursor", ""),
                "step": reply.get("step", 0),
                "error": reply.get("code") if failed else None,
            }
        )
    else:
        click.echo(reply["text"], err=failed, nl=not str(reply["text"]).endswith("\n"))
    if failed:
        ctx.exit(1)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidInput(
            f"The arguments are not JSON ({error}).",
            'Give one object in quotes, such as \'{"query": "connection leak"}\'.',
        ) from error
    except RecursionError as error:
        raise InvalidInput("The arguments are nested too deeply.") from error
    if not isinstance(value, dict):
        raise InvalidInput("The arguments must be one JSON object.")
    return value
