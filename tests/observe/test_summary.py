"""A session's summary in five fields (spec/70 Session summary)."""

from __future__ import annotations

from memfold.observe.summary import summarise
from memfold.records import Digest, Draft, Observation, Prompt, Reply, Session

SESSION = Session(1, "claude-code", "s", 1, "/code/app", 0, 99, False, "")


def observed(number: int, type_: str, title: str) -> Observation:
    return Observation(number, f"u{number}", 1, 1, Draft(type=type_, title=title), number)


def digest(*prompts: str, reply: str = "", observations: tuple[Observation, ...] = ()) -> Digest:
    return Digest(
        session=SESSION,
        prompts=tuple(Prompt(n, 1, n, text, n) for n, text in enumerate(prompts, 1)),
        observations=observations,
        replies=(Reply(1, reply, 5),) if reply else (),
        files_read=("/code/app/a.py", "/code/app/b.py"),
        files_changed=("/code/app/b.py",),
    )


def test_the_five_fields_are_filled_from_what_is_known() -> None:
    found = (
        observed(1, "discovery", "The cache never expires"),
        observed(2, "bugfix", "Fixed the cache"),
    )
    summary = summarise(
        digest("fix the cache", reply="Fixed it. Next step: remove the flag.", observations=found)
    )
    assert summary.request == "fix the cache"
    assert summary.investigated == "a.py"
    assert summary.learned == "The cache never expires"
    assert summary.completed == "Fixed the cache"
    assert summary.next_steps == "Next step: remove the flag."
    assert summary.files == ("b.py",)
    assert summary.at_ms == 99


def test_later_requests_follow_the_first() -> None:
    assert summarise(digest("fix the cache", "yes", "then bump it")).request == (
        "fix the cache; then then bump it"
    )


def test_wrappers_and_chat_are_no_request() -> None:
    assert (
        summarise(digest("ok", "<tag>x</tag> clean the parser up")).request
        == "x clean the parser up"
    )
    assert summarise(digest("q")).request == ""


def test_a_long_request_ends_at_a_sentence() -> None:
    text = "Fix the reader that drops rows. " * 20
    request = summarise(digest(text)).request
    assert len(request) <= 160
    assert request.endswith(".")


def test_without_prompts_the_first_observation_names_the_session() -> None:
    summary = summarise(digest(observations=(observed(1, "bugfix", "Fixed the cache"),)))
    assert summary.request == "Fixed the cache"
