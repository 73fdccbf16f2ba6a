"""One question to a model, its answer, and the ways in which it may fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec

Role = Literal["user", "assistant"]


class Message(msgspec.Struct, frozen=True):
    role: Role
    text: str


class Question(msgspec.Struct, frozen=True):
    """Everything a model gets."""

    system: str
    messages: tuple[Message, ...]  # the user's first and last
    schema: Mapping[str, Any]  # JSON Schema of the answer
    max_output_tokens: int = 4_000
    timeout_s: float = 120.0  # for all of it; the call does not take longer


class Answer(msgspec.Struct, frozen=True):
    text: str  # JSON, if the model did as it was told
    tokens_in: int = 0  # 0 where the server does not say
    tokens_out: int = 0
    cost_micro_usd: int | None = None  # None: by the price list
    cut: bool = False  # it ended at max_output_tokens


class Model(Protocol):
    """One model behind one server."""

    name: str  # "anthropic/claude-haiku-4-5": the ledger and observations say it

    def ask(self, question: Question) -> Answer:
        """Blocks until the answer is there. Raises ModelTrouble and nothing else."""
        ...

    def cancel(self) -> None:
        """End the call under way, from another thread; it raises. Later calls fail at once."""
        ...


class ModelTrouble(Exception):
    """A call that brought no answer. The text is one sentence and never holds a key."""

    code = "failed"
    turns_fault = False  # whether to ask once more about the same turns is a waste

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after_s = retry_after_s


class RateLimited(ModelTrouble):
    """Too many calls for now."""

    code = "rate_limited"


class QuotaSpent(ModelTrouble):
    """The account has no credit or its plan's allowance is used up."""

    code = "quota"


class AuthFailed(ModelTrouble):
    """No key, or one that is not accepted."""

    code = "auth"


class Rejected(ModelTrouble):
    """The server does not accept the call itself: an unknown model, a wrong address."""

    code = "rejected"


class TimedOut(ModelTrouble):
    """No whole answer in time."""

    code = "timeout"
    turns_fault = True


class ServerFailed(ModelTrouble):
    """The server failed, or the connection did."""

    code = "server"


class Refused(ModelTrouble):
    """The model will not answer this."""

    code = "refused"
    turns_fault = True


class BadReply(ModelTrouble):
    """What came back is no answer of that API, or too large."""

    code = "bad_reply"
    turns_fault = True
