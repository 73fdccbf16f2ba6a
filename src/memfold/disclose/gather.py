"""What the startup index shows: recent entries, near duplicates once, freshness, settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from memfold.disclose.freshness import Freshness, Sums
from memfold.disclose.index import IndexView
from memfold.disclose.mode import Mode, load_mode
from memfold.disclose.times import zone_of
from memfold.records import Entry, Summary
from memfold.settings import Settings
from memfold.store.ports import MOST_PINS, IndexSource, Library

_WORDS = re.compile(r"\w+")
_ALIKE = 0.85  # share of words two titles must have in common
_MIN_WORDS = 4  # shorter titles are duplicates only when equal


def gather_index(
    library: IndexSource,
    settings: Settings,
    *,
    project: str,
    project_ids: Sequence[int],
    now_ms: int,
    last_reply: str = "",
    mode: Mode | None = None,
    known: Sums | None = None,
) -> IndexView:
    """The view to render. ``last_reply``: shown when the setting asks for it.

    ``mode``: the one to show it in; without, the shipped one that the settings name.
    ``known``: checksums of files from earlier views.
    """
    wanted = settings.number("index_observations")
    mode = mode or load_mode(settings.text("mode"))
    types = mode.type_ids(settings.names("index_types"))
    concepts = mode.concept_ids(settings.names("index_concepts"))
    pinned = library.pinned(project_ids, MOST_PINS)  # whatever the settings leave out
    # Twice as many, so that duplicates do not leave the table short.
    most = wanted * 2 + len(pinned)
    found = library.recent(project_ids, "observation", most, types=types, concepts=concepts)
    once = once_each(found, pinned)
    pinned, observations = once[: len(pinned)], once[len(pinned) :][:wanted]
    newest_ms = max((one.at_ms for one in (*found[:1], *pinned[:1])), default=None)
    listed = settings.number("index_summaries")
    last = library.recent(project_ids, "summary", max(listed, 1))
    summaries = last[:listed]
    full = settings.number("index_full")
    nothing = not (observations or pinned or summaries)
    return IndexView(
        project=project,
        now_ms=now_ms,
        zone=zone_of(settings.text("timezone")),
        mode=mode,
        observations=observations,
        pinned=pinned,
        summaries=summaries,
        full=_full_texts(library, observations[:full], settings.text("index_full_field")),
        last_summary=_last_summary(library, newest_ms, last)
        if settings.flag("index_last_summary")
        else None,
        last_reply=last_reply if settings.flag("index_last_message") else "",
        has_prompts=nothing and bool(library.recent(project_ids, "prompt", 1)),
        totals=library.totals(project_ids),
        stale=stale_marks((*pinned, *observations), known),
        show_read_tokens=settings.flag("index_read_tokens"),
        show_work_tokens=settings.flag("index_work_tokens"),
        show_savings_amount=settings.flag("index_savings_amount"),
        show_savings_percent=settings.flag("index_savings_percent"),
    )


def once_each(entries: Sequence[Entry], pinned: Sequence[Entry] = ()) -> tuple[Entry, ...]:
    """All that is pinned, then the others newest first, each title once.

    Of near duplicates the newest stands for all, with their count; a pinned one before any other.
    """
    kept: list[Entry] = []
    # Only titles of one type with the same numbers can be one fact: versions make them two.
    alike: dict[tuple[str, frozenset[str]], list[tuple[int, list[str], frozenset[str]]]] = {}
    ids = {entry.id for entry in pinned}
    for entry in (*pinned, *(one for one in entries if one.id not in ids)):
        words = _WORDS.findall(entry.title.casefold())
        distinct = frozenset(words)
        numbers = frozenset(word for word in distinct if not word.isalpha())
        known = alike.setdefault((entry.type, numbers), [])
        for at, its_words, its_distinct in known if entry.id not in ids else ():
            if (words and words == its_words) or _near(distinct, its_distinct):
                both = kept[at].seen_count + entry.seen_count
                kept[at] = replace(kept[at], seen_count=both)
                break
        else:
            known.append((len(kept), words, distinct))
            kept.append(entry)
    return tuple(kept)


def stale_marks(entries: Sequence[Entry], known: Sums | None = None) -> Mapping[str, str]:
    """ref -> ``changed`` or ``gone`` for the entries whose files all have."""
    freshness = Freshness(known)
    found = ((entry.ref, freshness.marks(entry.files, entry.cwd)) for entry in entries)
    return {ref: mark for ref, mark in found if mark}


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    fewer, more = sorted((len(one), len(other)))
    if fewer < _MIN_WORDS or fewer < _ALIKE * more:
        return False
    return len(one & other) >= _ALIKE * len(one | other)


def _full_texts(library: Library, entries: Sequence[Entry], field: str) -> Mapping[int, str]:
    if not entries:
        return {}
    refs = [(entry.kind, entry.id, entry.project_id) for entry in entries]
    texts = {}
    for details in library.details(refs):
        if details.observation is not None:
            draft = details.observation.draft
            facts = "\n".join(f"- {fact}" for fact in draft.facts)
            text = facts if field == "facts" else draft.narrative
            if text.strip():
                texts[details.entry.id] = text
    return texts


def _last_summary(
    library: Library, newest_ms: int | None, summaries: Sequence[Entry]
) -> Summary | None:
    """The latest, if nothing has been observed since."""
    if not summaries:
        return None
    newest = summaries[0]
    if newest_ms is not None and newest_ms > newest.at_ms:
        return None
    found = library.details([(newest.kind, newest.id, newest.project_id)])
    return found[0].summary if found else None
