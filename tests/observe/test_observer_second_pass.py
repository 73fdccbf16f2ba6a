"""The second pass of the built-in observer: tables, tools of all hosts, reverts, repeats, symbols."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from memfold.observe.builtin.calls import (
    EDIT,
    LOOK,
    PLAN,
    READ,
    SHELL,
    changes_of,
    command_of,
    kind_of,
)
from memfold.observe.builtin.clauses import LONGEST
from memfold.observe.builtin.judged import AGAIN, LISTED, LOOKED, STATUS, lessons
from memfold.observe.builtin.observer import observe_turn
from memfold.observe.builtin.speech import Statement, statements
from memfold.observe.builtin.symbols import symbols_of
from memfold.observe.builtin.titles import shortened, title_of
from memfold.observe.builtin.types import TYPES, TypeRule, type_rule
from memfold.observe.builtin.worth import ENOUGH, NOTHING, worth
from memfold.observe.repeats import as_known, same_fact
from memfold.observe.reverts import taken_back, undone_by
from memfold.records import Draft, FileMark, Observation, Prompt, Reply, Session, ToolUse, Turn

SESSION = Session(1, "codex", "s", 1, "/code/app", 0, 99, False, "")


def use(tool: str, given: Any, response: Any = "", number: int = 1, *, ok: bool = True,
        changed: tuple[str, ...] = (), read: tuple[str, ...] = ()) -> ToolUse:  # fmt: skip
    return ToolUse(
        number, f"u{number}", 1, 1, f"k{number}", tool, given, response, ok, 1, "/code/app", "", "",
        number, 10, read, changed,
    )  # fmt: skip


def observed(*steps: ToolUse | Reply, prompt: str = "have a look") -> tuple[Draft, ...]:
    return observe_turn(Turn(1, SESSION, Prompt(1, 1, 1, prompt, 0), (), steps))


def says(text: str, at: int = 90, agent: str = "") -> Reply:
    return Reply(at, text, at, agent)


@pytest.mark.parametrize("rule", TYPES, ids=lambda rule: f"{rule.type}-{rule.when[:30]}")
def test_each_row_of_the_table_decides_its_example(rule: TypeRule) -> None:
    assert type_rule(rule.case()) is rule


@pytest.mark.parametrize(
    ("tool", "given", "kind"),
    [
        ("Bash", {"command": "ls"}, SHELL),
        ("shell", {"command": ["bash", "-lc", "ls"]}, SHELL),
        ("exec_command", {"cmd": "ls"}, SHELL),
        ("run_shell_command", {"command": "ls"}, SHELL),
        ("run_terminal_cmd", {"command": "ls"}, SHELL),
        ("run_command", {"CommandLine": "ls"}, SHELL),
    ],
)
def test_shells_of_all_hosts_are_understood(tool: str, given: Any, kind: str) -> None:
    assert kind_of(use(tool, given)) == kind
    assert command_of(use(tool, given)) == "ls"


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def run\n-    x\n+    y\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "given", "path", "old", "new"),
    [
        ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "a.py", "x", "y"),
        ("replace", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "a.py", "x", "y"),
        ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}, "a.py", "x", "y"),
        ("edit", {"path": "a.py", "edits": [{"oldText": "x", "newText": "y"}]}, "a.py", "x", "y"),
        ("write_file", {"file_path": "a.py", "content": "y"}, "a.py", "", "y"),
        ("apply_patch", PATCH, "a.py", "    x", "    y"),
        ("shell", {"command": ["apply_patch", PATCH]}, "a.py", "    x", "    y"),
    ],
)  # fmt: skip
def test_edits_of_all_hosts_are_understood(
    tool: str, given: Any, path: str, old: str, new: str
) -> None:
    (change,) = changes_of(use(tool, given))
    assert (change.path, change.old, change.new) == (path, old, new)


@pytest.mark.parametrize(
    ("tool", "kind"),
    [("read_file", READ), ("list_dir", LOOK), ("update_plan", PLAN), ("TodoWrite", PLAN),
     ("code_action", EDIT), ("grep_search", LOOK)],
)  # fmt: skip
def test_other_tools_have_a_kind(tool: str, kind: str) -> None:
    assert kind_of(use(tool, {})) == kind


def test_what_teaches_nothing_is_named_and_is_no_evidence() -> None:
    uses = (
        use("Bash", {"command": "ls -la && grep -n x a | head"}, "a", 1),
        use("exec_command", {"cmd": "git status"}, "clean", 2),
        use("update_plan", {"plan": []}, "", 3),
        use("Read", {"file_path": "a.py"}, "x", 4, read=("a.py",)),
        use("Read", {"file_path": "a.py"}, "x", 5, read=("a.py",)),
        use("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "", 6, changed=("a.py",)),
        use("Read", {"file_path": "a.py"}, "y", 7, read=("a.py",)),
    )  # fmt: skip
    judged = lessons(uses)
    assert [judged[n] for n in range(1, 8)] == [LOOKED, STATUS, LISTED, "", AGAIN, "", ""]
    (draft,) = observed(*uses, says("Fixed the leak in `run` because the lock was never released."))
    assert draft.evidence == (4, 6, 7)
    assert "4 tool uses" in draft.reason
    assert draft.said.startswith("Fixed the leak in `run`")
    assert draft.observer == "builtin/2"


@pytest.mark.parametrize(
    "sentence",
    [
        "Applied all of the requested changes",
        "Addressed the review comments",
        "Updated the regression coverage",
        "Created `docs/notes.md` as requested",
        "I read `docs/a.md` first, then all files under `docs/`",
        "The session ID is `47bf5f5c-9e11`",
        "Rebase complete with no conflicts",
        "`pnpm fix` → 0 errors",
        "`go test ./...` passes — nothing relied on `Zero == 0`",
        "The code is well-structured and robust and handles `null`",
        "Starts with the name of the formula",
        "所有測試都通過了 12 個",
        "文件已保存在 `guide.md`",
        "請執行 `npm test` 看結果",
        "我將更新 `go.mod` 檔案",
        "`config.ts` を修正します",
        "まず `config.ts` を確認します",
        "すべてのテストが通りました",
        "他に `config.ts` で直すところはありますか",
    ],
)
def test_worthless_sentences_are_never_titles(sentence: str) -> None:
    assert worth(Statement(sentence, first=True)) < ENOUGH


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("はい、`parse` の戻り値を修正しました。テストは通りました。", "`parse` の戻り値を修正しました"),
        ("まず確認します。原因は `cache` が期限を確認していなかったためです。", "原因は `cache` が期限を確認していなかったためです"),
        ("修正：`Reader` のリークを解消しました。", "`Reader` のリークを解消しました"),
        ("你說得對，`toolchain` 已經移除，因為版本不一致。", "`toolchain` 已經移除，因為版本不一致"),
    ],
)  # fmt: skip
def test_titles_in_chinese_and_japanese(reply: str, title: str) -> None:
    changed = use(
        "Edit", {"file_path": "a.ts", "old_string": "x", "new_string": "y"}, changed=("a.ts",)
    )
    (draft,) = observed(changed, says(reply))
    assert draft.title == title
    assert "。 " not in draft.narrative


def test_an_error_names_what_ended_it() -> None:
    run = {"command": "pytest -q"}
    (draft,) = observed(
        use("Bash", run, "RuntimeError: pool is empty", 1, ok=False),
        use("Edit", {"file_path": "/code/app/pool.py", "old_string": "a", "new_string": "b"}, "", 2,
            changed=("/code/app/pool.py",)),
        use("Bash", run, "3 passed in 0.1s", 3),
        says("Fixed the pool: `take` now waits because the last connection may come back."),
    )  # fmt: skip
    assert "met: RuntimeError: pool is empty; passes since pool.py changed" in draft.facts


def test_edits_alone_are_told_by_their_symbols() -> None:
    (draft,) = observed(
        use("Write", {"file_path": "/code/app/pool.py", "content": "def drain():\n    pass\n"}, "", 1,
            changed=("/code/app/pool.py",)),
    )  # fmt: skip
    assert draft.title == "Added `drain` to `pool.py`"
    assert draft.facts == ("pool.py: added `drain`",)
    assert draft.reason.startswith("title: what the edits define")


@pytest.mark.parametrize(
    ("path", "old", "new", "added", "removed"),
    [
        ("a.py", "def one():", "async def two():", ("two",), ("one",)),
        ("a.go", "", "func (p *Pool) Run(x int) error {", ("Run",), ()),
        ("a.rs", "", "pub async fn run() {\nstruct Pool {", ("run", "Pool"), ()),
        ("a.ts", "", "export const run = async (a) => {\nexport class Pool {", ("run", "Pool"), ()),
        ("a.java", "", "public final class Pool {", ("Pool",), ()),
        ("a.rb", "def gone?", "", (), ("gone?",)),
        ("a.md", "def x():", "def y():", (), ()),
    ],
)
def test_symbols_come_from_the_edit(
    path: str, old: str, new: str, added: tuple[str, ...], removed: tuple[str, ...]
) -> None:
    given = {"file_path": path, "old_string": old, "new_string": new}
    found = symbols_of([use("Edit", given)])
    assert (
        (found[path].added, found[path].removed) == (added, removed)
        if path in found
        else not (added or removed)
    )


def earlier(
    title: str, *, files: tuple[str, ...] = ("a.py",), facts: tuple[str, ...] = ()
) -> Observation:
    marks = tuple(FileMark(path) for path in files)
    draft = Draft("change", title, facts=facts, files_changed=marks, observer="builtin/2")
    return Observation(7, "u7", 1, 1, draft, 1)


@pytest.mark.parametrize(
    ("command", "facts", "gone"),
    [
        ("git revert --no-edit 1a2b3c4", ("commit 1a2b3c4: x",), True),
        ("git revert 9999999", ("commit 1a2b3c4: x",), False),
        ("git checkout -- a.py", (), True),
        ("git restore a.py", (), True),
        ("git restore b.py", (), False),
        ("git restore --staged a.py", (), False),
        ("git reset --hard", (), True),
        ("git checkout -- a.py", ("commit 1a2b3c4: x",), False),
        ("git checkout main", (), False),
    ],
)
def test_what_was_taken_back_by_a_command(command: str, facts: tuple[str, ...], gone: bool) -> None:
    undone = undone_by([use("Bash", {"command": command})])
    assert taken_back(undone, [earlier("x", facts=facts)], {}) == ([7] if gone else [])


def test_an_edit_that_puts_the_old_text_back_takes_back() -> None:
    there = use("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"})
    back = use("Edit", {"file_path": "a.py", "old_string": "y", "new_string": "x"})
    assert taken_back(undone_by([back]), [earlier("x")], {7: [there]}) == [7]
    assert taken_back(undone_by([there]), [earlier("x")], {7: [there]}) == []


def test_a_fact_said_again_strengthens() -> None:
    known = earlier("Fixed the connection leak in the `Pool` reader")
    again = Draft("bugfix", "Fixed a connection leak in the reader of `Pool`", observer="builtin/2")
    assert as_known(again, [known]).title == known.draft.title
    other = replace(again, title="Fixed the connection leak in the `Cache` reader")
    assert as_known(other, [known]) == other
    assert not same_fact("The cache expires after a day", "The cache never expires after a day")


def test_what_a_subagent_found_is_its_own() -> None:
    (draft,) = observed(
        use("Task", {"prompt": "Find the cause of the leak"}, "", 1),
        says("The leak is caused by `Pool.run`, because it keeps its connection when a query fails.", 2, "a1"),
        prompt="please look",
    )  # fmt: skip
    assert draft.agent == "a1"
    assert draft.title.startswith("The leak is caused by `Pool.run`")


def test_verse_is_not_joined_to_sentences() -> None:
    lines = "A river runs in `clay`,\nwhere chilies never say,\na cauldron, bold and deep"
    assert statements(lines)[0].text.endswith(",")
    assert worth(statements(lines)[0]) == NOTHING


PIECE = st.sampled_from(
    ["Fixed `a b` because ", "word" * 9 + " ", "x" * 10_000, "| a | b |\n", "```\ncode\n```\n", "\u202e", "🤖👩‍💻 ",
     "`unclosed ", '"quote ', "已修正錯誤，因為", "修正しました。", "- item\n", "1. so ", "(aside) ", ", and ", "**b** ", "\x00"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECE, max_size=40).map("".join))
def test_hostile_speech_gives_sound_titles(text: str) -> None:
    for one in statements(text):
        title = title_of(one.text)
        assert len(title) <= LONGEST
        assert "\n" not in title
        assert title.count("`") % 2 == 0
        assert title == "" or title.isprintable()
        cut = one.text.casefold().find(title.casefold())
        after = one.text[cut + len(title) : cut + len(title) + 1] if title and cut >= 0 else ""
        assert not (after.isalnum() and title[-1].isalnum() and after.isascii())
    for draft in observed(use("Bash", {"command": text}, text), says(text)):
        assert 1 <= len(draft.title) <= LONGEST


@given(st.text(max_size=300))
def test_shortened_text_is_a_start_of_it(text: str) -> None:
    short = shortened(text)
    assert text.startswith(short) or len(text) <= LONGEST
    assert len(short) <= LONGEST


CLAIM = "I've fixed the leak in `pool.py`: the connection is now closed on the error path."


@pytest.mark.parametrize(("worked", "kept"), [(True, True), (False, False)])
def test_what_is_said_to_be_done_is_not_kept_where_every_change_failed(
    worked: bool, kept: bool
) -> None:
    edit = use(
        "Edit", {"file_path": "/code/app/pool.py"}, ok=worked, changed=("/code/app/pool.py",)
    )
    titles = [draft.title for draft in observed(edit, says(CLAIM))]
    assert any("leak in `pool.py`" in title for title in titles) is kept


def test_a_change_that_failed_first_and_then_worked_is_kept() -> None:
    failed = use("Edit", {}, ok=False, changed=("/code/app/pool.py",))
    worked = use("Edit", {}, number=2, changed=("/code/app/pool.py",))
    assert observed(failed, worked, says(CLAIM))
