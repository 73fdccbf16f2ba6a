"""How far plans were looked at, when evidence is removed."""

from __future__ import annotations

from pathlib import Path

import apsw
from stores import Says

from memfold.store.sqlite.store import SqliteStore


def test_plans_are_not_looked_at_again_because_the_last_one_was_removed(tmp_path: Path) -> None:
    """Else values that the agent wrote itself since would be overturned."""
    store = SqliteStore.open(tmp_path / "m.db")
    where = store.create("app", []).id
    says = Says("s1")
    for number, tool in enumerate(("TodoWrite", "TodoWrite", "Bash"), 1):
        store.ingest(where, [says.use(f"k{number}", number, tool=tool)])
    store.plans_seen(store.new_plans().newest)
    db = apsw.Connection(str(tmp_path / "m.db"))
    db.execute("DELETE FROM tool_uses WHERE key = 'k2'")
    assert store.new_plans().session_ids == ()
    db.execute("DELETE FROM tool_uses")  # all evidence is gone: ids begin anew
    store.ingest(where, [says.use("k4", 4, tool="TodoWrite")])
    assert len(store.new_plans().session_ids) == 1
    store.close()
