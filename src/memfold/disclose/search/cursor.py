"""Cursors, and the state that stays on the server behind them.

A cursor is 18 random bytes and means nothing by itself. The state is kept under
HMAC-SHA256(secret, label, scope, cursor): it cannot be found with a cursor of another scope, nor
a cursor be read from the store. Source: docs/decisions/0008-search-protocol.md.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets

import msgspec

from memfold.disclose.search.request import Options
from memfold.errors import ExpiredContinuation, InvalidContinuation, ResponseTooLarge
from memfold.records import Entry, Kind
from memfold.store.ports import CursorStore

LIFE_MS = 15 * 60 * 1000
MAX_STATE_BYTES = 48 * 1024
_RANDOM_BYTES = 18
_LABEL = b"memfold mem_search cursor 1"
_FORM = re.compile(r"ms_[A-Za-z0-9_-]{24}")


class Listed(msgspec.Struct, frozen=True, array_like=True):
    """An entry that a step showed: what the next step may choose."""

    kind: Kind
    id: int
    project_id: int
    ref: str


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the next step needs to know."""

    step: int  # the step that the cursor leads to: 2 or 3
    options: Options
    project_ids: tuple[int, ...] | None  # None = all in scope
    listed: tuple[Listed, ...]
    trace: tuple[str, ...] = ()  # refs chosen so far


class Cursors:
    """Hands out cursors and finds their state again."""

    def __init__(self, store: CursorStore, secret: bytes, older_secret: bytes = b"") -> None:
        """``older_secret``: still accepted while a fleet changes to a new one."""
        self._store = store
        self._secrets = [one for one in (secret, older_secret) if one]

    def keep(self, state: State, scope: str, now_ms: int) -> str:
        """A new cursor for ``state``. Raises ResponseTooLarge over 48 KiB."""
        record = msgspec.msgpack.encode(state)
        if len(record) > MAX_STATE_BYTES:
            raise ResponseTooLarge("The state of this search is too large to keep.")
        random = secrets.token_bytes(_RANDOM_BYTES)
        cursor = "ms_" + base64.urlsafe_b64encode(random).decode("ascii")
        key = _key(self._secrets[0], scope, cursor)
        self._store.put(key, record, expires_at_ms=now_ms + LIFE_MS, now_ms=now_ms)
        return cursor

    def find(self, cursor: str, scope: str, now_ms: int) -> State:
        """Raises InvalidContinuation (unknown, malformed, foreign) or ExpiredContinuation."""
        if _FORM.fullmatch(cursor):
            for secret in self._secrets:
                hit = self._store.get(_key(secret, scope, cursor), now_ms=now_ms)
                if hit.expired:
                    raise ExpiredContinuation("This cursor's 15 minutes are over.")
                if hit.record is not None:
                    try:
                        return msgspec.msgpack.decode(hit.record, type=State)
                    except msgspec.DecodeError:
                        break  # written by another version: as unknown as any other
        raise InvalidContinuation("This cursor is not known here.")


def listed(entry: Entry) -> Listed:
    return Listed(entry.kind, entry.id, entry.project_id, entry.ref)


def _key(secret: bytes, scope: str, cursor: str) -> bytes:
    # Each part with its length before it: no two (scope, cursor) pairs give the same message.
    parts = (_LABEL, scope.encode("utf-8", "surrogatepass"), cursor.encode("ascii"))
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.new(secret, message, hashlib.sha256).digest()
