"""What most hosts report alike, each under its own keys: readers for the adapters' tables.

A function here takes the keys under which a host has its texts, and gives the reader.
"""

from __future__ import annotations

from collections.abc import Mapping

from memfold.capture.payload import Common, Payload, Reader, reply, text_of
from memfold.records import (
    Compacted,
    Event,
    PromptGiven,
    SessionEnded,
    SessionStarted,
    TurnEnded,
)

_NOTICES = (
    "<task-notification>",  # a background agent has ended
    "<system-reminder>",
    "<local-command-",
    "<bash-",  # what the user ran with `!`, and what it printed
    "<user-memory-input>",
    "<teammate-message",
    "[Request interrupted",
    "Caveat: The messages below",  # how Claude Code 1.0 began what local commands printed
)


def is_prompt(text: str) -> bool:
    """Whether the user typed this; notices of the program come in the same places."""
    bare = text.strip()
    return bool(bare) and not bare.startswith(_NOTICES)


def reported(
    readers: Mapping[str, Reader], name: str, payload: Payload, common: Common
) -> tuple[Event, ...]:
    """What the event of this name says; nothing where it is not ours to keep or of no session."""
    reader = readers.get(name)
    return reader(payload, common) if reader is not None and common["session"] else ()


def started(*source: str) -> Reader:
    """A session starts; ``source``: keys of how, ``startup`` where none says."""

    def read(payload: Payload, common: Common) -> tuple[Event, ...]:
        return (SessionStarted(**common, source=text_of(payload, *source) or "startup"),)

    return read


def prompted(*text: str) -> Reader:
    """The user gives a prompt."""

    def read(payload: Payload, common: Common) -> tuple[Event, ...]:
        typed = text_of(payload, *text)
        return (PromptGiven(**common, text=typed),) if is_prompt(typed) else ()

    return read


def said(*text: str) -> Reader:
    """The agent says something, and goes on."""
    return lambda payload, common: reply(common, text_of(payload, *text))


def stopped(*text: str) -> Reader:
    """The turn ends, perhaps with a last word."""
    return lambda payload, common: (
        *reply(common, text_of(payload, *text)),
        TurnEnded(**common),
    )


def compacted(trigger: str = "", summary: str = "") -> Reader:
    """The conversation is replaced by a summary."""

    def read(payload: Payload, common: Common) -> tuple[Event, ...]:
        why = text_of(payload, trigger) if trigger else ""
        short = text_of(payload, summary) if summary else ""
        return (Compacted(**common, trigger=why, summary=short),)

    return read


def ended(*reason: str) -> Reader:
    """The session ends."""
    return lambda payload, common: (SessionEnded(**common, reason=text_of(payload, *reason)),)
