"""`memfold why`: the rules and the evidence behind an observation."""

from __future__ import annotations

from typing import Any

import click

from memfold.cli import ask, out
from memfold.display import one_line

_WROTE = {"note": "Somebody wrote it down with memory_note; no rule made it."}


@click.command(short_help="Say why an observation is as it is.")
@click.argument("given", metavar="ID")
@out.place_options
@out.json_option
def command(given: str, cwd: str, project: str, as_json: bool) -> None:
    """Say which rules made an observation, and from what.

    Shows the sentence its title came from, each tool use behind it in a line, and what was left
    out. `memfold call get_tool_uses` shows a tool use in full.

    \b
    Examples:
      memfold why 41
      memfold why 41 --json
    """
    said = ask.get("/why", id=given, cwd=ask.absolute(cwd), project=project)
    if as_json:
        out.data(said)
        return
    for line in _lines(said):
        out.text(line)


def _lines(said: dict[str, Any]) -> list[str]:
    again = f", met {said['times']} times" if said["times"] > 1 else ""
    agent = f", subagent {one_line(said['agent'], 60)}" if said["agent"] else ""
    lines = [
        f"[{said['id']}] {one_line(said['title'], 480)}",
        f"{said['type']}, by {one_line(said['observer'], 60)}{agent}{again}",
    ]
    if said["superseded_by"] is not None:
        lines.append(f"Superseded by {said['superseded_by']}.")
    lines.append("Rules:")
    kind = said["observer"].partition("/")[0]
    kept = said["rules"] or [_WROTE.get(kind, "Not kept: it was made before rules were kept.")]
    lines += [f"  {one_line(rule, 480)}" for rule in kept]
    if said["said"]:
        lines += ["Sentence:", f"  {one_line(said['said'], 1_200)}"]
    if said["tool_uses"]:
        lines.append("Tool uses:")
    for use in said["tool_uses"]:
        nothing = f" — teaches nothing: {use['teaches_nothing']}" if use["teaches_nothing"] else ""
        lines.append(f"  {use['id']} {one_line(use['line'])}{nothing}")
    if said["tool_uses_more"]:
        lines.append(f"  and {said['tool_uses_more']} more")
    if said["retired"]:
        lines.append(f"{said['retired']:,} tool uses were retired by age.")
    if not said["tool_uses"] and not said["retired"]:
        lines.append("No tool uses: it rests on words alone.")
    return lines
