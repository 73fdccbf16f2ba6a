"""Cursors in a file: other processes see them, a restart keeps them, damage costs a search."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from memfold.store.cursors.sqlite import SqliteCursors

_OTHER = """
import sys
from pathlib import Path
from memfold.store.cursors.sqlite import SqliteCursors
name = sys.argv[2].encode()
cursors = SqliteCursors(Path(sys.argv[1]))
for number in range(50):
    key = name + b"-%d" % number
    cursors.put(key, key, expires_at_ms=100, now_ms=0)
print(cursors.get(b"mine", now_ms=1).record)
"""


def test_processes_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "cursors.db"
    cursors = SqliteCursors(path)
    cursors.put(b"mine", b"state", expires_at_ms=100, now_ms=0)
    others = [
        subprocess.Popen(
            [sys.executable, "-c", _OTHER, str(path), name], stdout=subprocess.PIPE, text=True
        )
        for name in ("a", "b")
    ]
    assert [other.communicate(timeout=60)[0] for other in others] == ["b'state'\n"] * 2
    for key in (b"a-0", b"a-49", b"b-0", b"b-49"):
        assert cursors.get(key, now_ms=1).record == key
    cursors.close()


def test_a_restart_keeps_them_and_the_file_is_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "cursors.db"
    first = SqliteCursors(path)
    first.put(b"k", b"state", expires_at_ms=100, now_ms=0)
    first.close()
    first.close()
    again = SqliteCursors(path)
    assert again.get(b"k", now_ms=1).record == b"state"
    assert path.stat().st_mode & 0o077 == 0
    again.close()


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "cursors.db"
    path.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    cursors = SqliteCursors(path)
    assert cursors.get(b"k", now_ms=0).record is None
    cursors.put(b"k", b"state", expires_at_ms=100, now_ms=0)
    assert cursors.get(b"k", now_ms=1).record == b"state"
    cursors.close()
