"""`memfold context`: byte for byte what the SessionStart hook would show the agent."""

from __future__ import annotations

import click

from memfold.cli import ask, out


@click.command(short_help="Print what the next session will be shown.")
@click.option(
    "--cwd",
    default=".",
    show_default=True,
    type=click.Path(path_type=str),
    help="Directory the agent would work in.",
)
@click.option("--host", default="claude-code", show_default=True, help="Host it is made for.")
@out.json_option
def command(cwd: str, host: str, as_json: bool) -> None:
    """Print what the next session in a directory will be shown.

    Exactly the bytes the hook sends, with no line end of our own.

    \b
    Examples:
      memfold context --cwd .
      memfold context --cwd ~/code/app --host codex | wc -m
    """
    body = ask.get_bytes("/context", cwd=ask.absolute(cwd), host=host)
    if as_json:
        text = body.decode("utf-8", "replace")
        from memfold import measure  # late: only this form counts

        units = {"utf16_units": measure.utf16_units(text), "utf8_bytes": len(body)}
        out.data({"text": text, **units, "tokens": measure.tokens(text)})
    else:
        out.raw(body)
