"""The model observer joined to the rest: words of the mode, redaction, prices of reading."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memfold.backlog import Backlog, now_ms
from memfold.capture.redact import redact
from memfold.disclose.details import price_observation
from memfold.disclose.mode import Mode
from memfold.display import block
from memfold.observe.again import Again
from memfold.observe.builtin.observer import OBSERVER
from memfold.observe.model.prompt import Words
from memfold.observe.model.setup import set_up
from memfold.observe.model.worker import DAY_MS, ModelWorker
from memfold.settings import Settings
from memfold.store.ports import Store

_LOOKED_AT = 50  # calls, for the last failure


def model_worker(
    settings: Settings,
    home: Path,
    store: Store,
    *,
    mode: Callable[[], Mode],
    changed: Callable[[], None],
) -> ModelWorker | None:
    """The worker of the model that is set; None for the built-in observer. Raises InvalidInput."""
    found = set_up(settings, home)
    if found is None:
        return None
    return ModelWorker(
        store,
        found.model,
        budget=found.budget,
        price=found.price,
        words=lambda: _words(mode()),
        scrub=_scrub,
        read_tokens=price_observation,
        clock=now_ms,
        timeout_s=found.timeout_s,
        window_ms=found.window_ms,
        changed=changed,
    )


def reobserve(store: Store, backlog: Backlog, model: ModelWorker | None) -> Again:
    """A run of the present observer over what is stored."""
    run = Again(store, price_observation, now_ms, backlog.observing)
    if model is not None:
        run.model = model.model.name

        def ask(turn_id: int) -> None:
            model.wait(turn_id, soon=True)
            model.wake()

        run.ask = ask
    return run


def told(
    settings: Settings, store: Store, model: ModelWorker | None, trouble: str, calls: int
) -> dict[str, Any]:
    """What `memfold observer` shows, as data."""
    rows = store.model_calls(max(calls, _LOOKED_AT))
    now = now_ms()
    spent = store.spent_since(now - now % DAY_MS)
    failure = next((row for row in rows if row.outcome not in {"ok", "open"}), None)
    return {
        "observer": settings.text("observer"),
        "model": model.model.name if model else OBSERVER,
        "trouble": trouble,
        "blocked": model.blocked() if model else "",
        "budget": {
            "tokens": model.budget.tokens if model else 0,
            "usd": model.budget.micro_usd / 1e6 if model else 0.0,
        },
        "today": {"tokens": spent.tokens, "usd": spent.micro_usd / 1e6, "calls": spent.calls},
        "queue": dict(store.model_queue()),
        "last_failure": failure.detail if failure else "",
        "last_failure_at": failure.at_ms if failure else 0,
        "calls": [
            {
                "at": row.at_ms,
                "model": row.model,
                "purpose": row.purpose,
                "tokens_in": row.tokens_in,
                "tokens_out": row.tokens_out,
                "usd": row.cost_micro_usd / 1e6,
                "outcome": row.outcome,
                "detail": row.detail,
            }
            for row in rows[:calls]
        ],
    }


def _words(mode: Mode) -> Words:
    said = mode.instructions
    if mode.language != "en":
        said = f"{said}\nWrite in the language {mode.language}.".strip()
    return Words(
        types={one.id: one.sentence for one in mode.types},
        concepts={one.id: one.sentence for one in mode.concepts},
        instructions=said,
    )


def _scrub(text: str) -> str:
    """Secrets were taken out of what the model saw; one that it made up would look like one."""
    return redact(block(text))[0]
