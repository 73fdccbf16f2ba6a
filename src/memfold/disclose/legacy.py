"""``search``, ``timeline`` and ``get_observations``: the older way, over the same library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memfold.disclose.details import render_details
from memfold.disclose.freshness import Freshness
from memfold.disclose.mode import Mode
from memfold.disclose.refs import kind_and_id, whole_number
from memfold.disclose.search.dates import moment_ms
from memfold.disclose.search.render import FRAME, Lines, counted
from memfold.disclose.search.request import MAX_QUERY_BYTES, MAX_QUERY_CHARS
from memfold.display import one_line
from memfold.errors import InvalidInput, NotFound
from memfold.measure import cut_utf8, utf8_bytes
from memfold.records import Caller, Details, Entry, SearchFilters, ToolReply
from memfold.store.names import seen_projects
from memfold.store.ports import Library, ProjectBook

MAX_REPLY_BYTES = 64 * 1024
MAX_IDS = 50
_OLDER = "This is the older way; mem_search says what each step costs and finds more."


class Legacy:
    """The three tools over one store."""

    def __init__(
        self, library: Library, projects: ProjectBook, clock: Callable[[], int], mode: Mode
    ) -> None:
        self._library = library
        self._projects = projects
        self._clock = clock
        self._mode = mode

    def search(self, args: Mapping[str, Any], caller: Caller) -> ToolReply:
        """An index of matching entries."""
        _refuse_unknown(
            "search",
            args,
            ("query", "limit", "offset", "project", "obs_type", "dateStart", "dateEnd"),
        )
        query = _query(args.get("query"))
        limit = whole_number(args.get("limit", 20), "limit", 1, 100)
        offset = whole_number(args.get("offset", 0), "offset", 0, 1_000)
        now_ms = self._clock()
        start, end = _text(args, "dateStart"), _text(args, "dateEnd")
        type_names = [one.strip() for one in _text(args, "obs_type").split(",") if one.strip()]
        filters = SearchFilters(
            types=self._mode.type_ids(type_names),
            since_ms=moment_ms(start, "dateStart", now_ms) if start else None,
            until_ms=moment_ms(end, "dateEnd", now_ms, end=True) if end else None,
        )
        seen = seen_projects(self._projects, caller, _text(args, "project"))
        found = self._library.search(seen, query, limit + offset, filters)[offset:]
        about = f'"{one_line(query, 200)}"'
        if not found:
            return ToolReply(f"Nothing matches {about}. Try mem_search with other words.")
        head = f"{counted(len(found))} for {about}. {FRAME} {_OLDER}"
        return self._listing(head, found, args, caller)

    def timeline(self, args: Mapping[str, Any], caller: Caller) -> ToolReply:
        """What happened around one entry, given by id or as the best match of a query."""
        _refuse_unknown(
            "timeline", args, ("anchor", "query", "depth_before", "depth_after", "project")
        )
        before = whole_number(args.get("depth_before", 3), "depth_before", 0, 20)
        after = whole_number(args.get("depth_after", 3), "depth_after", 0, 20)
        seen = seen_projects(self._projects, caller, _text(args, "project"))
        if args.get("anchor") is not None:
            kind, number = kind_and_id(args["anchor"], "anchor")
            anchor = self._library.find(kind, number)
            if anchor is None or (seen is not None and anchor.project_id not in seen):
                raise NotFound(f"There is no entry {str(args['anchor'])[:20]} here.")
        else:
            found = self._library.search(seen, _query(args.get("query")), 1)
            if not found:
                return ToolReply("Nothing matches. Try mem_search with other words.")
            anchor = found[0]
        near = self._library.around(anchor, before, after)
        head = f"{counted(len(near))} around [{anchor.ref}], oldest first. {FRAME} {_OLDER}"
        return self._listing(head, near, args, caller)

    def get_observations(self, args: Mapping[str, Any], caller: Caller) -> ToolReply:
        """Full text of entries by id."""
        _refuse_unknown("get_observations", args, ("ids", "limit", "project"))
        given = args.get("ids")
        if not isinstance(given, list | tuple) or not 1 <= len(given) <= MAX_IDS:
            raise InvalidInput(f"`ids` must be a list of 1 to {MAX_IDS} ids.", "Such as [41].")
        limit = whole_number(args.get("limit", MAX_IDS), "limit", 1, MAX_IDS)
        refs = list(dict.fromkeys(kind_and_id(one, "ids") for one in given))[:limit]
        seen = seen_projects(self._projects, caller, _text(args, "project"))
        found = []
        for kind, number in refs:
            entry = self._library.find(kind, number)
            if entry is not None and (seen is None or entry.project_id in seen):
                found.append(entry)
        details = self._library.details([(one.kind, one.id, one.project_id) for one in found])
        if not details:
            raise NotFound("None of these ids is an entry of this project.")
        return self._full(details, len(refs) - len(details))

    def _full(self, details: Sequence[Details], missing: int) -> ToolReply:
        head = f"{counted(len(details))}. {FRAME}"
        if missing:
            head += f" {missing} not there or of another project."
        freshness = Freshness()
        parts = [head]
        shown: list[Entry] = []
        room = MAX_REPLY_BYTES - utf8_bytes(head) - 200
        for one in details:
            entry = one.entry
            mark = freshness.marks(entry.files, entry.cwd)
            text = render_details(one, self._mode, mark, None)
            if utf8_bytes(text) + 1 > room:
                if shown:
                    left = ", ".join(rest.entry.ref for rest in details[len(shown) :])
                    parts.append(f"[no room for {left}: ask for them in another call]")
                    break
                text = cut_utf8(text, room) + "\n[cut: this entry is longer than a reply can be]"
            parts.append(text)
            shown.append(entry)
            room -= utf8_bytes(text) + 1
        return ToolReply("\n".join(parts), tuple(shown))

    def _listing(
        self, head: str, entries: Sequence[Entry], args: Mapping[str, Any], caller: Caller
    ) -> ToolReply:
        freshness = Freshness()
        marks = {one.ref: freshness.marks(one.files, one.cwd) for one in entries}
        own = caller.project.name if caller.project is not None else ""
        asked = _text(args, "project")
        named = own if asked in ("", "*") else asked
        lines = Lines(self._mode, named, {ref: mark for ref, mark in marks.items() if mark})
        text = "\n".join([head, *(lines.line(entry) for entry in entries)])
        return ToolReply(text, tuple(entries))


def _refuse_unknown(tool: str, args: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = sorted(str(name) for name in args if name not in known)
    if unknown:
        raise InvalidInput(
            f"{tool} has no argument `{unknown[0][:60]}`.", f"It takes {', '.join(known)}."
        )


def _query(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput("`query` must be a text.", "Give 1 to 500 characters to look for.")
    query = value.encode("utf-8", "replace").decode("utf-8").strip()
    if not 1 <= len(query) <= MAX_QUERY_CHARS or utf8_bytes(query) > MAX_QUERY_BYTES:
        raise InvalidInput(
            f"`query` is {len(query)} characters.", "Give 1 to 500 characters to look for."
        )
    return query


def _text(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(f"`{name}` must be a text, not {repr(value)[:40]}.")
    return value.strip()
