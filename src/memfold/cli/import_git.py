"""`memfold import git`: a repository's history as memory."""

from __future__ import annotations

import click

from memfold.cli import ask, out
from memfold.cli.progress import follow


@click.command(short_help="Take in the history of a git repository.")
@click.argument("path", required=False, default=".", type=click.Path(path_type=str))
@click.option(
    "--since", default="", metavar="WHEN", help="Only commits since then: 2026-01-31 or 90d."
)
@click.option(
    "--limit",
    default=5_000,
    show_default=True,
    type=click.IntRange(1, 1_000_000),
    help="At most the newest so many commits.",
)
@out.json_option
def command(path: str, since: str, limit: int, as_json: bool) -> None:
    """Commits of the branch that is checked out become observations, with the commit as evidence.

    Merges, version and dependency bumps, formatting and work in progress are left out. Run it
    again at any time: only what is new is looked at. From then on, new commits are taken in when
    a session starts.

    \b
    Examples:
      memfold import git
      memfold import git ~/code/app --since 365d
    """
    result = follow(
        "/import/git", {"path": ask.absolute(path), "since": since, "limit": limit}, "commits"
    )
    if as_json:
        out.data(result)
        return
    out.text(
        f"{result['project']}: {out.count(result['commits'], 'commit')}, "
        f"{out.count(result['observations'], 'new observation')}"
    )
    if result["known"]:
        out.text(f"{out.count(result['known'], 'commit')} known before")
    if result["rewritten"]:
        out.text(f"{out.count(result['rewritten'], 'commit')} known under another id")
    if result["met_again"]:
        out.text(f"{out.count(result['met_again'], 'commit')} said what was known already")
    if result["superseded"]:
        out.text(f"{out.count(result['superseded'], 'observation')} superseded by a revert")
    for reason, number in result["left_out"].items():
        out.text(f"{out.count(number, 'commit')} left out: {reason}")
