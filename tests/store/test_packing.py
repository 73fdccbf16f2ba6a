"""Large evidence is compressed and comes back as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from stores import Says

from memfold.records import Alias
from memfold.store.sqlite.base import COMPRESS_FROM_BYTES, packed, to_json, unpacked
from memfold.store.sqlite.store import SqliteStore

TEXTS = st.text() | st.text(max_size=9).map(lambda text: text * 2_000)
VALUES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(VALUES, VALUES)
@example("漢" * 50_000, {"k" * 5_000: ["\ud83d", "\x00"]})
@example("", None)
def test_any_value_comes_back_identical(given_: Any, response: Any) -> None:
    texts = [to_json(given_), to_json(response)]
    codec, blobs = packed(texts)
    size = sum(len(text.encode()) for text in texts)
    assert codec == ("zstd" if size >= COMPRESS_FROM_BYTES else "json")
    assert [unpacked(codec, blob) for blob in blobs] == [given_, response]


@pytest.mark.parametrize("where", ["input", "response"])
def test_a_large_input_or_response_takes_less_room_and_is_read_back(
    tmp_path: Path, where: str
) -> None:
    store = SqliteStore.open(tmp_path / "m.db")
    project = store.create("app", [Alias("directory", "/code/app")]).id
    large = {"stdout": "tests/test_pool.py::test_release PASSED\n" * 5_000}
    store.ingest(project, [Says().use("t1", 1, **{where: large})])
    store.ingest(project, [Says().use("t2", 2, **{where: {"stdout": "short"}})])
    one, two = store.tool_uses([1, 2], None)
    assert getattr(one, where) == large
    assert one.dropped_bytes == 0
    assert getattr(two, where) == {"stdout": "short"}
    store.close()
    db = apsw.Connection(str(tmp_path / "m.db"))
    rows = list(db.execute("SELECT codec, length(input) + length(response) FROM tool_uses"))
    assert [codec for codec, _ in rows] == ["zstd", "json"]
    assert rows[0][1] < len(to_json(large)) / 20
    db.close()
