"""What a session is shown when it starts: the work state and the startup index, in one text."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from memfold.disclose.context import framed
from memfold.disclose.mode import Mode
from memfold.disclose.prepared import PreparedIndexes, Wanted
from memfold.errors import StoreError
from memfold.measure import Limit
from memfold.records import Caller
from memfold.settings import Settings
from memfold.store.ports import GivenContexts, IndexSource, WorkLog
from memfold.workstate import section as work_state

log = logging.getLogger(__name__)
_REPLY_CHARS = 8_000  # far more of a reply than the index shows


class Memory(IndexSource, GivenContexts, WorkLog, Protocol):
    """What the context is made from, and where it is noted who was given which."""


class ContextDesk:
    """Renders the context and remembers what each session has been given."""

    def __init__(
        self,
        memory: Memory,
        settings: Settings,
        clock: Callable[[], int],
        *,
        mode: Callable[[], Mode],
        limit: Callable[[str], Limit],
    ) -> None:
        """``clock``: Unix ms. ``mode``: the one in use; asked each time, as its file may change.
        ``limit``: what a host passes on.
        """
        self._memory = memory
        self._settings = settings
        self._clock = clock
        self._mode = mode
        self._limit = limit
        self._indexes = PreparedIndexes(memory, settings)

    def text(self, caller: Caller, project_name: str) -> str:
        """Layers 0 and 1 as they stand now."""
        now_ms = self._clock()
        limit = self._limit(caller.host)
        ids = caller.project_ids
        section = work_state.section(self._memory, ids, now_ms, unit=limit.unit)
        reply = self._last_reply(caller)
        wanted = Wanted(project_name, ids, limit.unit, self._mode(), reply)
        return framed(
            section,
            lambda room: self._indexes.render(wanted, room, now_ms),
            limit.most,
            unit=limit.unit,
        ).text

    def refresh(self) -> None:
        """Memory has changed: make the indexes in use anew before they are asked for."""
        self._indexes.refresh(self._clock())

    def clear(self) -> None:
        """Nothing is kept ready."""
        self._indexes.clear()

    def at_session_start(self, caller: Caller, project_name: str, *, resumed: bool) -> str:
        """The text, and on resume the very text this session has, unless memory changed.

        A host adds a resumed session's context again when it differs by a byte.
        """
        whose = (caller.host, caller.session, caller.project_ids)
        version = self._memory.version(caller.project_ids)
        known = self._memory.given_context(*whose, version) if resumed else None
        if known is not None:
            return known
        text = self.text(caller, project_name)
        try:
            self._memory.put_given_context(*whose, version, text)
        except StoreError as error:  # a full disk must not cost the session its context
            log.warning("what a session was given is not noted: %s", error)
        return text

    def _last_reply(self, caller: Caller) -> str:
        if not self._settings.flag("index_last_message"):
            return ""
        return self._memory.last_reply(
            caller.project_ids,
            host=caller.host,
            session=caller.session,
            most_chars=_REPLY_CHARS,
        )
