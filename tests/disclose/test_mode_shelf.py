"""Where modes are found, what they inherit, and what stands in for one that cannot be used.

Source: spec of layer 1, "Symbols and types"; docs/decisions/0011.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memfold.disclose.mode import MAX_CHAIN, load_mode, shipped_ids
from memfold.disclose.mode_file import MAX_FILE_BYTES, MAX_TYPES, ModeFile, parsed
from memfold.disclose.mode_shelf import Shelf, Usable
from memfold.errors import InvalidInput

RULING = {"id": "ruling", "symbol": "¶", "label": "ruling", "sentence": "A court ruled."}


def put(folder: Path, name: str, /, **more: Any) -> Path:
    """A mode file that extends ``code`` or holds one type."""
    value = {"id": name, "name": name.title(), **more}
    if "extends" not in more and "types" not in more:
        value["types"] = [RULING]
    file = folder / f"{name}.json"
    file.write_text(json.dumps(value), "utf-8")
    return file


def types_of(shelf: Shelf, name: str) -> list[str]:
    return [one.id for one in shelf.find(name).types]


def refusal(folder: Path, name: str) -> str:
    with pytest.raises(InvalidInput) as refused:
        Shelf(folder).find(name)
    said = str(refused.value)
    assert "\n" not in said
    assert Shelf(folder).usable(name) == Usable(load_mode("code"), said)
    return said


# --- inheritance -------------------------------------------------------------------------------


def test_a_mode_inherits_over_several_levels(tmp_path: Path) -> None:
    put(tmp_path, "law", extends="research", types=[RULING], drop=["method", "limits"])
    tax = {**RULING, "id": "tax", "symbol": "€"}
    put(tmp_path, "tax", extends="law", types=[tax], language="de", drop=["bugfix"])
    mode = Shelf(tmp_path).find("tax")
    assert mode.extends == ("law", "research", "code")
    assert [one.id for one in mode.types[:3]] == ["tax", "ruling", "question"]
    assert not {"method", "bugfix", "refactor"} & {one.id for one in mode.types}
    assert "limits" not in {one.id for one in mode.concepts}
    assert mode.language == "de"
    assert mode.instructions == load_mode("research").instructions
    assert [one.origin for one in mode.types[:3]] == ["tax", "law", "research"]


def test_what_a_mode_says_itself_replaces_what_it_inherits(tmp_path: Path) -> None:
    mended = {**RULING, "id": "bugfix", "symbol": "●"}
    gotcha = {"id": "gotcha", "sentence": "A snare."}
    put(tmp_path, "law", extends="code", types=[mended], concepts=[gotcha])
    mode = Shelf(tmp_path).find("law")
    assert [one.id for one in mode.types].count("bugfix") == 1
    assert mode.types[0].sentence == "A court ruled."
    assert mode.concepts[0].sentence == "A snare."
    assert len(mode.concepts) == len(load_mode("code").concepts)


def test_a_symbol_that_was_dropped_is_free(tmp_path: Path) -> None:
    put(tmp_path, "law", extends="code", types=[{**RULING, "symbol": "●"}])
    said = refusal(tmp_path, "law")
    assert "`types[0].symbol` is ●, which bugfix, inherited from code, has already." in said
    assert 'put "bugfix" into `drop`' in said
    put(tmp_path, "law", extends="code", types=[{**RULING, "symbol": "●"}], drop=["bugfix"])
    assert Shelf(tmp_path).find("law").symbol("ruling") == "●"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            {"drop": ["bugfx"]},
            "`drop[0]` is bugfx, which code does not have. Did you mean `bugfix`?",
        ),
        ({"drop": ["ruling"], "types": [RULING]}, "`drop[0]` is ruling, which code does not have"),
        (
            {"drop": ["bugfix"], "types": [{**RULING, "id": "bugfix"}]},
            "bugfix stands in `drop` and is given by the mode itself",
        ),
        ({"drop": [one.id for one in load_mode("code").types]}, "the mode has no types"),
    ],
)
def test_a_drop_that_makes_no_sense_is_refused(
    tmp_path: Path, more: dict[str, Any], words: str
) -> None:
    put(tmp_path, "law", extends="code", **more)
    assert words in refusal(tmp_path, "law")


def test_inherited_types_count(tmp_path: Path) -> None:
    room = MAX_TYPES - len(load_mode("code").types)
    kinds = [{**RULING, "id": f"t{n}", "symbol": chr(0x2200 + n)} for n in range(room + 1)]
    put(tmp_path, "law", extends="code", types=kinds[:room])
    assert len(Shelf(tmp_path).find("law").types) == MAX_TYPES
    put(tmp_path, "law", extends="code", types=kinds)
    assert "the mode has 25 types, inherited ones included. It takes up to 24" in refusal(
        tmp_path, "law"
    )


@pytest.mark.parametrize("length", [1, 2, 3, MAX_CHAIN])
def test_a_circle_is_refused_with_its_chain(tmp_path: Path, length: int) -> None:
    names = [f"m{n}" for n in range(length)]
    for name, parent in zip(names, [*names[1:], names[0]], strict=True):
        put(tmp_path, name, extends=parent)
    said = refusal(tmp_path, "m0")
    assert f"closes a circle: {' -> '.join([*names, 'm0'])}." in said
    assert said.startswith(f"modes/{names[-1]}.json: ")


def test_a_chain_has_an_end(tmp_path: Path) -> None:
    for number in range(MAX_CHAIN):
        put(tmp_path, f"m{number}", extends=f"m{number + 1}")
    put(tmp_path, f"m{MAX_CHAIN}")
    assert "too long a chain: m0 -> m1 ->" in refusal(tmp_path, "m0")
    assert types_of(Shelf(tmp_path), "m1") == ["ruling"]


def test_an_unknown_parent_is_refused_with_its_chain_and_the_nearest_name(tmp_path: Path) -> None:
    put(tmp_path, "tax", extends="law")
    put(tmp_path, "law", extends="reserch")
    said = refusal(tmp_path, "tax")
    assert said.startswith("modes/law.json: `extends` is 'reserch'")
    assert "(tax -> law -> reserch)" in said
    assert "Did you mean `research`?" in said


def test_a_parent_with_a_mistake_is_named_with_the_mistake(tmp_path: Path) -> None:
    put(tmp_path, "tax", extends="law")
    put(tmp_path, "law", name="")
    said = refusal(tmp_path, "tax")
    assert "modes/tax.json: a mode it extends cannot be used (tax -> law)" in said
    assert "modes/law.json: `name` is empty" in said


# --- finding -----------------------------------------------------------------------------------


def test_an_unknown_mode_names_the_nearest_or_those_there_are(tmp_path: Path) -> None:
    put(tmp_path, "law")
    assert "There is no mode 'lwa'. Did you mean `law`?" in refusal(tmp_path, "lwa")
    assert "There are code, research, law." in refusal(tmp_path, "zzzz")
    assert "There are code, research, law." in refusal(tmp_path, "")


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    put(tmp_path, "law")
    inner = tmp_path / "modes"
    inner.mkdir()
    for name in ("../law", str(tmp_path / "law"), "..", "law\x00", "a/../../law"):
        assert "There is no mode" in refusal(inner, name)


def test_a_shipped_id_is_refused_and_the_shipped_mode_stays(tmp_path: Path) -> None:
    for name in shipped_ids():
        put(tmp_path, name)
        assert Shelf(tmp_path).find(name) is load_mode(name)
    rows = [row for row in Shelf(tmp_path).all() if row.mode is None]
    assert len(rows) == len(shipped_ids())
    assert "`id` is 'code', which is a mode of memfold's own" in rows[0].trouble
    assert '"extends": "code"' in rows[0].trouble


def test_the_file_is_named_for_its_id(tmp_path: Path) -> None:
    put(tmp_path, "law").rename(tmp_path / "lab.json")
    said = refusal(tmp_path, "lab")
    assert "its `id` is 'law', which is not the file's name. Name the file law.json" in said


def test_what_is_no_readable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "large.json").write_bytes(b" " * (MAX_FILE_BYTES + 1))
    assert "this is not a file" in refusal(tmp_path, "folder")
    assert "this is not a file" in refusal(tmp_path, "pipe")
    assert "modes/gone.json: it cannot be read (No such file" in refusal(tmp_path, "gone")
    assert "over 64 KiB" in refusal(tmp_path, "large")
    if os.geteuid() != 0:  # root reads everything
        put(tmp_path, "shut").chmod(0)
        assert "cannot be read (Permission denied)" in refusal(tmp_path, "shut")


def test_a_folder_that_is_not_there_or_is_a_file_leaves_the_shipped_modes(tmp_path: Path) -> None:
    put(tmp_path, "law")
    for folder in (tmp_path / "none", tmp_path / "law.json"):
        shelf = Shelf(folder)
        assert shelf.ids() == shipped_ids()
        assert [row.mode for row in shelf.all()] == [load_mode(name) for name in shipped_ids()]
        assert "There is no mode 'law'" in refusal(folder, "law")


def test_all_lists_what_is_wrong_beside_what_is_right(tmp_path: Path) -> None:
    put(tmp_path, "law")
    put(tmp_path, "bad", name=7)
    (tmp_path / "notes.txt").write_text("no mode")
    rows = list(Shelf(tmp_path).all())
    assert [row.mode.id for row in rows if row.mode] == ["code", "research", "law"]
    (wrong,) = (row for row in rows if row.mode is None)
    assert wrong.trouble.startswith("modes/bad.json: `name` is 7.")
    assert wrong.source == str(tmp_path / "bad.json")


def test_a_file_is_checked_wherever_it_lies(tmp_path: Path) -> None:
    shelf_folder = tmp_path / "modes"
    shelf_folder.mkdir()
    put(shelf_folder, "law")
    file = put(tmp_path, "tax", extends="law").rename(tmp_path / "draft.json")
    assert Shelf(shelf_folder).check(file).extends == ("law",)
    inside = put(shelf_folder, "tax").rename(shelf_folder / "draft.json")
    with pytest.raises(InvalidInput, match="not the file's name"):
        Shelf(shelf_folder).check(inside)
    own = put(tmp_path, "code")
    with pytest.raises(InvalidInput, match="a mode of memfold's own"):
        Shelf(shelf_folder).check(own)
    with pytest.raises(InvalidInput, match="not a file"):
        Shelf(shelf_folder).check(tmp_path / "none.json")


# --- as files change ---------------------------------------------------------------------------


def test_a_mode_is_the_same_object_until_a_file_behind_it_changes(tmp_path: Path) -> None:
    """What is built on a mode (tools, a kept index) is built again only when it must be."""
    shelf = Shelf(tmp_path)
    put(tmp_path, "law")
    put(tmp_path, "tax", extends="law")
    first = shelf.find("tax")
    assert shelf.find("tax") is first
    put(tmp_path, "law")  # written again with the same text
    assert shelf.find("tax") is first
    put(tmp_path, "law", language="de")
    assert shelf.find("tax").language == "de"
    (tmp_path / "law.json").unlink()
    with pytest.raises(InvalidInput, match="no such mode"):
        shelf.find("tax")


def test_a_file_that_stays_as_it_is_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []

    def counted(body: bytes, where: str, own_signs: Mapping[str, str]) -> ModeFile:
        reads.append(where)
        return parsed(body, where, own_signs)

    monkeypatch.setattr("memfold.disclose.mode_file.parsed", counted)
    shelf = Shelf(tmp_path, clock_ns=lambda: 2**62)  # long after both were written
    put(tmp_path, "law")
    put(tmp_path, "bad", name=7)
    for _ in range(3):
        assert not shelf.usable("law").trouble
        assert shelf.usable("bad").trouble
    assert sorted(reads) == ["modes/bad.json", "modes/law.json"]


@settings(max_examples=100)
@given(wanted=st.text() | st.sampled_from(["law", "code"]), body=st.binary())
def test_there_is_always_a_mode_to_show_an_index_in(wanted: str, body: bytes) -> None:
    """spec: never invisible. Whatever is set, whatever the file holds."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "law.json").write_bytes(body)
        usable = Shelf(Path(folder)).usable(wanted)
        assert usable.mode.types
        assert usable.trouble or usable.mode.id == wanted


