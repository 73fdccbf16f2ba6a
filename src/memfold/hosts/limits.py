"""How much a host passes on of what its SessionStart hook prints.

Source: the real binaries. Claude Code 2.1.332 counts UTF-16 units and replaces what is longer by a
short preview; Codex 0.171.0 counts bytes of UTF-8 and cuts the middle out; Gemini CLI 0.61.0 and
Qwen Code 0.24.4 passed 100,000 and 60,000 characters whole. See
docs/decisions/0015-one-session-start-hook.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memfold.measure import Limit

BUDGET = Limit(10_000)  # our own, where a host has no limit: an index is no place for more


@dataclass(frozen=True, slots=True)
class HostLimit:
    """What one host does: ``none`` where nothing was ever cut."""

    unit: Literal["utf16", "utf8", "none"]
    most: int = 0

    def budget(self) -> Limit:
        """What we keep to."""
        return BUDGET if self.unit == "none" else Limit(self.most, self.unit)


HOST_LIMITS: Mapping[str, HostLimit] = {
    "claude-code": HostLimit("utf16", 10_000),
    "codex": HostLimit("utf8", 10_000),
    "gemini-cli": HostLimit("none"),
    "qwen-code": HostLimit("none"),
}
# Of the hosts not measured yet: no text has fewer bytes than units, so this is within both.
STRICTEST = HostLimit("utf8", 10_000)


def session_start_limit(host: str) -> Limit:
    """What a session of this host may be shown at its start. Any name is answered."""
    return HOST_LIMITS.get(host, STRICTEST).budget()
