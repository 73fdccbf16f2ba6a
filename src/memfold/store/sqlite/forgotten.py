"""What was forgotten is known again by hashes alone, so that it does not come back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import apsw

from memfold.records import Event, PromptGiven, ReplyGiven, ToolUsed
from memfold.store.sqlite.base import to_json
from memfold.store.sqlite.queries import named

SQL = named("forgetting")
EVERYTHING = b""


def session_scope(host: str, host_session: str) -> bytes:
    return digest("session", host, host_session)


def trace_scope(kind: str, value: str) -> bytes:
    return digest("trace", kind, value)


def digest(kind: str, *parts: str | bytes) -> bytes:
    """16 bytes for a thing of a kind."""
    whole = hashlib.sha256(kind.encode())
    for part in parts:
        raw = part.encode("utf-8", "replace") if isinstance(part, str) else part
        whole.update(b"%d:" % len(raw) + raw)
    return whole.digest()[:16]


class Forgotten:
    """What one run of events must leave out."""

    def __init__(self, db: apsw.Connection, project_id: int) -> None:
        self._db = db
        ((self._any,),) = db.execute(SQL["any"])
        self._scopes: list[bytes] = [EVERYTHING]
        if self._any:
            family = to_json(
                [row[0] for row in db.execute(SQL["project_family"], _ids(project_id))]
            )
            traces = db.execute(SQL["traces"], {"projects": family})
            self._scopes += [trace_scope(kind, value) for kind, value in traces]

    def holds(self, event: Event, text_hash: bytes) -> bool:
        """Whether the event was forgotten. ``text_hash``: as prompts and replies are known by."""
        if not self._any:
            return False
        if self.spans(event.host, event.session, event.at_ms):
            return True
        for item in _items(event, text_hash):
            for (until_ms,) in list(self._db.execute(SQL["item"], (item,))):
                if event.at_ms <= until_ms:
                    return True
        return False

    def spans(self, host: str, session: str, at_ms: int) -> bool:
        """Whether all of that session, of its project or of everything was forgotten for then."""
        scopes = (*self._scopes, session_scope(host, session)) if self._any else ()
        return any(list(self._db.execute(SQL["in_span"], (one, at_ms))) for one in scopes)


def place_is_forgotten(
    db: apsw.Connection, host: str, host_session: str, directories: Sequence[str], at_ms: int
) -> bool:
    """Whether all of a session up to that moment was forgotten, by what is known beforehand."""
    ((any_forgotten,),) = db.execute(SQL["any"])
    if not any_forgotten:
        return False
    scopes = [EVERYTHING, session_scope(host, host_session)]
    for directory in directories:
        scopes += [trace_scope("directory", directory), trace_scope("git_dir", f"{directory}/.git")]
    asked = ((scope, at_ms) for scope in scopes)
    return any(list(db.execute(SQL["in_span"], one)) for one in asked)


def _ids(project_id: int) -> dict[str, str]:
    return {"projects": to_json([project_id])}


def _items(event: Event, text_hash: bytes) -> Sequence[bytes]:
    whose = (event.host, event.session)
    if isinstance(event, ToolUsed):
        return (digest("tool use", *whose, event.key),)
    if isinstance(event, ReplyGiven):
        return (digest("reply", *whose, text_hash),)
    if isinstance(event, PromptGiven):
        by_text = digest("prompt", *whose, text_hash)
        return (by_text, digest("prompt key", *whose, event.prompt_key))[
            : 1 + bool(event.prompt_key)
        ]
    return ()
