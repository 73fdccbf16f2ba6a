"""The queue of turns that wait for a model: leases, a daily budget, and waiting where asked to.

Everything is in the store. Killed at any moment, the next daemon frees the lease and makes that
one request again; the call that was under way stays in the ledger as it was estimated.
"""

from __future__ import annotations

import dataclasses
import logging
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from memfold import measure
from memfold.errors import MemfoldError
from memfold.observe.model.port import Answer, Model, ModelTrouble, Question
from memfold.observe.model.prices import Price
from memfold.observe.model.prompt import MOST_TURNS, Asked, Words
from memfold.observe.model.reply import Unusable, read_answer
from memfold.records import Draft, ToolUse
from memfold.store.ports import ModelCall, ModelDesk, Rewrite, Rewriting

log = logging.getLogger(__name__)
DAY_MS = 86_400_000
MOST_ATTEMPTS = 3
LEASE_MARGIN_MS = 60_000
_FIRST_WAIT_S, _LONGEST_WAIT_S = 30.0, 3_600.0
_SETTINGS_WAIT_S = 3_600.0  # where only a person can mend it
_BROKEN_WAIT_S = 60.0
_LOOK_CALLS = 20


class Desk(ModelDesk, Rewriting, Protocol):
    """What the worker needs of a store."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Of one day (UTC). Nothing is sent that could go beyond."""

    tokens: int
    micro_usd: int


