"""ports.ProbeShelf on every store."""

from __future__ import annotations

from stores import store  # the fixture

from memfold.store.ports import MOST_PROBES, Store


def nonce(number: int) -> str:
    return f"{number:032x}"


def test_a_probe_is_found_with_its_host(store: Store) -> None:
    assert store.probe_from(nonce(1)) is None
    store.put_probe(nonce(1), "codex", at_ms=1)
    store.put_probe(nonce(1), "claude-code", at_ms=2)
    assert store.probe_from(nonce(1)) == "codex", "it arrived once"


def test_only_the_newest_are_kept(store: Store) -> None:
    for number in range(MOST_PROBES * 2):
        store.put_probe(nonce(number), "codex", at_ms=number)
    kept = [number for number in range(MOST_PROBES * 2) if store.probe_from(nonce(number))]
    assert kept == list(range(MOST_PROBES, MOST_PROBES * 2))


def test_a_probe_is_no_event(store: Store) -> None:
    store.put_probe(nonce(7), "codex", at_ms=1)
    counts = store.counts()
    assert (counts.sessions, counts.tool_uses, dict(counts.last_event)) == (0, 0, {})
