"""Every setting: name, default, unit, one sentence. Read once, in ``daemon.py``.

A value comes from the environment (``MEMFOLD_INDEX_OBSERVATIONS``), else from
``settings.toml`` in the data directory, else the default here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memfold.errors import InvalidInput

Value = str | int | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    default: Value
    unit: str
    help: str


SETTINGS: tuple[Setting, ...] = (
    Setting("index_observations", 50, "rows", "Observations listed at session start."),
    Setting("index_summaries", 10, "rows", "Session summaries listed at session start."),
    Setting("index_full", 0, "rows", "Newest observations shown with their text."),
    Setting("index_full_field", "narrative", "narrative or facts", "Which text those show."),
    Setting("index_last_summary", True, "yes/no", "Show the last session's summary."),
    Setting("index_last_message", False, "yes/no", "Show the last reply of the last session."),
    Setting("index_read_tokens", False, "yes/no", "Show the price of reading on each line."),
    Setting("index_work_tokens", False, "yes/no", "Show the cost of producing on each line."),
    Setting("index_savings_amount", False, "yes/no", "Show the tokens saved in the stats line."),
    Setting("index_savings_percent", True, "yes/no", "Show the saving in percent."),
    Setting("index_types", (), "names", "Only these observation types; empty for all."),
    Setting("index_concepts", (), "names", "Only these concepts; empty for all."),
    Setting("timezone", "", "IANA name", "Zone of shown times; empty for this machine's."),
    Setting("mode", "code", "name", "The mode in use; `memfold mode list` names them all."),
    Setting("evidence_max_bytes", 1_048_576, "bytes", "Larger tool responses lose their middle."),
    Setting(
        "evidence_days", 90, "days", "Days raw tool calls are kept; observations stay. 0 keeps all."
    ),
    Setting(
        "semantic",
        True,
        "yes/no",
        "Search by meaning too, where the `semantic` extra is installed.",
    ),
    Setting("excluded_projects", (), "globs", "Directories that are never captured."),
    Setting("excluded_tools", (), "globs", "Tools that are never captured."),
    Setting("excluded_paths", (), "globs", "Files whose tool uses are never captured."),
    Setting("work_state_mirror", True, "yes/no", "Mirror the host's own to-do tool."),
    Setting("observer", "builtin", "builtin, anthropic, openai or claude", "Who observes."),
    Setting(
        "observer_model", "", "name", "The model, as its server names it; empty for the usual."
    ),
    Setting("observer_base_url", "", "address", "The model's server; empty for the vendor's own."),
    Setting("observer_key_file", "", "path", "A file with the key alone, readable by you alone."),
    Setting("observer_daily_tokens", 200_000, "tokens", "The most a day (UTC); 0 sends nothing."),
    Setting(
        "observer_daily_usd", "0.50", "US dollars", "The most a day (UTC), for what has a price."
    ),
    Setting("observer_usd_in", "", "US dollars", "Price of a million tokens sent; empty: by list."),
    Setting("observer_usd_out", "", "US dollars", "Price of a million tokens got; empty: by list."),
    Setting("observer_timeout_s", 120, "seconds", "How long one request to a model may take."),
    Setting("observer_wait_s", 600, "seconds", "How long turns wait for others of their session."),
    Setting(
        "git_history",
        True,
        "yes/no",
        "After one `memfold import git`, take in new commits when a session starts.",
    ),
    Setting(
        "read_gate",
        "on",
        "on, adaptive or off",
        "Answer whole reads of large known code files with the outline; adaptive: where it pays.",
    ),
    Setting("read_gate_bytes", 32_768, "bytes", "Smaller files are never held back."),
    Setting("tcp_port", 0, "port", "Loopback port for http hooks; 0 for none."),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}


class Settings:
    """Settings as they stand for one process; attribute access by name."""

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        self._values = {s.name: s.default for s in SETTINGS} | dict(values or {})

    def text(self, name: str) -> str:
        return str(self._values[name])

    def number(self, name: str) -> int:
        return int(self._values[name])  # type: ignore[arg-type]  # checked when read

    def flag(self, name: str) -> bool:
        return bool(self._values[name])

    def names(self, name: str) -> tuple[str, ...]:
        value = self._values[name]
        return value if isinstance(value, tuple) else (str(value),)


def _parse(setting: Setting, raw: object, source: str) -> Value:
    default = setting.default
    if isinstance(default, bool):
        if isinstance(raw, bool):
            return raw
        if str(raw).lower() in {"1", "true", "yes", "on"}:
            return True
        if str(raw).lower() in {"0", "false", "no", "off"}:
            return False
    elif isinstance(default, int):
        if str(raw).isdigit():
            return int(str(raw))
    elif isinstance(default, tuple):
        parts = raw if isinstance(raw, list) else str(raw).split(",")
        return tuple(str(part).strip() for part in parts if str(part).strip())
    elif isinstance(raw, str) or (setting.unit == "US dollars" and isinstance(raw, (int, float))):
        return str(raw)
    raise InvalidInput(
        f"Setting {setting.name} in {source} is {raw!r}; it takes {setting.unit}.",
        f"Set it to a value such as {default!r}.",
    )


def load(home: Path, env: Mapping[str, str] | None = None) -> Settings:
    """Settings for the data directory ``home``. Unknown names in the file are an error."""
    env = os.environ if env is None else env
    values: dict[str, Value] = {}
    file = home / "settings.toml"
    if file.is_file():
        import tomllib  # late: most data directories have no settings file

        try:
            given = tomllib.loads(file.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InvalidInput(
                f"{file} is not valid TOML: {error}.", "Mend or remove it."
            ) from error
        for name, raw in given.items():
            if name not in _BY_NAME:
                raise InvalidInput(f"{file} has an unknown setting {name!r}.", "Remove it.")
            values[name] = _parse(_BY_NAME[name], raw, str(file))
    for setting in SETTINGS:
        key = f"MEMFOLD_{setting.name.upper()}"
        if key in env:
            values[setting.name] = _parse(setting, env[key], key)
    return Settings(values)
