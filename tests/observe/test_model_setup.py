"""The model that the settings name: keys stay where they belong, prices are known or nothing goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_model import fails, scripted

from memfold.cli.reobserve import since_ms
from memfold.errors import InvalidInput
from memfold.observe.model.claude_cli import ClaudeModel
from memfold.observe.model.port import AuthFailed, Message, ModelTrouble, Question
from memfold.observe.model.prices import Price, price_of
from memfold.observe.model.setup import Setup, set_up
from memfold.settings import Settings, load

ASKED = Question("s", (Message("user", "u"),), {}, timeout_s=20)


def made(tmp_path: Path, env: dict[str, str] | None = None, **values: str | int) -> Setup:
    found = set_up(
        Settings({"observer": "openai", "observer_model": "m", **values}), tmp_path, env or {}
    )
    assert found is not None
    return found


def test_the_built_in_observer_is_the_default(tmp_path: Path) -> None:
    assert set_up(Settings(), tmp_path, {"ANTHROPIC_API_KEY": "k"}) is None


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"observer": "oracle"}, "`observer`"),
        ({"observer_model": ""}, "`observer_model`"),
        ({"observer_base_url": "file:///etc"}, "`observer_base_url`"),
        ({"observer_daily_usd": "much"}, "`observer_daily_usd`"),
        ({"observer_daily_usd": "-1"}, "`observer_daily_usd`"),
        ({"observer_daily_usd": "nan"}, "`observer_daily_usd`"),
        ({"observer_usd_in": "x"}, "`observer_usd_in`"),
        ({"observer_key_file": "/nowhere/key"}, "`observer_key_file`"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, values: dict[str, str], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        made(tmp_path, None, **values)


def test_claude_asks_no_other_machine_by_plain_http(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="observer_base_url"):
        made(tmp_path, observer="claude", observer_base_url="http://models.example")


def keys_sent(tmp_path: Path, env: dict[str, str], **values: str) -> list[str]:
    seen: list[str] = []

    def notes(to: object, _body: object) -> None:
        seen.extend(value for _, value in to.headers.items())  # type: ignore[attr-defined]
        fails(401)(to, {})  # type: ignore[arg-type]

    with scripted(notes) as server, pytest.raises(AuthFailed):
        made(tmp_path, env, observer_base_url=server.url, **values).model.ask(ASKED)
    return seen


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_vendors_own_key_goes_to_that_vendor_alone(tmp_path: Path, kind: str) -> None:
    env = {"OPENAI_API_KEY": "vendor-key", "ANTHROPIC_API_KEY": "vendor-key"}
    assert "vendor-key" not in " ".join(keys_sent(tmp_path, env, observer=kind))
    env["MEMFOLD_OBSERVER_KEY"] = "our-key"
    assert "our-key" in " ".join(keys_sent(tmp_path, env, observer=kind))


def test_a_key_file_is_read_where_nobody_else_can(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("file-key\n")
    file.chmod(0o640)
    with pytest.raises(InvalidInput, match="can be read by others") as caught:
        made(tmp_path, observer_key_file=str(file))
    assert "file-key" not in str(caught.value)
    file.chmod(0o600)
    assert "Bearer file-key" in keys_sent(tmp_path, {}, observer_key_file=str(file))
    file.write_text(" \n")
    with pytest.raises(InvalidInput, match="does not hold a key"):
        made(tmp_path, observer_key_file=str(file))


def test_claude_gets_an_api_key_only_where_one_was_set_for_memfold(tmp_path: Path) -> None:
    model = made(tmp_path, {"ANTHROPIC_API_KEY": "not-mine", "PATH": ""}, observer="claude").model
    assert isinstance(model, ClaudeModel)
    assert "not-mine" not in str(vars(model))
    with pytest.raises(ModelTrouble):
        model.ask(ASKED)  # no such program on an empty PATH


@pytest.mark.parametrize(
    ("model", "local", "given", "price"),
    [
        ("claude-haiku-4-5", False, ("", ""), Price(1, 5)),
        ("anthropic/claude-sonnet-4.5", False, ("", ""), Price(3, 15)),
        ("claude-haiku-4-5", True, ("", ""), Price(1, 5)),
        ("claude-haiku-4-5-20251001", False, ("", ""), Price(1, 5)),
        ("claude-opus-4-8", False, ("", ""), Price(5, 25)),
        ("claude-opus-4-1-20250805", False, ("", ""), Price(15, 75)),
        ("gpt-5-2025-08-07", False, ("", ""), Price(1.25, 10)),
        ("gpt-5.5", False, ("", ""), Price(5, 30)),
        ("gpt-5-pro", False, ("", ""), None),
        ("gpt-6-sol", False, ("", ""), None),
        ("claude-opus-6", False, ("", ""), None),
        ("qwen3:8b", True, ("", ""), Price(0, 0)),
        ("qwen3:8b", False, ("", ""), None),
        ("qwen3:8b", False, ("0.2", ""), Price(0.2, 0)),
    ],
)
def test_a_price_is_known_or_none(
    model: str, local: bool, given: tuple[str, str], price: Price | None
) -> None:
    assert price_of(model, local=local, usd_in=given[0], usd_out=given[1]) == price


def test_costs_are_rounded_up() -> None:
    assert Price(0.3, 2.5).micro_usd(1, 1) == 3


def test_dollars_may_be_written_as_a_number(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('observer = "claude"\nobserver_daily_usd = 1.5\n')
    found = set_up(load(tmp_path, {}), tmp_path, {})
    assert found is not None
    assert found.budget.micro_usd == 1_500_000


@pytest.mark.parametrize("given", ["30", "d", "0d", "-3d", "30 d", "99999999d", "4y", ""])
def test_a_span_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput, match="--since"):
        since_ms(given, 1 << 40)


def test_spans_are_hours_days_weeks_or_all() -> None:
    now = 1 << 41
    day = 86_400_000
    spans = [since_ms(given, now) for given in ("12h", "30d", "2w", "all")]
    assert spans == [now - day // 2, now - 30 * day, now - 14 * day, 0]
