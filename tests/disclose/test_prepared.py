"""A prepared index is the very text that would be made on the spot. Source: spec of layer 1."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sample_memory import Memory

from memfold.disclose import prepared
from memfold.disclose.freshness import Freshness, Sums
from memfold.disclose.gather import gather_index
from memfold.disclose.index import render_index
from memfold.disclose.mode import Mode, load_mode
from memfold.disclose.prepared import PreparedIndexes, Wanted
from memfold.errors import InvalidInput
from memfold.measure import Unit
from memfold.records import FileMark
from memfold.settings import Settings

BEGIN = 1_777_450_000_000
MINUTE = 60_000
ZONES = ["UTC", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "Europe/Berlin"]
FILES = ["a.py", "b.py", "c.py"]
TITLES = st.one_of(
    st.text(max_size=120),
    st.sampled_from(["Fix the parser of the retry loop", "漢字の題名 " * 9, "😀" * 40]),
)


def live(memory: Memory, values: Settings, wanted: Wanted, limit: int) -> str:
    """The text as it is without anything prepared."""
    view = gather_index(
        memory.store,
        values,
        project=wanted.project,
        project_ids=wanted.project_ids,
        now_ms=memory.clock(),
        last_reply=wanted.last_reply,
        mode=wanted.mode,
    )
    return render_index(view, limit, unit=wanted.unit).text


class HitIsLive(RuleBasedStateMachine):
    """Any run of memories, files, moments, pins and rooms."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="prepared-"))
        self.checkout = self.folder / "checkout"
        self.checkout.mkdir()
        self.memory = Memory.open(self.folder / "home")
        self.memory.clock.now_ms = BEGIN
        self.count = 0
        self.made: list[int] = []
        self.limit = 10_000
        self.reply = ""
        self.mode = load_mode("code")

    @initialize(
        zone=st.sampled_from(ZONES),
        rows=st.integers(0, 60),
        full=st.integers(0, 3),
        types=st.sampled_from([(), ("bugfix",), ("security alert", "bugfix")]),
        flags=st.lists(st.booleans(), min_size=6, max_size=6),
    )
    def begin(
        self, zone: str, rows: int, full: int, types: tuple[str, ...], flags: list[bool]
    ) -> None:
        names = ("read_tokens", "work_tokens", "savings_amount", "savings_percent", "last_summary")
        self.settings = Settings(
            {
                "timezone": zone,
                "index_observations": rows,
                "index_full": full,
                "index_types": types,
                "index_last_message": flags[5],
                **{f"index_{name}": on for name, on in zip(names, flags, strict=False)},
            }
        )
        # Always past its ticks: what was read once is known by its stamp.
        self.ready = PreparedIndexes(
            self.memory.store, self.settings, most_kept=2, sums=Sums(lambda: 1 << 62)
        )

    @rule(
        titles=st.lists(TITLES, min_size=1, max_size=25),
        kinds=st.lists(
            st.sampled_from(["bugfix", "decision", "security_alert", "odd"]), min_size=1
        ),
        file=st.sampled_from(FILES),
        request=st.text(max_size=60),
    )
    def remember(self, titles: list[str], kinds: list[str], file: str, request: str) -> None:
        self.count += 1
        path = self.checkout / file
        sha = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "0" * 64
        notes = [
            {
                "title": title or "-",
                "type": kinds[at % len(kinds)],
                "narrative": title * 2,
                "minute": at,
                "files_changed": [[file, sha]] if at % 2 else [],
                "work_tokens": 900,
            }
            for at, title in enumerate(titles)
        ]
        made = self.memory.remember(
            {
                "id": f"s{self.count}",
                "at": f"2026-04-{10 + self.count % 19:02} {self.count % 24:02}:00",
                "cwd": str(self.checkout),
                "observations": notes,
                "summary": {"request": request or "-", "learned": "this"},
            }
        )
        self.made += [one.id for one in made]

    @rule(file=st.sampled_from(FILES))
    def change_a_file(self, file: str) -> None:
        path = self.checkout / file
        path.write_text("x" * (path.stat().st_size + 1 if path.exists() else 1), "utf-8")

    @rule(file=st.sampled_from(FILES))
    def remove_a_file(self, file: str) -> None:
        (self.checkout / file).unlink(missing_ok=True)

    @rule(minutes=st.integers(-3_000, 600_000))
    def the_clock_jumps(self, minutes: int) -> None:
        self.memory.clock.pass_ms(minutes * MINUTE)

    @rule(which=st.integers(0, 200), on=st.booleans())
    def pin(self, which: int, on: bool) -> None:
        if not self.made:
            return
        one, ids = self.made[which % len(self.made)], [self.memory.project.id]
        if not on:
            self.memory.store.unpin(one, ids)
            return
        with contextlib.suppress(InvalidInput):  # twenty are pinned
            self.memory.store.pin(one, ids, at_ms=self.memory.clock())

    @rule(limit=st.integers(0, 10_000))
    def the_room_changes(self, limit: int) -> None:
        self.limit = limit

    @rule(mode=st.sampled_from(["code", "research"]))
    def the_mode_changes(self, mode: str) -> None:
        self.mode = load_mode(mode)

    @rule(reply=st.text(max_size=200))
    def something_was_said(self, reply: str) -> None:
        self.reply = reply if self.settings.flag("index_last_message") else ""

    @rule()
    def it_is_made_ahead(self) -> None:
        self.ready.refresh(self.memory.clock())

    @invariant()
    def a_hit_is_what_would_be_made_now(self) -> None:
        if not hasattr(self, "ready"):
            return
        units: tuple[Unit, ...] = ("utf16", "utf8", "utf16")
        for unit in units:
            wanted = Wanted("sample", (self.memory.project.id,), unit, self.mode, self.reply)
            now_ms = self.memory.clock()
            text = self.ready.render(wanted, self.limit, now_ms).text
            assert text == live(self.memory, self.settings, wanted, self.limit)

    def teardown(self) -> None:
        self.memory.store.close()
        shutil.rmtree(self.folder)


