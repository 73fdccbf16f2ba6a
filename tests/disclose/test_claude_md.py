"""The index of a directory: tables by file, within its limits, and stored text stays text."""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from entries import entry
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sample_memory import Memory

from memfold.disclose.claude_md import (
    LIMIT_UNITS,
    MAX_FILES,
    MAX_ROWS,
    FileGroup,
    gather_files,
    group_by_file,
    render_files,
)
from memfold.disclose.mode import load_mode
from memfold.disclose.places import Directory
from memfold.hosts.marked import has_marker, with_block
from memfold.measure import utf16_units
from memfold.records import Entry, FileMark
from memfold.settings import Settings
from memfold.store.ports import Touched

CODE = load_mode("code")


def render(*groups: FileGroup) -> str:
    return render_files(groups, CODE, UTC).text


def rows(text: str) -> list[str]:
    return [line for line in text.split("\n") if re.match(r"\| \d", line)]


def cells(row: str) -> list[str]:
    """As a Markdown reader splits it: at pipes with no backslash of their own before them."""
    return [cell.strip() for cell in re.split(r"(?<!\\)(?:\\\\)*\|", row)][1:-1]


def test_it_reads_as_written() -> None:
    pool = (entry(41, "Fixed the leak of `Pool.run`"), entry(7, "Pools are lazy", age=60))
    text = render(
        FileGroup("src/pool.py", (replace(pool[0], seen_count=3), replace(pool[1], type="secret"))),
        FileGroup("a`b.py", (replace(entry(9), read_tokens=1_234, type="security_alert"),)),
    )
    assert text == (
        "## Recent work on these files\n"
        "\n"
        "What earlier sessions found, decided and changed here. `memfold claude-md` writes this and"
        " replaces it.\n"
        "Full text of an ID: `get_observations`. Search: `mem_search`. Read: tokens the full text"
        " costs.\n"
        "\n"
        "### `src/pool.py`\n"
        "\n"
        "| ID | Time | Type | Title | Read |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| 41 | Apr 29, 2026 10:00pm | ● bugfix | Fixed the leak of \\`Pool.run\\` ×3 | 100 |\n"
        "| 7 | Apr 29, 2026 9:00pm | □ secret | Pools are lazy | 100 |\n"
        "\n"
        "### ``a`b.py``\n"
        "\n"
        "| ID | Time | Type | Title | Read |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| 9 | Apr 29, 2026 10:00pm | ⚠ security alert | Title 9 | 1,234 |\n"
    )


def test_times_are_in_the_users_zone() -> None:
    text = render_files([FileGroup("a", (entry(1),))], CODE, ZoneInfo("Asia/Tokyo")).text
    assert "| Apr 30, 2026 7:00am |" in text


def test_with_nothing_to_show_one_line_says_so() -> None:
    index = render_files([], CODE, UTC)
    assert index.text.count("\n") == 0
    assert "Nothing is remembered" in index.text
    assert (index.files, index.observations, index.files_left_out) == (0, 0, 0)


def test_files_and_rows_are_bounded_and_the_rest_is_counted() -> None:
    groups = [
        FileGroup(f"f{n}", tuple(entry(100 * n + m) for m in range(MAX_ROWS + 2)))
        for n in range(MAX_FILES + 1)
    ]
    index = render_files(groups[:2], CODE, UTC)
    assert len(rows(index.text)) == 2 * MAX_ROWS
    assert (index.files, index.observations, index.files_left_out) == (2, 2 * MAX_ROWS, 0)
    one_each = [FileGroup(one.path, one.entries[:1]) for one in groups]
    index = render_files(one_each, CODE, UTC)
    assert (index.files, index.files_left_out) == (MAX_FILES, 1)
    assert "1 more file was worked on less recently" in index.text
    assert "2 more files were" in render_files([*one_each, groups[0]], CODE, UTC).text


@pytest.mark.parametrize("size", range(10, 240, 9))
def test_the_limit_is_used_and_never_passed(size: int) -> None:
    """Whole rows, and with CRLF line ends no more than with LF."""
    groups = [
        FileGroup(
            f"f{n}", tuple(entry(1_000 * n + m, f"{n} {m} " + "漢" * (size // 3)) for m in range(5))
        )
        for n in range(60)
    ]
    index = render_files([*groups], CODE, UTC)
    units = utf16_units(with_block(b"\r\n", index.text)[2:].decode())
    assert units <= LIMIT_UNITS
    assert units > LIMIT_UNITS - 700, "no more than one table is missing"


# All that Markdown, a host or our own frame could take for more than text.
NASTY = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            ["|", "`", "\\", "\n", "\r", "<!--", "-->", "<!-- memfold:begin -->", "@/etc/passwd",
             " @~/x", "![i](http://x)", "<details>", "é", "漢", "😀", "a", " ", "#", "\u2028"]
        ),
        max_size=80,
    ).map("".join),
)  # fmt: skip
GROUPS = st.lists(
    st.builds(
        lambda path, titles: FileGroup(
            path, tuple(replace(entry(n), title=t, type=t) for n, t in enumerate(titles))
        ),
        NASTY,
        st.lists(NASTY, min_size=1, max_size=8),
    ),
    max_size=30,
)


