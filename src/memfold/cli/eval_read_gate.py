"""`memfold eval read-gate`: what the gate before reads saves and costs, with the real host."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

import click

from memfold.cli import out
from memfold.cli.eval_folder import say
from memfold.errors import InvalidInput

_USUAL = ("~/.local/bin/claude", "~/.cache/coding-clients/claude")


@click.command(short_help="Does the gate before reads pay? The real host is asked.")
@click.option("--client", type=click.Path(path_type=Path), help="The Claude Code program.")
@click.option("--runs", default=1, show_default=True, type=click.IntRange(1, 20),
              help="How often each session is run.")  # fmt: skip
@click.option("--out", "folder", default=Path("read-gate"), show_default=True,
              type=click.Path(path_type=Path, file_okay=False),
              help="Where the report goes.")  # fmt: skip
@click.option(
    "--agent", is_flag=True, help="Ask a real agent, with your own login. It costs money."
)
@click.option("--model", default="", help="Of the real agent; else the one your login gives.")
@click.option("--max-usd", type=click.FloatRange(min=0, min_open=True),
              help="What the real agent may spend in all.")  # fmt: skip
@out.json_option
def command(
    *,
    client: Path | None,
    runs: int,
    folder: Path,
    agent: bool,
    model: str,
    max_usd: float | None,
    as_json: bool,
) -> None:
    """Drive the real Claude Code against a scripted model, with the gate and without, and price
    every request it sends.

    Without a key and without a network: the model is a script on loopback that goes on after a
    block in ways that were published. A study takes three minutes a run. The report is written as
    Markdown, JSON and a plot. Nothing of your own memory or settings is read or changed.

    With --agent the same questions go to a real agent, three runs at least, with the gate off, from
    32 KB on and from 1.5 KB on. Your login is used, none of your settings; --max-usd is the limit.

    \b
    Examples:
      memfold eval read-gate
      memfold eval read-gate --client ~/bin/claude --runs 3 --out report
      memfold eval read-gate --agent --max-usd 5
    """
    program = _client(client)
    if agent:
        _ask_agent(program, runs, folder, model, max_usd, as_json=as_json)
        return
    if model or max_usd is not None:
        raise InvalidInput("--model and --max-usd are for a real agent.", "Add --agent.")
    from memfold.evals.read_gate import plot, report, study  # late: other commands need it not
    from memfold.evals.read_gate.verdict import verdicts

    host = f"Claude Code {_version(program)}"
    rows = list(study.rows(program, runs, say))
    found = verdicts(rows)
    data = report.as_data(rows, found, host)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "read-gate.md").write_text(report.markdown(rows, found, host), "utf-8")
    (folder / "read-gate.json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    (folder / report.PLOT).write_text(plot.svg(found), "utf-8")
    if as_json:
        out.data(data)
        return
    for line in report.sentences(found):
        out.text(line)
    out.text(f"{len(rows)} sessions; the report is {folder / 'read-gate.md'}")


def _ask_agent(
    program: Path, runs: int, folder: Path, model: str, max_usd: float | None, *, as_json: bool
) -> None:
    from memfold.evals.read_gate import trial  # late: as above

    if max_usd is None:
        raise InvalidInput("A real agent costs money.", "Say how much it may, with --max-usd.")
    wanted = max(runs, trial.LEAST_RUNS)
    found = list(trial.trials(program, model, wanted, max_usd, say))
    lines = list(trial.table(found))
    folder.mkdir(parents=True, exist_ok=True)
    data = {"model": model, "trials": [asdict(one) for one in found]}
    (folder / "read-gate-agent.json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    (folder / "read-gate-agent.md").write_text("\n".join(lines) + "\n", "utf-8")
    if as_json:
        out.data(data)
        return
    for line in lines:
        out.text(line)


def _client(given: Path | None) -> Path:
    """The host's program. Raises InvalidInput where there is none."""
    if given is not None:
        if not given.is_file():
            raise InvalidInput(f"{given} is not a file.", "Name the Claude Code program.")
        return given.resolve()
    on_path = os.environ.get("CLAUDE_BIN") or shutil.which("claude")
    places = [*([on_path] if on_path else []), *_USUAL]
    for place in places:
        found = Path(place).expanduser()
        if found.is_file():
            return found.resolve()
    raise InvalidInput(
        "There is no Claude Code on this machine, and the study drives the real one.",
        "Install it, or name it with --client.",
    )


def _version(program: Path) -> str:
    done = subprocess.run(  # the program that was named
        [str(program), "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout.split(" ")[0].strip() or "of an unknown version"
