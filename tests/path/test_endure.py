"""Long use in short (bench/endure.py runs it for longer): nothing lost, doubled or left behind."""

from __future__ import annotations

from pathlib import Path

from endurance import jumping_clock, soak, storm


def test_a_soak_with_restarts_loses_and_doubles_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    seen = soak(tmp_path / "home", folder, seconds=6, rate=60, sessions=10, restarts=3)
    assert seen.sent > 100
    assert seen.restarts == 3
    assert seen.observations > 0
    assert (seen.lost, seen.doubled) == (0, 0)
    assert seen.spooled > 0, "no event met a dead daemon: the test proves nothing"
    # One that ends may still be writing while the next waits for its lock.
    assert 1 <= seen.most_processes <= 2
    first, last = seen.descriptors
    assert 0 < last <= first + 4


def test_of_a_storm_of_hooks_one_starts_the_daemon(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    seen = storm(tmp_path / "home", folder, 60)
    assert (seen.daemons, seen.failed, seen.lost, seen.doubled) == (1, 0, 0, 0)
    assert len(seen.wall_ms) == 60


def test_a_clock_that_jumps_loses_nothing_and_silences_no_session(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    seen = jumping_clock(tmp_path / "home", folder, each=5)
    assert seen.jumps == 8
    assert seen.stored == seen.sent == 45
    assert seen.silent == []
    assert seen.observations >= 9
    assert seen.retired <= 5, "more than what was captured in 1970 is old"