@given(GROUPS)
def test_any_memory_gives_whole_rows_within_the_limit(groups: list[FileGroup]) -> None:
    index = render_files(groups, CODE, UTC)
    for body in (b"", b"\r\n"):
        block = with_block(body, index.text)[len(body) :].decode()
        assert utf16_units(block) <= LIMIT_UNITS
    headings = [line for line in index.text.split("\n") if line.startswith("### ")]
    assert len(headings) == index.files
    assert index.files + index.files_left_out == len(groups)
    assert all(len(cells(row)) == 5 for row in rows(index.text))
    assert all(row.endswith("100 |") for row in rows(index.text))
    assert index == render_files(groups, CODE, UTC)
    assert bool(groups) == bool(index.files), "one row always fits"


@given(NASTY)
def test_stored_text_never_becomes_more_than_text(text: str) -> None:
    """A comment would hide, `@` at a word's start would load a file into the host's prompt."""
    group = FileGroup("a.py", (replace(entry(1), title=text, type=text),))
    (row,) = rows(render(group))
    assert not re.search(r"<!--|-->", row)
    assert not re.search(r"(?:^|\s)@\S", row)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`<\[]", row.replace("\\\\", ""))
    assert not has_marker(render(group).encode("utf-8", "replace"))


@given(NASTY)
def test_a_path_stays_in_its_code_span(text: str) -> None:
    lines = render(FileGroup(text, (entry(1),))).split("\n")
    assert not any(has_marker(line.encode("utf-8", "replace")) for line in lines)
    (heading,) = [line for line in lines if line.startswith("### ")]
    fence = re.match(r"### (`+)", heading)
    assert fence is not None
    inner = heading[len(fence[0]) : -len(fence[1])]
    assert heading.endswith(fence[1])
    assert fence[1] not in inner
    assert inner == inner.strip("`")


def test_a_mail_address_and_an_arrow_stay_as_they_are() -> None:
    (row,) = rows(render(FileGroup("a", (entry(1, "a@b.c -> d > e & f's *g* _h_"),))))
    assert cells(row)[3] == "a@b.c -> d > e & f's *g* _h_"


# --- which observation stands under which file ---------------------------------------------------


def touched(one: Entry, *changed: str, read: tuple[str, ...] = (), cwd: str = "") -> Touched:
    marks = tuple(FileMark(path) for path in changed)
    return Touched(replace(one, files=marks, cwd=cwd), read)


def grouped(folder: Path, *found: Touched) -> dict[str, list[int]]:
    directory = Directory(str(folder))
    groups = group_by_file([(replace_cwd(one, folder), directory) for one in found])
    return {group.path: [one.id for one in group.entries] for group in groups}


def replace_cwd(one: Touched, folder: Path) -> Touched:
    return Touched(replace(one.entry, cwd=str(folder)), one.files_read)


def make(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).write_text("x")
    return folder


def test_it_stands_under_what_it_changed_else_under_what_it_read(tmp_path: Path) -> None:
    folder = make(tmp_path, "a", "b", "c")
    found = grouped(
        folder,
        touched(entry(3), "b", read=("a", "c")),
        touched(entry(2), read=("a", "gone")),
        touched(entry(1), "b"),
    )
    assert found == {"b": [3, 1], "a": [2]}
    assert list(found) == ["b", "a"], "the file worked on last comes first"


def test_a_sweep_over_many_files_stands_under_the_first_three(tmp_path: Path) -> None:
    folder = make(tmp_path, *"abcde")
    assert list(grouped(folder, touched(entry(1), "gone", *"eabcd"))) == ["e", "a", "b"]
    assert grouped(folder, touched(entry(1), "a", f"{folder}/a")) == {"a": [1]}


def test_a_title_is_shown_once_for_each_file() -> None:
    same = "Renamed the helper in the pool"
    text = render(
        FileGroup("a", (entry(3, same), entry(2, same))), FileGroup("b", (entry(1, same),))
    )
    assert [cells(row)[0] for row in rows(text)] == ["3", "1"]
    assert [cells(row)[3] for row in rows(text)] == [f"{same} ×2", same]


def test_gathered_from_a_store(tmp_path: Path) -> None:
    """Two projects the directory belongs to, newest first over both; settings narrow it."""
    (tmp_path / "code").mkdir()
    checkout = make(tmp_path / "code", "a.py", "b.py")
    memory = Memory.open(tmp_path / "home")
    for number, project in enumerate(("sample", "around")):
        memory.remember(
            {
                "id": f"s{number}",
                "at": f"2026-04-2{number} 10:00",
                "project": project,
                "cwd": str(checkout),
                "observations": [
                    {"title": f"Changed a in {project}", "files_changed": ["a.py"]},
                    {"title": f"Read b in {project}", "files_read": ["b.py"], "type": "discovery"},
                    {"title": "No file at all"},
                ],
            }
        )
    around = memory.store.by_name("around")
    assert around is not None
    directory = Directory(str(checkout))
    owners = [(memory.project.id, directory), (around.id, directory)]
    groups = gather_files(memory.store, Settings(), owners)
    shown = {group.path: [one.title for one in group.entries] for group in groups}
    assert shown == {
        "b.py": ["Read b in around", "Read b in sample"],
        "a.py": ["Changed a in around", "Changed a in sample"],
    }
    only = Settings({"index_types": ("discovery",)})
    assert [group.path for group in gather_files(memory.store, only, owners[:1])] == ["b.py"]
    memory.store.close()
