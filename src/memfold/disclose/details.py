"""An entry in full, as step 3 of a search and ``get_observations`` show it; so also its price.

Stored text keeps its line breaks, but every further line is set in by two blanks: it can never
start a line and imitate a heading, an id or a cursor of ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfold.disclose.mode import NEUTRAL_SYMBOL, Mode
from memfold.disclose.times import utc_minute
from memfold.display import block, one_line
from memfold.measure import cut_utf8, tokens, utf8_bytes
from memfold.records import Details, Draft, Entry, FileMark, Observation, SummaryDraft

DETAIL_LIMIT_BYTES = 8 * 1024
_MAX_FILES = 20
_MAX_EVIDENCE = 20
_TITLE_BYTES = 480


def render_details(
    details: Details, mode: Mode, mark: str = "", limit_bytes: int | None = DETAIL_LIMIT_BYTES
) -> str:
    """Heading and labelled fields. Over the limit the text is halved until it fits, and says so.

    ``mark``: ``changed`` or ``gone``, of its files. ``limit_bytes`` None: never cut.
    """
    entry = details.entry
    head = f"### [{entry.ref}] {one_line(entry.title, _TITLE_BYTES)}{overtaken(entry)}"
    lines = [head, _project_line(entry, mode)]
    if mark:
        lines.append(
            f"Freshness: its files have {'changed' if mark == 'changed' else 'gone'} since."
        )
    if details.observation is not None:
        lines += _observation_lines(details.observation.draft)
        lines += _evidence_lines(details)
    elif details.summary is not None:
        lines += _summary_lines(details.summary.draft)
    elif details.prompt is not None:
        lines += _field("Text", details.prompt.text)
    return _within("\n".join(lines), entry.ref, limit_bytes)


def price_observation(draft: Draft) -> int:
    """Read tokens: what ``render_details`` of it would cost, before it has an id."""
    entry = _unfiled("observation", draft.title, draft.type, draft.at_ms)
    observation = Observation(0, "", 0, 0, draft, draft.at_ms)
    shown = Details(entry, observation=observation, evidence=draft.evidence)
    return tokens("\n".join(_lines_for_price(shown, _observation_lines(draft))))


def price_summary(draft: SummaryDraft) -> int:
    """Read tokens of a summary."""
    entry = _unfiled("summary", draft.request, "", draft.at_ms)
    return tokens("\n".join(_lines_for_price(Details(entry), _summary_lines(draft))))


def overtaken(entry: Entry) -> str:
    """What follows the title of an observation that a later one took back or overtook."""
    return "" if entry.superseded_by is None else f" (superseded by {entry.superseded_by})"


def _lines_for_price(details: Details, fields: Sequence[str]) -> list[str]:
    entry = details.entry
    head = f"### [{entry.ref}] {one_line(entry.title, _TITLE_BYTES)}"
    # Cut as the reply would be: the price of a long entry is that of what is shown.
    project = (
        f"Project: {entry.project} · {NEUTRAL_SYMBOL} {entry.type} · {utc_minute(entry.at_ms)}"
    )
    text = "\n".join([head, project, *fields, *_evidence_lines(details)])
    return [_within(text, entry.ref, DETAIL_LIMIT_BYTES)]


def _unfiled(kind: str, title: str, type_id: str, at_ms: int) -> Entry:
    # A project name and an id of usual length stand in for those it does not have yet.
    return Entry(
        kind=kind,  # type: ignore[arg-type]  # one of the three, from the functions above
        id=1000,
        project_id=0,
        project="a-project",
        session="",
        host="",
        title=title,
        type=type_id,
        at_ms=at_ms,
        read_tokens=0,
    )


def _project_line(entry: Entry, mode: Mode) -> str:
    what = f"{mode.symbol(entry.type)} {one_line(entry.type, 60)}" if entry.type else entry.kind
    return f"Project: {one_line(entry.project, 160)} · {what} · {utc_minute(entry.at_ms)}"


def _observation_lines(draft: Draft) -> list[str]:
    lines = [*_field("Subtitle", draft.subtitle), *_field("Narrative", draft.narrative)]
    facts = [one_line(fact, 2_000) for fact in draft.facts if fact.strip()]
    if facts:
        lines += ["Facts:", *(f"  - {fact}" for fact in facts)]
    return lines + _files_lines(draft.files_changed, draft.files_read)


def _summary_lines(draft: SummaryDraft) -> list[str]:
    lines = [line for label, text in summary_fields(draft) for line in _field(label, text)]
    return lines + _files_lines((), (), draft.files)


def summary_fields(draft: SummaryDraft) -> tuple[tuple[str, str], ...]:
    """(label, text) in the order they are read."""
    return (
        ("Investigated", draft.investigated),
        ("Learned", draft.learned),
        ("Completed", draft.completed),
        ("Next Steps", draft.next_steps),
    )


def _files_lines(
    changed: Sequence[FileMark], read: Sequence[str], named: Sequence[str] = ()
) -> list[str]:
    parts = []
    if changed:
        parts.append("changed " + _some([mark.path for mark in changed]))
    only_read = [path for path in read if path not in {mark.path for mark in changed}]
    if only_read:
        parts.append("read " + _some(only_read))
    if named:
        parts.append(_some(named))
    return [f"Files: {'; '.join(parts)}"] if parts else []


def _some(paths: Sequence[str]) -> str:
    shown = ", ".join(one_line(path) for path in paths[:_MAX_FILES])
    left = len(paths) - _MAX_FILES
    return f"{shown} and {left} more" if left > 0 else shown


def _evidence_lines(details: Details) -> list[str]:
    parts = []
    if details.evidence:
        ids = ", ".join(str(one) for one in details.evidence[:_MAX_EVIDENCE])
        left = len(details.evidence) - _MAX_EVIDENCE
        word = "tool use" if len(details.evidence) == 1 else "tool uses"
        parts.append(f"{word} {ids}{f' and {left} more' if left > 0 else ''} (get_tool_uses)")
    if details.evidence_retired:
        parts.append(f"{details.evidence_retired} retired by age")
    return [f"Evidence: {'; '.join(parts)}"] if parts else []


def _field(label: str, text: str) -> list[str]:
    """``Label: text``, further lines set in; nothing for an empty text."""
    shown = block(text).strip()
    return [f"{label}: " + "\n  ".join(shown.split("\n"))] if shown else []


def _within(text: str, ref: str, limit_bytes: int | None) -> str:
    if limit_bytes is None or utf8_bytes(text) <= limit_bytes:
        return text
    note = f'\n[cut; whole: get_observations ids=["{ref}"]]'
    size = utf8_bytes(text)
    while size + len(note) > limit_bytes:
        size //= 2
    return cut_utf8(text, size).rstrip() + note
