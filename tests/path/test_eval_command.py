"""`memfold eval` as a person runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from running import BOUND_S, PLAIN

MEMFOLD = Path(sys.executable).with_name("memfold")
SESSIONS = Path(__file__).resolve().parents[3] / "shared" / "data" / "transcripts"


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(MEMFOLD), "eval", *words],
        cwd=cwd,
        env={**PLAIN, "HOME": str(cwd), "PATH": "/usr/bin:/bin", "MEMFOLD_HOME": str(cwd / "home")},
        capture_output=True,
        text=True,
        timeout=4 * BOUND_S,
        check=False,
    )


def test_a_set_of_ones_own_is_measured_without_a_daemon(tmp_path: Path) -> None:
    given = {
        "documents": [
            {"id": "a", "date": "2026-04-30", "text": "the pool leaks on the error path"},
            {"id": "b", "date": "2026-05-01", "text": "uploads retry"},
        ],
        "queries": [{"query": "why does the pool leak", "gold": ["a"]}],
    }
    (tmp_path / "mine.json").write_text(json.dumps(given), "utf-8")
    shown = run("retrieval", "--file", "mine.json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    head, row, *_ = shown.stdout.splitlines()
    assert head.split()[:4] == ["set", "search", "Hit@1", "Hit@3"]
    assert row.split()[:4] == ["mine.json", "words", "1.000", "1.000"]
    data = json.loads(run("retrieval", "--file", "mine.json", "--json", cwd=tmp_path).stdout)
    (one,) = data["sets"]
    assert (one["documents"], one["queries"]) == (2, 1)
    assert one["runs"][0]["MRR"] == 1
    assert not (tmp_path / "home").exists()


def test_what_is_not_there_is_said_in_one_sentence(tmp_path: Path) -> None:
    for words, says in (
        (("retrieval", "--file", "none.json"), "none.json"),
        (("retrieval", "--bench", "nowhere"), "Name the folder with --bench."),
        (("disclosure", "--data", "nowhere"), "Name the folder with --data."),
    ):
        refused = run(*words, cwd=tmp_path)
        assert refused.returncode == 1
        assert says in refused.stderr
        assert "Traceback" not in refused.stderr


@pytest.mark.skipif(not SESSIONS.is_dir(), reason="needs the recorded sessions beside the checkout")
def test_guided_search_answers_all_twenty_for_less_than_the_full_texts(tmp_path: Path) -> None:
    shown = run("disclosure", "--data", str(SESSIONS), "--json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    data = json.loads(shown.stdout)
    assert len(data["questions"]) == 20
    for way in ("guided", "auto"):
        assert data[way]["answered"] == 20
        assert data[way]["tokens"] < data["full"]["tokens"]
    assert data["full"]["tokens"] == sum(one["full"]["tokens"] for one in data["questions"])
