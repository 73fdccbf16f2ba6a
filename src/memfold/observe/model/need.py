"""Which turns a model is asked about: those of which the built-in observer made too little."""

from __future__ import annotations

from collections.abc import Sequence

from memfold.records import Draft, ToolUse, Turn

FEW_USES = 3  # a turn that changed nothing and has fewer is trivial
_THIN_CHARS = 120
_MANY_USES = 25  # for one observation


def needs_model(turn: Turn, drafts: Sequence[Draft]) -> bool:
    """Whether a model may say more: of a turn with tool uses that yielded nothing although it is
    not trivial, yielded only thin observations, or yielded one for a great many tool uses. Pure.
    """
    uses = [step for step in turn.steps if isinstance(step, ToolUse)]
    if not uses:
        return False
    if not drafts:
        telling = any(use.files_changed or not use.ok for use in uses)
        return telling or len(uses) >= FEW_USES
    return all(is_thin(draft) for draft in drafts) or len(uses) > _MANY_USES * len(drafts)


def is_thin(draft: Draft) -> bool:
    """A title with hardly anything behind it."""
    return len(draft.narrative) < _THIN_CHARS and len(draft.facts) < 2