class ShelfMachine(RuleBasedStateMachine):
    """Files come, change and go: a shelf that was there all along answers as a new one does."""

    def __init__(self) -> None:
        super().__init__()
        self._place = tempfile.TemporaryDirectory()
        self.folder = Path(self._place.name)
        self.shelf = Shelf(self.folder)

    names = st.sampled_from(["a", "b", "c", "code"])

    @rule(name=names, parent=names | st.just("nix"), drop=st.sampled_from([[], ["bugfix"]]))
    def extend(self, name: str, parent: str, drop: list[str]) -> None:
        put(self.folder, name, extends=parent, drop=drop)

    @rule(name=names, symbol=st.sampled_from("¶●◎"))
    def say(self, name: str, symbol: str) -> None:
        put(self.folder, name, types=[{**RULING, "symbol": symbol}])

    @rule(name=names, body=st.sampled_from([b"", b"{}", b'{"id": "a"}']))
    def spoil(self, name: str, body: bytes) -> None:
        (self.folder / f"{name}.json").write_bytes(body)

    @rule(name=names)
    def remove(self, name: str) -> None:
        (self.folder / f"{name}.json").unlink(missing_ok=True)

    @invariant()
    def answers_as_a_new_shelf_does(self) -> None:
        new = Shelf(self.folder)
        for name in ("a", "b", "c", "code"):
            assert self.shelf.usable(name) == new.usable(name)
        assert list(self.shelf.all()) == list(new.all())

    def teardown(self) -> None:
        self._place.cleanup()


TestShelfMachine = ShelfMachine.TestCase
TestShelfMachine.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