HitIsLive.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestHitIsLive = HitIsLive.TestCase


class Counted:
    """How often the index was gathered and rendered in full."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gathered = self.rendered = 0
        gather = prepared.__dict__["gather_index"]
        render = prepared.__dict__["render_body"]

        def gather_index(*args: object, **more: object) -> object:
            self.gathered += 1
            return gather(*args, **more)

        def render_body(*args: object, **more: object) -> object:
            self.rendered += 1
            return render(*args, **more)

        monkeypatch.setattr(prepared, "gather_index", gather_index)
        monkeypatch.setattr(prepared, "render_body", render_body)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory.open(tmp_path / "home")
    memory.clock.now_ms = BEGIN
    memory.remember({"id": "s1", "at": "2026-04-28 09:00", "observations": [{"title": "One"}]})
    return memory


def wanted(memory: Memory, mode: Mode | None = None) -> Wanted:
    return Wanted("sample", (memory.project.id,), "utf16", mode or load_mode("code"))


def test_only_what_changed_is_made_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    count = Counted(monkeypatch)
    ready = PreparedIndexes(memory.store, Settings({"timezone": "UTC"}))
    for minutes in (0, 1, 700, 90_000):
        ready.render(wanted(memory), 9_000 - minutes % 7, BEGIN + minutes * MINUTE)
    assert (count.gathered, count.rendered) == (1, 1)
    memory.remember({"id": "s2", "at": "2026-04-29 09:00", "observations": [{"title": "Two"}]})
    ready.refresh(BEGIN)
    assert (count.gathered, count.rendered) == (2, 2)
    assert "2 9:00am" in ready.render(wanted(memory), 9_000, BEGIN).text
    assert (count.gathered, count.rendered) == (2, 2), "the next session need not wait"
    ready.render(wanted(memory, load_mode("research")), 9_000, BEGIN)
    assert count.gathered == 3
    memory.store.close()


def test_what_is_kept_is_bounded(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    count = Counted(monkeypatch)
    ready = PreparedIndexes(memory.store, Settings({"timezone": "UTC"}), most_kept=2)
    mode = load_mode("code")
    for name in ("a", "b", "c", "c", "b", "a"):
        ready.render(Wanted(name, (memory.project.id,), "utf16", mode), 9_000, BEGIN)
    assert count.gathered == 4
    memory.store.close()


def test_a_file_is_read_again_when_it_has_changed_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_text("one")
    marks = [FileMark("a.py", hashlib.sha256(b"one").hexdigest())]
    reads: list[Path] = []
    real = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        reads.append(path)
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)
    late = Sums(lambda: 1 << 62)
    for _ in range(3):
        assert Freshness(late).marks(marks, str(tmp_path)) == ""
    assert len(reads) == 1
    file.write_text("another")
    assert Freshness(late).marks(marks, str(tmp_path)) == "changed"
    assert len(reads) == 2
    beside = tmp_path / "beside"
    beside.write_text("one")
    beside.replace(file)
    assert Freshness(late).marks(marks, str(tmp_path)) == ""


def test_a_file_that_was_just_written_is_not_taken_by_its_looks(tmp_path: Path) -> None:
    """Two writes within one tick of a file system's clock look the same."""
    file = tmp_path / "a.py"
    marks = [FileMark("a.py", hashlib.sha256(b"one").hexdigest())]
    known = Sums()
    for text, mark in (("one", ""), ("two", "changed"), ("one", "")):
        file.write_text(text)
        os.utime(file, ns=(1, file.stat().st_ctime_ns // 10**9 * 10**9))
        assert Freshness(known).marks(marks, str(tmp_path)) == mark
