"""What a call may cost, in millionths of a US dollar."""

from __future__ import annotations

from dataclasses import dataclass

from memfold.errors import InvalidInput

AS_OF = "2025-11"  # list prices then; the settings go before them
# US dollars for a million tokens: in, out. The first name that a model's begins with.
_LIST = (
    ("claude-haiku-4-5", 1.0, 5.0),
    ("claude-sonnet-4", 3.0, 15.0),
    ("claude-opus-4-5", 5.0, 25.0),
    ("claude-opus-4", 15.0, 75.0),
    ("haiku", 1.0, 5.0),
    ("sonnet", 3.0, 15.0),
    ("opus", 15.0, 75.0),
    ("gpt-5-nano", 0.05, 0.4),
    ("gpt-5-mini", 0.25, 2.0),
    ("gpt-5", 1.25, 10.0),
    ("gpt-4.1-nano", 0.1, 0.4),
    ("gpt-4.1-mini", 0.4, 1.6),
    ("gpt-4.1", 2.0, 8.0),
    ("gemini-2.5-flash-lite", 0.1, 0.4),
    ("gemini-2.5-flash", 0.3, 2.5),
    ("gemini-2.5-pro", 1.25, 10.0),
)


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

    The list goes first: what listens on this machine may hand on to a vendor that is paid.
    """
    if usd_in or usd_out:
        return Price(usd(usd_in or "0", "observer_usd_in"), usd(usd_out or "0", "observer_usd_out"))
    plain = model.rsplit("/", 1)[-1]
    listed = next((Price(a, b) for name, a, b in _LIST if plain.startswith(name)), None)
    return listed or (Price(0.0, 0.0) if local else None)


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
