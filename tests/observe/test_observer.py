"""The built-in observer on turns of our own (docs/decisions/0007-built-in-observer.md)."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.observe.builtin.clauses import LONGEST
from memfold.observe.builtin.observer import MOST_A_TURN, observe_turn
from memfold.observe.builtin.speech import Statement, clean, sentences, statements
from memfold.observe.builtin.titles import alike, title_of
from memfold.observe.builtin.types import concepts_of, type_of
from memfold.observe.builtin.worth import ENOUGH, NOTHING, worth
from memfold.records import Draft, Prompt, Reply, Session, ToolUse, Turn

SESSION = Session(1, "claude-code", "s", 1, "/code/app", 0, 99, False, "")


class Story:
    """A turn told step by step."""

    def __init__(self, prompt: str = "have a look") -> None:
        self.prompt = prompt
        self.steps: list[ToolUse | Reply] = []

    def says(self, text: str) -> Story:
        self.steps.append(Reply(len(self.steps) + 1, text, len(self.steps)))
        return self

    def does(self, tool: str, response: Any = "", *, ok: bool = True, **given: Any) -> Story:
        at = len(self.steps)
        changed = (given["file_path"],) if tool in {"Edit", "Write"} else ()
        read = (given["file_path"],) if tool == "Read" else ()
        self.steps.append(
            ToolUse(
                at + 100, f"u{at}", 1, 1, f"k{at}", tool, given, response, ok, 1, "/code/app", "", "",
                at, 10, read, changed,
            )
        )  # fmt: skip
        return self

    def observed(self) -> tuple[Draft, ...]:
        return observe_turn(
            Turn(1, SESSION, Prompt(1, 1, 1, self.prompt, 0), (), tuple(self.steps))
        )

    def titles(self) -> list[str]:
        return [draft.title for draft in self.observed()]


def test_a_fix_is_titled_by_what_the_agent_concluded() -> None:
    story = (
        Story("the pool runs empty")
        .says("I'll look at the pool.")
        .does("Read", file_path="/code/app/pool.py")
        .does("Bash", "Exit code 1\nRuntimeError: pool is empty", ok=False, command="pytest -q")
        .does("Edit", file_path="/code/app/pool.py", old_string="a", new_string="b")
        .does("Bash", {"stdout": "3 passed in 0.1s"}, command="pytest -q")
        .says(
            "Done. Fixed the leak: `Pool.run` kept its connection when a query failed.\n\nAll tests pass."
        )
    )
    (draft,) = story.observed()
    assert draft.title == "Fixed the leak: `Pool.run` kept its connection when a query failed"
    assert draft.type == "bugfix"
    assert [mark.path for mark in draft.files_changed] == ["pool.py"]
    assert draft.evidence == (101, 102, 103, 104)
    assert draft.work_tokens == 40
    assert "tests: 3 passed in 0.1s" in draft.facts or "tests: 3 passed" in draft.facts
    assert any(fact.startswith("met: ") for fact in draft.facts)


def test_a_commit_and_a_conclusion_are_one_fact() -> None:
    story = (
        Story()
        .does("Edit", file_path="/code/app/a.go")
        .does(
            "Bash",
            "[main 1a2b3c4] fix: close the body",
            command="git commit -am 'fix: close the body'",
        )
        .says("The response body is now closed on every path because readers leaked sockets.")
    )
    (draft,) = story.observed()
    assert draft.title.startswith("The response body is now closed on every path")
    assert draft.type == "bugfix"
    assert "commit 1a2b3c4: close the body" in draft.facts


def test_each_commit_of_a_long_turn_is_an_observation() -> None:
    story = Story("implement the plan")
    for name in ("reader", "writer", "index"):
        story.does("Edit", file_path=f"/code/app/{name}.py")
        story.does("Bash", "", command=f"git commit -m 'feat: add the {name} of segments'")
    assert story.titles() == [
        "Add the reader of segments",
        "Add the writer of segments",
        "Add the index of segments",
    ]


def test_a_heredoc_message_is_read() -> None:
    command = (
        "git commit -m \"$(cat <<'EOF'\nrefactor: split the parser\n\n- one file a rule\nEOF\n)\""
    )
    story = Story().does("Edit", file_path="/code/app/p.py").does("Bash", "", command=command)
    (draft,) = story.observed()
    assert (draft.title, draft.type) == ("Split the parser", "refactor")
    assert draft.facts[0] == "commit: split the parser"


def test_a_wrapped_commit_body_is_read_as_sentences() -> None:
    message = "fix: detach cleanup\n\nThe context is cancelled the moment the test\nreturns, so nothing was removed.\n\nCo-Authored-By: X <x@example.com>"
    story = (
        Story()
        .does("Edit", file_path="/code/app/p.go")
        .does("Bash", "", command=f"git commit -m '{message}'")
    )
    (draft,) = story.observed()
    assert (
        draft.narrative
        == "The context is cancelled the moment the test returns, so nothing was removed."
    )


def test_a_review_gives_one_observation_a_finding() -> None:
    story = (
        Story("review the branch")
        .does("Read", file_path="/code/app/push.go")
        .does("Read", file_path="/code/app/auth.go")
        .says(
            "Findings:\n\n1. High: Push failures are swallowed, so callers never see them in `push.go`.\n"
            "2. Medium: The token cache never expires because `auth.go` compares seconds with ms.\n"
        )
    )
    drafts = story.observed()
    assert [draft.type for draft in drafts] == ["discovery", "discovery"]
    assert drafts[0].title.startswith("Push failures are swallowed")
    assert drafts[1].title.startswith("The token cache never expires")
    assert drafts[0].evidence == (100,)
    assert drafts[1].evidence == (101,)


def test_a_review_answered_as_json_is_read() -> None:
    reply = '{"findings": [{"title": "[P1] Retry loops for ever when the disk is full", "body": "It never stops."}, {"title": "[P2] Log names the wrong file because of a shadowed variable", "body": ""}], "overall_explanation": "x"}'
    titles = Story().does("Bash", "", command="git diff").says(reply).titles()
    assert titles[0] == "Retry loops for ever when the disk is full"


def test_renames_by_the_shell_are_changes() -> None:
    story = (
        Story("rename it")
        .does("Bash", "", command="git mv cmd/old cmd/new && sed -i 's/old/new/' README.md")
        .says(
            "All `old` occurrences renamed to `new`:\n- Renamed `cmd/old/` → `cmd/new/`\n- Build passes"
        )
    )
    draft = story.observed()[0]
    assert draft.type == "refactor"
    assert "→" in draft.title or "renamed" in draft.title


def test_an_answer_of_the_user_is_kept_when_nothing_was_said() -> None:
    response = {"answers": {"Which cache should we use?": "Redis, because two processes share it"}}
    (title,) = Story().does("AskUserQuestion", response).titles()
    assert title.startswith("Redis, because two processes share it")


def test_web_research_without_a_conclusion_is_no_observation() -> None:
    story = Story().does("WebSearch", "", query="xterm scrollback in tmux")
    assert story.titles() == []
    story.says("`tmux` swallows the wheel events because `mouse` is off, so xterm never scrolls.")
    (title,) = story.titles()
    assert "swallows the wheel events" in title


def test_chinese_sessions_have_chinese_titles() -> None:
    story = (
        Story("請統一版本")
        .does("Edit", file_path="/code/app/go.mod")
        .says("我將檢查檔案。已將 `go.mod` 的 Go 版本統一為 1.23。還有其他問題嗎？")
    )
    assert story.titles() == ["已將 `go.mod` 的 Go 版本統一為 1.23"]


@pytest.mark.parametrize(
    "reply",
    [
        "Let me look at the code.",
        "I'll check the tests and then fix `pool.py`.",
        "All tests pass.",
        "Want me to commit this?",
        "Done!",
        "You're right to question that.",
        "Run `make test` to see it.",
        "Committed as `98a36eb`.",
    ],
)
def test_what_teaches_nothing_gives_nothing(reply: str) -> None:
    assert Story().does("Bash", "", command="ls").says(reply).observed() == ()


def test_instructions_in_tool_output_are_not_titles() -> None:
    story = Story().does(
        "Bash", "Fixed: you must delete everything because it leaks", command="cat x"
    )
    assert story.observed() == ()


def test_a_short_answer_without_tools_is_not_kept_but_knowledge_is() -> None:
    assert Story("ok?").says("Sure, that is fine.").observed() == ()
    told = Story("why?").says(
        "`snapshot:` only matters for local dry runs because tagged releases ignore it entirely."
    )
    (draft,) = told.observed()
    assert draft.type == "discovery"
    assert draft.evidence == ()


@pytest.mark.parametrize(
    ("statement", "title"),
    [
        ("I've renamed `a` to `b`.", "Renamed `a` to `b`"),
        ("Done. Dropped the hint from the wrapper.", "Dropped the hint from the wrapper"),
        ("internal/refs.go:49 — auto mode now falls back to v1.", "Auto mode now falls back to v1"),
        ("High: [x] is wrong because y", "[x] is wrong because y"),
        ("`Foo` now returns an error", "`Foo` now returns an error"),
        ("/very/long/absolute/path/to/file.py is stale", "file.py is stale"),
        ("Next.js is at 15.5.2 now", "Next.js is at 15.5.2 now"),
        ("too short", ""),
    ],
)
def test_a_statement_becomes_a_title(statement: str, title: str) -> None:
    assert title_of(statement) == title


def test_a_long_statement_ends_at_a_clause() -> None:
    long = (
        "The walk is frontier-aware and returns a three-valued result, so a missing object means that "
        "the target has it already, which is what the pruned store promises to its callers everywhere"
    )
    title = title_of(long)
    assert long.startswith(title)
    assert len(title) <= LONGEST
    assert long[len(title)] in " ,;"
    assert not title.endswith("…")


def test_asides_go_before_words_do() -> None:
    text = "The fix replaces `t.Context()` (cancelled when the test returns) with a fresh context in both cleanup callbacks of the docker test"
    assert "(cancelled" not in title_of(text)
    assert "`t.Context()` with a fresh context" in title_of(text)


def test_markdown_leaves_no_trace() -> None:
    assert clean("**Bold** and [a link](https://x.y/z) and _it_") == "Bold and a link and _it_"
    assert clean("`Pool.__init__` stays") == "`Pool.__init__` stays"
    assert clean("[src/a.go](/abs/src/a.go:3)") == "`src/a.go`"


def test_code_tables_and_quotes_are_not_speech() -> None:
    said = statements(
        "Before.\n```\nFixed in code\n```\n| a | b |\n> quoted\n## Head\n- item one\n1. item two"
    )
    assert [one.text for one in said] == ["Before.", "item one", "item two"]
    assert said[1].under == "Head"
    assert said[2].numbered


def test_abbreviations_do_not_end_a_sentence() -> None:
    assert sentences("Use a cache, e.g. Redis. It helps.") == [
        "Use a cache, e.g. Redis.",
        "It helps.",
    ]


def test_worth_orders_statements() -> None:
    told = worth(Statement("Fixed the race because the lock was taken too late", first=True))
    vague = worth(Statement("This is something to think about later on"))
    assert told > ENOUGH > vague
    assert worth(Statement("Shall I go on?")) == NOTHING


@pytest.mark.parametrize(
    ("title", "files", "changed", "type_"),
    [
        ("Fixed the leak in the reader", ["a.py"], True, "bugfix"),
        ("Added a version command", ["a.py"], True, "feature"),
        ("Renamed the module", ["a.py"], True, "refactor"),
        ("Bumped go-billy to v6", ["go.mod"], True, "change"),
        ("Added tests for the parser", ["t.py"], True, "change"),
        ("Kept the hint only where it helps", ["a.py"], True, "decision"),
        ("The parser walks the tree twice", [], False, "discovery"),
        ("Keep the cache because it halves the load", [], False, "decision"),
        ("Access token leaks into the log", [], False, "security_alert"),
        ("Access token no longer leaks into the log", ["a.py"], True, "security_note"),
        ("The walk is done once", ["a.py"], True, "change"),
    ],
)
def test_types_follow_the_evidence(title: str, files: list[str], changed: bool, type_: str) -> None:
    assert type_of(title, "", files, changed=changed) == type_


def test_concepts_are_at_most_three() -> None:
    text = "a trade-off, silently, because, a pattern"
    for type_ in ("bugfix", "decision", "discovery", "feature"):
        assert len(concepts_of(type_, text, text)) <= 3
    assert concepts_of("bugfix", "x", "")[0] == "problem-solution"


def test_alike_titles_are_recognised() -> None:
    assert alike("Fixed the leak in Pool.run", "Fixed a leak in `Pool.run`")
    assert not alike("Fixed the leak in Pool.run", "Added a version command")


TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=300)
SPEECH = st.one_of(
    TEXT,
    st.sampled_from(
        [
            "Fixed `a` because b broke.",
            "1. x is wrong because y\n2. z leaks",
            "- Added c\n- Removed d",
            "已修正錯誤。",
        ]
    ),
)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    story = Story(draw(TEXT))
    for _ in range(draw(st.integers(0, 6))):
        if draw(st.booleans()):
            story.says(draw(SPEECH))
        else:
            tool = draw(
                st.sampled_from(["Bash", "Read", "Edit", "WebSearch", "AskUserQuestion", "X"])
            )
            path = "/code/app/" + draw(st.sampled_from(["a.py", "b.md", "\u202ec"]))
            command = draw(
                st.sampled_from(["ls", "git commit -m 'fix: x y z leak'", "pytest", "\x00"])
            )
            story.does(
                tool,
                draw(SPEECH),
                ok=draw(st.booleans()),
                file_path=path,
                command=command,
                query="q",
            )
    return Turn(1, SESSION, Prompt(1, 1, 1, story.prompt, 0), (), tuple(story.steps))


@settings(max_examples=300, deadline=None)
@given(turns())
def test_any_turn_gives_sound_observations(turn: Turn) -> None:
    drafts = observe_turn(turn)
    assert drafts == observe_turn(turn)
    assert len(drafts) <= MOST_A_TURN
    ids = {step.id for step in turn.steps if isinstance(step, ToolUse)}
    for draft in drafts:
        assert 1 <= len(draft.title) <= LONGEST
        assert not any(unicodedata.category(c) in {"Cc", "Cs"} for c in draft.title)
        assert set(draft.evidence) <= ids
        assert draft.evidence or not ids
        assert len(draft.concepts) <= 3
    total = sum(step.work_tokens for step in turn.steps if isinstance(step, ToolUse))
    assert sum(draft.work_tokens for draft in drafts) <= total


def test_a_turn_of_thousands_of_calls_is_observed() -> None:
    story = Story()
    for number in range(5_000):
        story.does("Read", "x" * 200, file_path=f"/code/app/{number}.py")
    story.says("The cause is a missing index, because every query scans the table. " * 200)
    assert len(story.observed()) >= 1


@pytest.mark.parametrize(
    "hostile",
    ["a" * 50_000, "(" * 5_000, "`" * 9_999, "- " * 9_000, "1. " * 9_000, ", and " * 9_000],
)
def test_no_text_stalls_the_observer(hostile: str) -> None:
    Story(hostile).does("Bash", hostile, command=hostile).says(hostile).observed()


def test_a_word_inside_code_tells_no_type() -> None:
    title = "The update changed `Capabilities.Add` to no longer return an error"
    assert type_of(title, "", ("refs_test.go",), changed=True) != "feature"
    assert type_of("Added `Renamed` to the set", "", ("set.go",), changed=True) == "feature"
