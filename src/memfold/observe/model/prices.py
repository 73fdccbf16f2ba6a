"""What a call may cost, in millionths of a US dollar.

Where the list comes from and when each part was looked up: docs/decisions/0019.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memfold.errors import InvalidInput

AS_OF = "2026-12"  # list prices then; the settings go before them
# US dollars for a million tokens: in, out, for requests as short as ours (under 100,000 tokens).
# A name is matched whole, but for a date at its end: the next model of a family has its own price.
_LIST = {
    "claude-haiku-5-5": (0.1, 0.5),
    "claude-haiku-4-5": (1.0, 5.0),
    "claude-sonnet-5-5": (2.0, 10.0),
    "claude-sonnet-5": (3.0, 15.0),  # $2 and $10 as an offer; its list price is this one
    "claude-sonnet-4-6": (3.0, 15.0),
    "claude-sonnet-4-5": (3.0, 15.0),
    "claude-sonnet-4": (3.0, 15.0),
    "claude-opus-5-5": (4.0, 20.0),
    "claude-opus-5": (5.0, 25.0),
    "claude-opus-4-8": (5.0, 25.0),
    "claude-opus-4-7": (5.0, 25.0),
    "claude-opus-4-6": (5.0, 25.0),
    "claude-opus-4-5": (5.0, 25.0),
    "claude-opus-4-1": (15.0, 75.0),
    "claude-opus-4": (15.0, 75.0),
    "claude-fable-5-1": (10.0, 50.0),
    "claude-fable-5": (10.0, 50.0),
    # What `claude` takes these for changes with its version: the dearest it has been.
    "haiku": (1.0, 5.0),
    "sonnet": (3.0, 15.0),
    "opus": (15.0, 75.0),
    "gpt-5.5": (5.0, 30.0),
    "gpt-5.4": (2.5, 15.0),
    "gpt-5.4-mini": (0.75, 4.5),
    "gpt-5.4-nano": (0.2, 1.25),
    "gpt-5.3-codex": (1.75, 14.0),
    "gpt-5.2": (1.75, 14.0),
    "gpt-5.2-codex": (1.75, 14.0),
    "gpt-5.1": (1.25, 10.0),
    "gpt-5": (1.25, 10.0),
    "gpt-5-mini": (0.25, 2.0),
    "gpt-5-nano": (0.05, 0.4),
    "gpt-4.1": (2.0, 8.0),
    "gpt-4.1-mini": (0.4, 1.6),
    "gpt-4.1-nano": (0.1, 0.4),
    "gemini-3.1-pro": (2.0, 12.0),
    "gemini-3.5-flash": (1.5, 9.0),
    "gemini-2.5-pro": (1.25, 10.0),
    "gemini-2.5-flash": (0.3, 2.5),
    "gemini-2.5-flash-lite": (0.1, 0.4),
}
_DATE = re.compile(r"[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|latest|preview)$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    usd_in: float
    usd_out: float

    def micro_usd(self, tokens_in: int, tokens_out: int) -> int:
        """Rounded up: a budget is never undercut by rounding."""
        return -int(-(tokens_in * self.usd_in + tokens_out * self.usd_out) // 1)


def price_of(model: str, *, local: bool, usd_in: str = "", usd_out: str = "") -> Price | None:
    """By the settings, else by the list, else nothing for a model on this machine; else None.

    None is never taken for free: a model without a price is not asked. The list goes before what is
    local: what listens on this machine may hand on to a vendor that is paid.
    """
    if usd_in or usd_out:
        return Price(usd(usd_in or "0", "observer_usd_in"), usd(usd_out or "0", "observer_usd_out"))
    plain = _DATE.sub("", model.rsplit("/", 1)[-1].lower())
    if plain.startswith("claude-"):  # routers write 4.5 for 4-5
        plain = plain.replace(".", "-")
    listed = _LIST.get(plain)
    if listed is not None:
        return Price(*listed)
    return Price(0.0, 0.0) if local else None


def usd(given: str, setting: str) -> float:
    """An amount of dollars. Raises InvalidInput."""
    try:
        amount = float(given)
    except ValueError:
        amount = -1.0
    if not 0 <= amount <= 100_000:
        raise InvalidInput(
            f"`{setting}` is {given[:40]!r}; it takes US dollars from 0 to 100000.",
            'Set it to a value such as "1.50".',
        )
    return amount
