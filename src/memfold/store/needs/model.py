"""What waits for a model observer, what its calls cost, and observations that are said anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memfold.records import Draft, Observation, Turn


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One row of the ledger."""

    id: int
    at_ms: int
    model: str
    purpose: str  # observe, repair
    tokens_in: int  # estimated while the call is open
    tokens_out: int
    cost_micro_usd: int
    outcome: str  # open, ok, or the code of what went wrong
    detail: str = ""  # one sentence; never a key, never what was sent
    quiet_until_ms: int = 0  # nothing is to be sent before


@dataclass(frozen=True, slots=True)
class Spent:
    """Since some moment; a call that never settled counts as estimated."""

    tokens: int = 0
    micro_usd: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """An observation that stands on a turn."""

    observation: Observation  # its evidence is filled in
    shared: bool  # it stands on other turns too, or was met more than once


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What a turn taught, said anew."""

    turn_id: int
    changed: Mapping[int, Draft]  # observation id -> what it says from now on
    added: Sequence[Draft] = ()


class ModelDesk(Protocol):
    """Work for a model: a query over what is stored, so that a crash loses none."""

    def wait_for_model(self, turn_id: int, due_ms: int) -> None:
        """The turn is to be shown to a model, not before ``due_ms``. Said again: the earlier."""
        ...

    def free_leases(self, now_ms: int, *, every: bool, most_attempts: int) -> None:
        """Turns whose lease has run out wait again; ``every``: whoever held any is gone.

        One that had ``most_attempts`` is failed instead.
        """
        ...

    def due_for_model(self, now_ms: int, limit: int) -> tuple[int, ...]:
        """Turns that wait, of one session that has a due one, in order; observed ones only."""
        ...

    def next_due_ms(self) -> int | None:
        """When the next turn is due or a lease runs out; None where nothing waits."""
        ...

    def lease(self, turn_ids: Sequence[int], until_ms: int) -> None:
        """A request is about to be made for these; each has one attempt more."""
        ...

    def postpone(self, turn_ids: Sequence[int], due_ms: int, trouble: str, *, counts: bool) -> None:
        """Leased turns wait again, not before ``due_ms``; ``counts``: the attempt was theirs."""
        ...

    def end_model_turns(self, turn_ids: Sequence[int], trouble: str = "") -> None:
        """Nothing more is asked about these: done, or failed where there is a ``trouble``."""
        ...

    def model_attempts(self, turn_id: int) -> int: ...

    def model_queue(self) -> Mapping[str, int]:
        """waiting, leased, done, failed -> turns."""
        ...

    def open_call(self, call: ModelCall) -> int:
        """A row of the ledger with the most it may cost; its id, once it is on the disk."""
        ...

    def settle_call(self, call: ModelCall) -> None: ...

    def spent_since(self, since_ms: int) -> Spent: ...

    def model_calls(self, limit: int) -> tuple[ModelCall, ...]:
        """Newest first."""
        ...


class Rewriting(Protocol):
    """Observations over stored evidence, made again. No id is ever lost or given to another."""

    def whole_turn(self, turn_id: int) -> Turn | None:
        """The turn with all that is kept of it; None for a private or forgotten one."""
        ...

    def known_of(self, turn: Turn) -> tuple[Known, ...]:
        """Observations that stand on the turn, oldest first."""
        ...

    def rewrite(
        self,
        rewrites: Sequence[Rewrite],
        *,
        model_done: bool = False,
        observer: str = "",
        forgettings: int | None = None,
    ) -> tuple[int, ...]:
        """Say these anew in one transaction; ids of observations that were changed or added.

        ``model_done``: the turns no longer wait for a model. ``observer``: they have been through
        that one, and ``to_reobserve`` leaves them out. A turn that became private meanwhile and an
        observation that is gone are left out. ``forgettings``: how often something had been
        forgotten when the turns were read; where it was once more meanwhile, nothing is done.
        """
        ...

    def forgettings(self) -> int:
        """How often something was forgotten: what was read before the last time may be gone."""
        ...

    def to_reobserve(
        self,
        since_ms: int,
        project_id: int | None,
        observer: str,
        limit: int,
        after: Turn | None = None,
    ) -> tuple[int, ...]:
        """Observed turns from ``since_ms`` on that ``observer`` has not been through, oldest first.

        ``after``: only later ones. A session that has lost evidence by age is left alone.
        """
        ...

    def count_to_reobserve(self, since_ms: int, project_id: int | None, observer: str) -> int: ...

    def forget_reobserved(self) -> None:
        """Every turn may be gone through again."""
        ...
