"""Why an observation is as it is: its rules, its sentence, its tool uses, what was left out."""

from __future__ import annotations

from typing import Any

from memfold.observe.builtin.calls import in_a_line
from memfold.observe.builtin.judged import lessons
from memfold.records import Caller
from memfold.serve.own_observation import own_observation
from memfold.store.ports import Library

MOST_USES = 40


def why(library: Library, given: str, caller: Caller) -> dict[str, Any]:
    """Keys: id, title, type, observer, rules, said, tool_uses, tool_uses_more, retired, times,
    superseded_by. ``tool_uses``: id, line, and what it teaches nothing by, '' where it may.

    Raises InvalidInput (no id of an observation), NotFound (not there, or another project's).
    """
    entry = own_observation(library, given, caller, "are made by rules")
    (details,) = library.details([("observation", entry.id, entry.project_id)])
    assert details.observation is not None  # noqa: S101  # asked for as one
    draft = details.observation.draft
    uses = library.tool_uses(details.evidence, caller.project_ids)
    judged = lessons(uses)
    return {
        "id": entry.id,
        "title": draft.title,
        "type": draft.type,
        "observer": draft.observer,
        "agent": draft.agent,
        "rules": [line for line in draft.reason.split("\n") if line],
        "said": draft.said,
        "tool_uses": [
            {"id": use.id, "line": in_a_line(use), "teaches_nothing": judged[use.id]}
            for use in uses[:MOST_USES]
        ],
        "tool_uses_more": max(len(uses) - MOST_USES, 0),
        "retired": details.evidence_retired,
        "times": details.observation.seen_count,
        "superseded_by": entry.superseded_by,
    }
