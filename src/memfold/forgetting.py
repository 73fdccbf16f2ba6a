"""What `memfold forget` does: rows, index and vectors, and every file that may hold a copy."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from memfold.disclose.refs import MAX_ID, kind_and_id
from memfold.disclose.search.dates import moment_ms
from memfold.errors import InvalidInput
from memfold.records import Project
from memfold.store.needs.forgetting import FOREVER_MS, ForgetCount, Forgetting, Scope

log = logging.getLogger(__name__)
TEXT_CHARS = (3, 1_000)  # of a text that is looked for
MOST_IDS = 1_000
_TOOL_USE = "T"
_WISHES = {"project", "session", "since", "until", "text", "ids", "dry_run"}


class Clearable(Protocol):
    """Something that holds copies and can let go of all of them."""

    def clear(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Workshop:
    """What a run needs of the house around it."""

    take_in: Callable[[], None]  # what waits in the spool is stored
    paused: Callable[[], AbstractContextManager[None]]  # nothing is observed meanwhile
    summarise: Callable[[], None]  # sessions that lost their summary get another
    project_named: Callable[[str], Project]
    traces: Callable[[int], tuple[str, ...]]  # directories by which a project is known
    forget_places: Callable[[], None]  # which project a directory belongs to


class Forgetter:
    """Forgets for one data directory."""

    def __init__(
        self,
        home: Path,
        store: Forgetting,
        copies: Sequence[Clearable],
        workshop: Workshop,
        clock: Callable[[], int],
    ) -> None:
        self._home = home
        self._store = store
        self._copies = copies
        self._workshop = workshop
        self._clock = clock

    def run(self, wish: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Progress lines ``{"doing"}``, then ``{"result": ...}`` with a count a kind.

        With ``dry_run`` nothing changes. Raises InvalidInput, NotFound, StoreError.
        """
        now_ms = self._clock()
        scope, dry_run = self._scope(wish, now_ms), wish.get("dry_run", False)
        if not isinstance(dry_run, bool):
            raise InvalidInput("`dry_run` must be true or false.")
        yield {"doing": "waiting for what is being taken in"}
        self._workshop.take_in()
        set_aside = [path for path in self._set_aside() if self._fits(path, scope)]
        backups = self._backups()
        if dry_run:
            count = self._store.forget(scope, now_ms, dry_run=True)
            yield {"result": _told(count, len(set_aside), len(backups), dry_run=True)}
            return
        yield {"doing": "removing"}
        for path in set_aside:
            path.unlink(missing_ok=True)
        with self._workshop.paused():
            count = self._store.forget(scope, now_ms, dry_run=False)
        if count:
            self._workshop.forget_places()
            self._workshop.summarise()
            yield {"doing": "rewriting the database"}
            self.sweep()
            log.info("forgot %s", {name: n for name, n in asdict(count).items() if n})
        yield {"result": _told(count, len(set_aside), len(backups), dry_run=False)}

    def sweep(self) -> None:
        """Take what was forgotten out of copies and free pages; again after a run broken off."""
        for copy in self._copies:
            copy.clear()
        for path in self._backups():
            path.unlink(missing_ok=True)
        self._store.sweep()

    def finish(self) -> None:
        """End what an earlier daemon began."""
        if self._store.is_unswept():
            self.sweep()

    def _backups(self) -> list[Path]:
        """Copies of the database. What a host's files were before an install lies there too."""
        return sorted(path for path in (self._home / "backups").glob("memfold*") if path.is_file())

    def _set_aside(self) -> list[Path]:
        return sorted(path for path in (self._home / "spool" / "bad").glob("*") if path.is_file())

    def _fits(self, path: Path, scope: Scope) -> bool:
        """Whether an event that could not be read may be one of those meant: by its bytes."""
        if scope.by_id:
            return False
        body = path.read_bytes()
        if scope.project_ids:
            places = [one for i in scope.project_ids for one in self._workshop.traces(i)]
            if not any(place.encode("utf-8", "replace") in body for place in places):
                return False
        if scope.session and scope.session.encode("utf-8", "replace") not in body:
            return False
        if scope.text and scope.text.casefold() not in body.decode("utf-8", "replace").casefold():
            return False
        stamp = path.name[:20]
        at_ms = int(stamp) // 1_000_000 if stamp.isdigit() else scope.since_ms
        return scope.since_ms <= at_ms <= scope.until_ms

    def _scope(self, wish: Mapping[str, Any], now_ms: int) -> Scope:
        unknown = sorted(set(wish) - _WISHES)
        if unknown:
            raise InvalidInput(f"There is no {unknown[0]!r} to forget by.")
        ids = _ids(wish.get("ids") or [])
        project, session, since, until, text = (
            _text(wish, name) for name in ("project", "session", "since", "until", "text")
        )
        narrowing = any((project, session, since, until, text))
        if ids and narrowing:
            raise InvalidInput(
                "Ids stand alone: they name exactly what goes.", "Give ids, or the other options."
            )
        if not ids and not narrowing:
            raise InvalidInput(
                "It is not said what to forget.",
                "Give a project, a session, a time, a text or ids.",
            )
        if text and not TEXT_CHARS[0] <= len(text) <= TEXT_CHARS[1]:
            raise InvalidInput(
                f"The text has {len(text):,} characters.",
                f"Give {TEXT_CHARS[0]} to {TEXT_CHARS[1]:,}.",
            )
        since_ms = max(moment_ms(since, "since", now_ms), 0) if since else 0
        until_ms = moment_ms(until, "until", now_ms, end=True) if until else FOREVER_MS
        if since_ms > until_ms:
            raise InvalidInput("`since` is later than `until`.", "Swap them.")
        return Scope(
            project_ids=(self._workshop.project_named(project).id,) if project else (),
            session=session,
            since_ms=since_ms,
            until_ms=until_ms,
            text=text,
            **ids,
        )


def _text(wish: Mapping[str, Any], name: str) -> str:
    value = wish.get(name) or ""
    if not isinstance(value, str):
        raise InvalidInput(f"`{name}` must be a text.")
    return value


def _ids(given: object) -> dict[str, Any]:
    """Ids by table: 41 observation, S7 summary, P12 prompt, T9 tool use. Raises InvalidInput."""
    if not isinstance(given, list) or len(given) > MOST_IDS:
        raise InvalidInput(f"`ids` must be a list of up to {MOST_IDS:,} ids.")
    found: dict[str, list[int]] = {}
    tables = {"observation": "observations", "summary": "summaries", "prompt": "prompts"}
    for one in given:
        text = str(one).strip().strip("[]#").upper()
        number = text.removeprefix(_TOOL_USE)
        if text.startswith(_TOOL_USE) and number.isascii() and number.isdigit():
            table, at = "tool_uses", int(number)
        else:
            try:
                kind, at = kind_and_id(one, "ids")
            except InvalidInput as error:
                raise InvalidInput(error.message, "Ids look like 41, S7, P12 or T9.") from error
            table = tables[kind]
        if at > MAX_ID:
            raise InvalidInput(f"`ids` holds {text[:20]!r}.", "Give the number that is shown.")
        found.setdefault(table, []).append(at)
    return {table: tuple(dict.fromkeys(numbers)) for table, numbers in found.items()}


def _told(count: ForgetCount, set_aside: int, backups: int, *, dry_run: bool) -> dict[str, Any]:
    removed = asdict(count) | {"spooled_events": set_aside, "backups": backups if count else 0}
    return {"dry_run": dry_run, "forgotten": removed, "anything": bool(count) or set_aside > 0}
