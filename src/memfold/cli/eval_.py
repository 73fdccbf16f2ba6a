"""`memfold eval`: how well search finds, what an answer costs, what outlines list."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memfold.cli import eval_observer, eval_outline, eval_read_gate, out
from memfold.cli.eval_folder import folder_of, say

if TYPE_CHECKING:
    from memfold.evals.datasets import DataSet
    from memfold.evals.retrieval import Score

_MEASURES = ("Hit@1", "Hit@3", "Hit@5", "Hit@10", "R@1", "R@3", "R@5", "R@10", "MRR")
_BY_WORDS, _BY_BOTH = "words", "words + meaning"


@click.group(short_help="Measure search, disclosure and outlines on what is known.")
def command() -> None:
    """Measure search, disclosure, the observer and outlines on what is known.

    \b
    Examples:
      memfold eval retrieval --file questions.json
      memfold eval disclosure
      memfold eval observer
      memfold eval outline src
      memfold eval read-gate
    """


command.add_command(eval_observer.command, "observer")
command.add_command(eval_outline.command, "outline")
command.add_command(eval_read_gate.command, "read-gate")


@command.command(short_help="How often search finds the right documents.")
@click.option("--file", "file", type=click.Path(path_type=Path), help="A set of your own, as JSON.")
@click.option("--bench", type=click.Path(path_type=Path), help="The folder of the public sets.")
@out.json_option
def retrieval(file: Path | None, bench: Path | None, as_json: bool) -> None:
    """Put documents into a new store, ask its search, and count what it finds.

    Without --file three public benchmarks are run from a folder beside the checkout. A file is
    {"documents": [{"id", "date", "text", "scope"?}], "queries": [{"query", "gold": [ids],
    "scope"?}]}. Nothing of your own memory is read or changed.

    \b
    Examples:
      memfold eval retrieval
      memfold eval retrieval --file questions.json --json
    """
    from memfold.evals.datasets import from_file, public_sets  # late: other commands need it not

    sets = [from_file(file)] if file else public_sets(folder_of(bench, "bench", "--bench"))
    results = [_measured(one) for one in sets]
    if as_json:
        out.data({"sets": [_as_data(*result) for result in results]})
        return
    for row in _table(results):
        out.text(row)
    if not _has_meaning():
        out.text("Search by meaning was left out: install the `semantic` extra of memfold for it.")


@command.command(short_help="What guided search costs against full texts.")
@click.option("--data", type=click.Path(path_type=Path), help="The folder of recorded sessions.")
@out.json_option
def disclosure(data: Path | None, as_json: bool) -> None:
    """Ask twenty questions about recorded sessions, and count the tokens each answer costs.

    Guided: three steps, with the right entries chosen. Auto: one call. Full: the whole text of the
    ten best matches. Nothing of your own memory is read or changed.

    \b
    Examples:
      memfold eval disclosure
      memfold eval disclosure --json
    """
    from memfold.evals import disclosure as room  # late: other commands need it not

    folder = folder_of(data, "data/transcripts", "--data")
    with tempfile.TemporaryDirectory(prefix="memfold-eval-") as home:
        rows = _compared(Path(home), folder)
    ways = {"guided": [r.guided for r in rows], "auto": [r.auto for r in rows]}
    ways["full"] = [r.full for r in rows]
    if as_json:
        out.data(
            {
                "questions": [
                    {
                        "query": row.query,
                        **{
                            way: {"tokens": cost.tokens, "answered": cost.answered}
                            for way, cost in zip(
                                ways, (row.guided, row.auto, row.full), strict=True
                            )
                        },
                    }
                    for row in rows
                ],
                **{way: _summed(costs) for way, costs in ways.items()},
            }
        )
        return
    out.text(f"{'question':62} {'guided':>10} {'auto':>10} {f'full top {room.TOP}':>12}")
    for row in rows:
        cells = " ".join(
            _cell(cost, wide)
            for cost, wide in zip((row.guided, row.auto, row.full), (10, 10, 12), strict=True)
        )
        out.text(f"{row.query[:60]:62} {cells}")
    sums = {way: _summed(costs) for way, costs in ways.items()}
    out.text("")
    for way, sum_ in sums.items():
        share = sum_["tokens"] / max(sums["full"]["tokens"], 1)
        out.text(
            f"{way:8} {sum_['tokens']:>9,} tokens, {sum_['answered']} of {len(rows)} answered"
            + ("" if way == "full" else f", {share:.0%} of the full texts' tokens")
        )


def _has_meaning() -> bool:
    from memfold.store.embedders.wordllama import installed_embedder  # late: as above

    return installed_embedder() is not None


def _measured(data: DataSet) -> tuple[DataSet, dict[str, Score]]:
    from memfold.evals.retrieval import measured  # late: as above
    from memfold.store.embedders.wordllama import installed_embedder
    from memfold.store.sqlite.store import SqliteStore

    say(f"{data.name}: {len(data.documents):,} documents, {len(data.questions):,} questions")
    runs = {_BY_WORDS: measured(data, SqliteStore.open)}
    embedder = installed_embedder()
    if embedder is not None:
        runs[_BY_BOTH] = measured(data, lambda path: SqliteStore.open(path, embedder=embedder))
    return data, runs


def _table(results: Sequence[tuple[DataSet, Mapping[str, Score]]]) -> Iterator[str]:
    wide = max(
        len(name) for name in (_BY_BOTH, *(n for data, _ in results for n in data.published))
    )
    head = " ".join(f"{name:>6}" for name in _MEASURES)
    yield f"{'set':14} {'search':{wide}} {head}  ms a query"
    for data, runs in results:
        for name, score in runs.items():
            figures = " ".join(f"{score.measure(one):6.3f}" for one in _MEASURES)
            yield f"{data.name[:14]:14} {name:{wide}} {figures} {score.ms_per_query:11.1f}"
        for name, published in data.published.items():
            figures = " ".join(
                f"{published[one]:6.3f}" if one in published else f"{'':6}" for one in _MEASURES
            )
            yield f"{'  published':14} {name:{wide}} {figures}"


def _as_data(data: DataSet, runs: Mapping[str, Score]) -> dict[str, Any]:
    return {
        "set": data.name,
        "documents": len(data.documents),
        "queries": len(data.questions),
        "runs": [
            {
                "search": name,
                **{one: round(score.measure(one), 4) for one in _MEASURES},
                "ms_per_query": round(score.ms_per_query, 2),
            }
            for name, score in runs.items()
        ],
        "published": {name: dict(figures) for name, figures in data.published.items()},
    }


def _compared(home: Path, folder: Path) -> list[Any]:
    from memfold.evals.disclosure import compared, own_questions  # late: as above
    from memfold.house import House
    from memfold.records import Caller

    house = House.open(home)
    try:
        for host, path in (("claude-code", folder / "claude-code"), ("codex", folder / "codex")):
            for line in house.backlog.import_sessions(host, path):
                if "result" in line:
                    say(f"{host}: {line['result']['observations']:,} observations")
        tools = house.toolbox
        caller = Caller(project=house.store.all_projects()[0].project)
        return compared(
            own_questions(),
            lambda args: tools.call("mem_search", args, caller),
            house.store,
            house.mode().mode,
        )
    finally:
        house.close()


def _cell(cost: Any, wide: int) -> str:
    return f"{cost.tokens:>{wide - 2},} {'✓' if cost.answered else '✗'}"


def _summed(costs: Sequence[Any]) -> dict[str, int]:
    return {
        "tokens": sum(cost.tokens for cost in costs),
        "answered": sum(cost.answered for cost in costs),
    }
