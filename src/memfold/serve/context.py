"""What a session is shown when it starts: the work state and the startup index, in one text."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from memfold.disclose.context import session_context
from memfold.disclose.gather import gather_index
from memfold.disclose.mode import Mode
from memfold.measure import Limit
from memfold.records import Caller
from memfold.settings import Settings
from memfold.store.ports import IndexSource, WorkLog
from memfold.workstate import section as work_state

_REPLY_CHARS = 8_000  # far more of a reply than the index shows
_REMEMBERED = 512  # sessions whose text is kept, for a resume that must not differ by a byte


class ContextDesk:
    """Renders the context and remembers what each session has been given."""

    def __init__(
        self,
        library: IndexSource,
        work: WorkLog,
        settings: Settings,
        clock: Callable[[], int],
        *,
        mode: Callable[[], Mode],
        limit: Callable[[str], Limit],
    ) -> None:
        """``clock``: Unix ms. ``mode``: the one in use; asked each time, as its file may change.
        ``limit``: what a host passes on.
        """
        self._library = library
        self._work = work
        self._settings = settings
        self._clock = clock
        self._mode = mode
        self._limit = limit
        self._given: OrderedDict[tuple[str, str], tuple[int, str]] = OrderedDict()
        self._lock = Lock()

    def text(self, caller: Caller, project_name: str) -> str:
        """Layers 0 and 1 as they stand now."""
        now_ms = self._clock()
        limit = self._limit(caller.host)
        section = work_state.section(self._work, caller.project_ids, now_ms, unit=limit.unit)
        view = gather_index(
            self._library,
            self._settings,
            project=project_name,
            project_ids=caller.project_ids,
            now_ms=now_ms,
            last_reply=self._last_reply(caller),
            mode=self._mode(),
        )
        return session_context(section, view, limit.most, unit=limit.unit).text

    def _last_reply(self, caller: Caller) -> str:
        if not self._settings.flag("index_last_message"):
            return ""
        return self._library.last_reply(
            caller.project_ids,
            host=caller.host,
            session=caller.session,
            most_chars=_REPLY_CHARS,
        )

    def at_session_start(self, caller: Caller, project_name: str, *, resumed: bool) -> str:
        """The text, and on resume the very text this session has, unless memory changed.

        A host adds a resumed session's context again when it differs by a byte.
        """
        key = (caller.host, caller.session)
        version = self._library.version(caller.project_ids)
        with self._lock:
            known = self._given.get(key)
        if resumed and known is not None and known[0] == version:
            return known[1]
        text = self.text(caller, project_name)
        with self._lock:
            self._given[key] = (version, text)
            self._given.move_to_end(key)
            while len(self._given) > _REMEMBERED:
                self._given.popitem(last=False)
        return text
