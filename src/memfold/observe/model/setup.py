"""The model that the settings name, with its key, price and budget; None for the built-in one."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from memfold.errors import InvalidInput
from memfold.observe.model import anthropic, openai
from memfold.observe.model.anthropic import AnthropicModel
from memfold.observe.model.claude_cli import ClaudeModel
from memfold.observe.model.http import Server
from memfold.observe.model.openai import OpenAiModel
from memfold.observe.model.port import Model
from memfold.observe.model.prices import Price, price_of, usd
from memfold.observe.model.worker import Budget
from memfold.settings import Settings

KINDS = ("builtin", "anthropic", "openai", "claude")
KEY = "MEMFOLD_OBSERVER_KEY"  # goes wherever observer_base_url says
FOLDER = "observer"  # of the data directory: where the claude program runs
_USUAL = {"anthropic": "claude-haiku-4-5", "claude": "haiku"}
_OWN_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_OWN_URLS = {"anthropic": anthropic.BASE_URL, "openai": openai.BASE_URL}
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_MOST_KEY_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Setup:
    model: Model
    budget: Budget
    price: Price | None  # None: not known
    timeout_s: float
    window_ms: int


def set_up(settings: Settings, home: Path, env: Mapping[str, str] | None = None) -> Setup | None:
    """Raises InvalidInput that names the setting. ``env``: where keys may lie."""
    env = os.environ if env is None else env
    kind = settings.text("observer")
    if kind not in KINDS:
        raise InvalidInput(f"`observer` is {kind[:40]!r}.", f"Set it to one of {', '.join(KINDS)}.")
    if kind == "builtin":
        return None
    name = settings.text("observer_model") or _USUAL.get(kind, "")
    if not name:
        raise InvalidInput("`observer_model` is empty.", "Name the model that the server offers.")
    url = settings.text("observer_base_url")
    key = _key(kind, url, settings.text("observer_key_file"), env)
    model: Model
    if kind == "claude":
        if url:
            Server(url, {}, secret=True)  # the login goes there: refused as a key would be
        model = ClaudeModel(name, home / FOLDER, key=key, base_url=url, env=env)
    elif kind == "anthropic":
        model = AnthropicModel(name, key, url)
    else:
        model = OpenAiModel(name, key, url)
    dollars = usd(settings.text("observer_daily_usd"), "observer_daily_usd")
    return Setup(
        model=model,
        budget=Budget(settings.number("observer_daily_tokens"), round(dollars * 1_000_000)),
        price=price_of(
            name,
            local=(urlsplit(url).hostname or "") in _LOOPBACK,
            usd_in=settings.text("observer_usd_in"),
            usd_out=settings.text("observer_usd_out"),
        ),
        timeout_s=float(max(settings.number("observer_timeout_s"), 1)),
        window_ms=settings.number("observer_wait_s") * 1_000,
    )


def _key(kind: str, url: str, file: str, env: Mapping[str, str]) -> str:
    """From the file, else from our own variable, else the vendor's own, for its own server only."""
    if file:
        return _from_file(Path(file).expanduser())
    if env.get(KEY):
        return env[KEY].strip()
    own = _OWN_URLS.get(kind, "")
    if own and (not url or urlsplit(url).hostname == urlsplit(own).hostname):
        return env.get(_OWN_KEYS[kind], "").strip()
    return ""


def _from_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            raw = file.read(_MOST_KEY_BYTES + 1)
    except OSError as error:
        raise InvalidInput(
            f"The file of `observer_key_file` cannot be read ({error.strerror or error}).",
            "Name a file that holds the key alone.",
        ) from error
    if stat.S_IMODE(mode) & 0o077:
        raise InvalidInput(
            "The file of `observer_key_file` can be read by others.",
            "Make it yours alone with chmod 600.",
        )
    key = raw.decode("ascii", "replace").strip()
    if not key or len(raw) > _MOST_KEY_BYTES or not key.isascii() or not key.isprintable():
        raise InvalidInput(
            "The file of `observer_key_file` does not hold a key.", "It holds the key alone."
        )
    return key