class ModelWorker:
    """Asks one model about what waits, a batch at a time, on a thread of its own."""

    def __init__(
        self,
        desk: Desk,
        model: Model,
        *,
        budget: Budget,
        price: Price | None,
        words: Callable[[], Words],
        scrub: Callable[[str], str],
        read_tokens: Callable[[Draft], int],
        clock: Callable[[], int],
        timeout_s: float = 120.0,
        window_ms: int = 600_000,
        changed: Callable[[], None] = lambda: None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """``price`` None: not known, and then nothing is sent. ``changed``: memory shows more."""
        self.model = model
        self.budget = budget
        self.price = price
        self._desk = desk
        self._words = words
        self._scrub = scrub
        self._read_tokens = read_tokens
        self._clock = clock
        self._timeout_s = timeout_s
        self._window_ms = window_ms
        self._changed = changed
        self._chance = chance
        self._ended = threading.Event()
        self._awake = threading.Event()
        self._thread: threading.Thread | None = None

    def wait(self, turn_id: int, *, soon: bool = False) -> None:
        """The turn is to be shown to the model: with others of its session, or ``soon``."""
        self._desk.wait_for_model(turn_id, self._clock() + (0 if soon else self._window_ms))

    def start(self) -> None:
        """Take up what an earlier daemon left; its leases are nobody's now."""
        self._desk.free_leases(self._clock(), every=True, most_attempts=MOST_ATTEMPTS)
        self._thread = threading.Thread(target=self._loop, name="memfold-model", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Something new waits."""
        self._awake.set()

    def close(self) -> None:
        """End the call under way; its turns wait again."""
        self._ended.set()
        self._awake.set()
        self.model.cancel()
        if self._thread is not None:
            self._thread.join()

    def blocked(self) -> str:
        """Why nothing is sent now, in one sentence; '' where nothing stands in the way."""
        now_ms = self._clock()
        if self.price is None:
            return (
                f"No price is known for {self.model.name}: set observer_usd_in and "
                "observer_usd_out (US dollars for a million tokens)."
            )
        spent = self._desk.spent_since(_day(now_ms))
        if spent.tokens >= self.budget.tokens:
            return f"Today's budget of {self.budget.tokens:,} tokens is used up; it goes on tomorrow (UTC)."
        priced = self.price.usd_in or self.price.usd_out
        if priced and spent.micro_usd >= self.budget.micro_usd:
            usd = self.budget.micro_usd / 1e6
            return f"Today's budget of ${usd:.2f} is used up; it goes on tomorrow (UTC)."
        last = self._last()
        if last is not None and last.quiet_until_ms > now_ms:
            seconds = (last.quiet_until_ms - now_ms) / 1000
            return f"{last.detail} The next call is in {seconds / 60:.0f} minutes."
        return ""

    def step(self) -> float | None:
        """At most one batch. Seconds until the next look; None until something new waits."""
        now_ms = self._clock()
        self._desk.free_leases(now_ms, every=False, most_attempts=MOST_ATTEMPTS)
        asked = self._batch(now_ms)
        if asked is None:
            due = self._desk.next_due_ms()
            return None if due is None else max((due - now_ms) / 1000, 1.0)
        question = asked.question(self._timeout_s)
        wait_s = self._must_wait(question, now_ms)
        if wait_s is not None:
            return wait_s
        ids = [turn.id for turn in asked.turns]
        until = now_ms + int(self._timeout_s * 2_000) + LEASE_MARGIN_MS
        self._desk.lease(ids, until)
        self._ask_about(asked, question, ids)
        return 0.0

    def _loop(self) -> None:
        while not self._ended.is_set():
            self._awake.clear()
            try:
                wait_s = self.step()
            except MemfoldError as error:
                log.warning("model observer: %s", error.code)
                wait_s = _BROKEN_WAIT_S
            except Exception:
                # The batch's lease runs out by itself; the built-in observations stand meanwhile.
                log.exception("the model observer failed")
                wait_s = _BROKEN_WAIT_S
            if wait_s != 0.0:
                self._awake.wait(wait_s)

    def _batch(self, now_ms: int) -> Asked | None:
        """The next turns to ask about. Those that are no more, or hold no tool use, are done."""
        while ids := self._desk.due_for_model(now_ms, MOST_TURNS):
            asked = Asked(self._words(), self._desk.forgettings())
            gone = []
            for turn_id in ids:
                turn = self._desk.whole_turn(turn_id)
                if turn is None or not any(isinstance(step, ToolUse) for step in turn.steps):
                    gone.append(turn_id)
                elif not asked.add(turn, self._desk.known_of(turn)):
                    break
            if gone:
                self._desk.end_model_turns(gone)
            if asked.turns:
                return asked
        return None

    def _must_wait(self, question: Question, now_ms: int) -> float | None:
        last = self._last()
        if last is not None and last.quiet_until_ms > now_ms:
            return (last.quiet_until_ms - now_ms) / 1000
        if self.price is None:
            return _SETTINGS_WAIT_S
        tokens_in = _tokens_in(question)
        spent = self._desk.spent_since(_day(now_ms))
        tokens = spent.tokens + tokens_in + question.max_output_tokens
        cost = self.price.micro_usd(tokens_in, question.max_output_tokens)
        over = tokens > self.budget.tokens
        if over or (cost and spent.micro_usd + cost > self.budget.micro_usd):
            return (_day(now_ms) + DAY_MS - now_ms) / 1000 + 1.0
        return None

    def _ask_about(self, asked: Asked, question: Question, ids: list[int]) -> None:
        try:
            answer = self._call(question, "observe")
            try:
                rewrites = self._read(answer, asked)
            except Unusable as wrong:
                repair = asked.question(self._timeout_s, (answer.text, str(wrong)))
                if self._must_wait(repair, self._clock()) is not None:
                    raise
                rewrites = self._read(self._call(repair, "repair"), asked)
        except Unusable as wrong:
            self._desk.end_model_turns(
                ids, self._scrub(f"The answer could not be used: {wrong}")[:500]
            )
            return
        except ModelTrouble as trouble:
            self._put_back(ids, trouble)
            return
        self._desk.rewrite(rewrites, model_done=True, forgettings=asked.forgettings)
        if self._desk.forgettings() != asked.forgettings:
            # The answer may tell of what was forgotten: it was dropped; what is left is asked again.
            self._desk.postpone(ids, self._clock(), "", counts=False)
        self._changed()

    def _read(self, answer: Answer, asked: Asked) -> list[Rewrite]:
        if answer.cut:
            raise Unusable("It was cut off at the limit of its length; say less.")
        found = read_answer(answer.text, asked, self.model.name, self._scrub)
        return [
            Rewrite(
                one.turn_id,
                {at: self._priced(draft) for at, draft in one.changed.items()},
                [self._priced(draft) for draft in one.added],
            )
            for one in found
        ]

    def _priced(self, draft: Draft) -> Draft:
        return replace(draft, read_tokens=self._read_tokens(draft))

    def _call(self, question: Question, purpose: str) -> Answer:
        """One call with its row in the ledger: the most it may cost first, then what it did."""
        price = self.price or Price(0.0, 0.0)
        tokens_in, tokens_out = _tokens_in(question), question.max_output_tokens
        most = price.micro_usd(tokens_in, tokens_out)
        name = self.model.name
        now_ms = self._clock()
        row = ModelCall(0, now_ms, name, purpose, tokens_in, tokens_out, most, "open")
        row = dataclasses.replace(row, id=self._desk.open_call(row))
        try:
            answer = self.model.ask(question)
        except ModelTrouble as trouble:
            # What a call that broke off has cost is not known: then it counts as estimated.
            known = trouble.code in {"rate_limited", "quota", "auth", "rejected"}
            self._settle(
                row,
                outcome=trouble.code,
                detail=trouble.message[:300],
                tokens=(0, 0, 0) if known else (tokens_in, tokens_out, most),
                quiet_ms=self._quiet_ms(trouble),
            )
            raise
        got = (answer.tokens_in or tokens_in, answer.tokens_out or measure.tokens(answer.text))
        cost = answer.cost_micro_usd
        self._settle(
            row,
            outcome="ok",
            detail="",
            tokens=(*got, price.micro_usd(*got) if cost is None else cost),
            quiet_ms=0,
        )
        return answer

    def _settle(
        self,
        row: ModelCall,
        *,
        outcome: str,
        detail: str,
        tokens: tuple[int, int, int],
        quiet_ms: int,
    ) -> None:
        tokens_in, tokens_out, cost = tokens
        self._desk.settle_call(
            dataclasses.replace(
                row,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                cost_micro_usd=cost,
                outcome=outcome,
                detail=detail,
                quiet_until_ms=self._clock() + quiet_ms if quiet_ms else 0,
            )
        )

    def _put_back(self, ids: list[int], trouble: ModelTrouble) -> None:
        """Never dropped for what is not the turns' fault; three times at most for what may be."""
        if self._ended.is_set():
            self._desk.postpone(ids, self._clock(), "", counts=False)
            return
        log.warning("model observer: %s", trouble.code)
        spent: list[int] = []
        left: list[int] = []
        for turn_id in ids:
            tried_out = self._desk.model_attempts(turn_id) >= MOST_ATTEMPTS
            (spent if trouble.turns_fault and tried_out else left).append(turn_id)
        self._desk.end_model_turns(spent, trouble.message)
        self._desk.postpone(left, self._clock(), trouble.message, counts=trouble.turns_fault)

    def _quiet_ms(self, trouble: ModelTrouble) -> int:
        """How long to be silent: as asked, else twice as long each time, with chance in it."""
        if self._ended.is_set():
            return 0
        if trouble.retry_after_s is not None:
            asked_s = max(trouble.retry_after_s, 1.0)
            return int(asked_s * 1000 * (1.0 + 0.1 * self._chance()))
        if trouble.code in {"auth", "rejected", "quota"}:
            return int(_SETTINGS_WAIT_S * 1000)
        failed = 0
        for call in self._desk.model_calls(_LOOK_CALLS):
            if call.outcome == "ok":
                break
            failed += call.outcome not in {"open"}
        longest = min(_FIRST_WAIT_S * 2**failed, _LONGEST_WAIT_S)
        return int(longest * (0.5 + 0.5 * self._chance()) * 1000)

    def _last(self) -> ModelCall | None:
        """The newest call, where it was made to this model."""
        calls = self._desk.model_calls(1)
        return calls[0] if calls and calls[0].model == self.model.name else None


def _day(now_ms: int) -> int:
    return now_ms - now_ms % DAY_MS


def _tokens_in(question: Question) -> int:
    text = "\n".join([question.system, *(one.text for one in question.messages)])
    return measure.tokens(text) + measure.tokens(str(question.schema))
