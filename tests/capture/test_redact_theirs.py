"""Secrets of every published format become placeholders; ordinary text stays (promise 6).

The keys are put together at run time: no literal that looks like a secret stands here.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.capture import redact as rules
from memfold.capture.redact import looks_random, redact, redact_json, redact_payload

CHANCE = random.Random(7)
ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HEX, B64, UPPER = "0123456789abcdef", ALNUM + "+/", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def some(length: int, alphabet: str = ALNUM) -> str:
    return "".join(CHANCE.choice(alphabet) for _ in range(length))


def sample(rule: str) -> tuple[str, str]:
    """(a text that holds a secret of the rule, the part that must go)."""
    b64 = some(86, B64) + "=="
    password = some(14)
    jwt = f"ey{'J'}{some(20)}.ey{'J'}{some(40)}.{some(43)}"
    texts = {
        "private-key": f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{some(64, B64)}\n-----END RSA PRIVATE KEY-----",
        "aws-access-key-id": "AK" + "IA" + some(16, UPPER),
        "aws-secret-key": f"aws_secret_access_key = {some(40, ALNUM)}",
        "aws-session-token": f"aws_session_token={some(120, ALNUM)}",
        "gcp-api-key": "AI" + "za" + some(35),
        "gcp-oauth-token": "ya" + "29." + some(60),
        "gcp-client-secret": "GOC" + "SPX-" + some(28),
        "azure-storage-key": f"DefaultEndpointsProtocol=https;Account{'Key'}={b64}",
        "azure-client-secret": some(3) + "8Q" + "~" + some(34),
        "azure-sas": f"https://x.blob.core.windows.net/a?sv=1&si{'g'}={some(44)}",
        "github-token": "gh" + "p_" + some(36),
        "github-pat": "github_" + "pat_" + some(82),
        "gitlab-token": "gl" + "pat-" + some(20),
        "bitbucket-token": "AT" + "BB" + some(32),
        "atlassian-token": "ATA" + "TT3" + some(180),
        "slack-token": "xo" + "xb-" + some(12, "0123456789") + "-" + some(24),
        "slack-webhook": "https://hooks.slack"
        + ".com/services/T"
        + some(8)
        + "/B"
        + some(8)
        + "/"
        + some(24),
        "discord-webhook": "https://discord.com/api/web"
        + "hooks/"
        + some(18, "0123456789")
        + "/"
        + some(68),
        "telegram-token": some(9, "123456789") + ":A" + "A" + some(33),
        "stripe-key": "sk_" + "live_" + some(24),
        "square-token": "sq0" + "atp-" + some(22),
        "shopify-token": "shp" + "at_" + some(32, HEX),
        "paypal-token": "access_" + "token$production$" + some(16, HEX) + "$" + some(32, HEX),
        "anthropic-key": "sk-" + "ant-api03-" + some(93),
        "openai-key": "sk-" + "proj-" + some(48),
        "groq-key": "gs" + "k_" + some(52),
        "huggingface-token": "h" + "f_" + some(34),
        "replicate-token": "r" + "8_" + some(37),
        "perplexity-key": "ppl" + "x-" + some(48),
        "xai-key": "xa" + "i-" + some(80),
        "npm-token": "np" + "m_" + some(36),
        "pypi-token": "py" + "pi-AgE" + some(80),
        "rubygems-key": "ruby" + "gems_" + some(48, HEX),
        "crates-token": "ci" + "o" + some(32),
        "docker-token": "dckr_" + "pat_" + some(27),
        "digitalocean-token": "dop" + "_v1_" + some(64, HEX),
        "heroku-key": "HRK" + "U-" + some(36),
        "cloudflare-key": "v1" + ".0-" + some(24, HEX) + "-" + some(146, HEX),
        "vault-token": "hv" + "s." + some(90),
        "terraform-token": some(14) + ".atlas" + "v1." + some(67),
        "databricks-token": "da" + "pi" + some(32, HEX),
        "grafana-token": "gl" + "sa_" + some(32) + "_" + some(8, HEX),
        "newrelic-key": "NR" + "AK-" + some(27, UPPER),
        "sentry-token": "sntr" + "ys_" + some(60),
        "linear-key": "lin_" + "api_" + some(40),
        "notion-token": "nt" + "n_" + some(46),
        "figma-token": "fig" + "d_" + some(40),
        "postman-key": "PM" + "AK-" + some(24, HEX) + "-" + some(34, HEX),
        "sendgrid-key": "S" + "G." + some(22) + "." + some(43),
        "mailgun-key": "ke" + "y-" + some(32, HEX),
        "mailchimp-key": some(32, HEX) + "-us" + "12",
        "twilio-key": "S" + "K" + some(32, HEX),
        "age-key": "AGE-SECRET-" + "KEY-1" + some(58, UPPER),
        "jwt": jwt,
        "bearer-token": f"Authorization: Bear{'er'} {some(40)}",
        "basic-auth": f"Authorization: Bas{'ic'} {some(32)}",
        "url-password": f"postgres://app:{password}@db.internal:5432/x",
        "connection-password": f"Server=db;User=sa;Pass{'word'}={some(14)};",
        "cookie": f"Set-Coo{'kie'}: session={some(32)}; Path=/",
        "assigned-secret": f"DB_PASS{'WORD'}={some(18)}9aZ",
        "password-option": f"mysql --pass{'word'}={some(16)}8bY",
    }
    text = texts[rule]
    if rule == "url-password":
        return text, password
    longest = max(text.replace("\n", " ").replace("=", " ").replace(":", " ").split(), key=len)
    return text, longest[-12:] if len(longest) > 12 else longest


@pytest.mark.parametrize("rule", [rule.name for rule in rules.RULES])
def test_a_secret_of_each_kind_is_replaced(rule: str) -> None:
    text, telling = sample(rule)
    clean, found = redact(f"before\n{text}\nafter")
    assert telling not in clean
    assert "[redacted:" in clean
    assert sum(found.values()) >= 1
    assert clean.startswith("before\n")
    assert clean.endswith("after") or rule == "private-key"


def test_there_are_rules_for_the_common_providers() -> None:
    assert len(rules.RULES) >= 40
    assert len({rule.name for rule in rules.RULES}) == len(rules.RULES)


@pytest.mark.parametrize("place", ["input", "response", "nested", "key", "spool"])
def test_secrets_are_found_in_every_place_of_a_payload(place: str) -> None:
    key = "gh" + "p_" + some(36)
    values: dict[str, object] = {
        "input": {"command": f"curl -H 'token {key}'"},
        "response": f"line\n{key}\nline",
        "nested": [[{"a": [{"b": key}]}]],
        "key": {key: 1},
        "spool": {"tool_response": key},
    }
    clean, found = redact_json(values[place])
    assert key not in json.dumps(clean)
    assert found["github-token"] == 1
    assert key.encode() not in redact_payload(json.dumps(values[place]).encode())


def test_a_telling_name_gives_a_random_value_away() -> None:
    clean, found = redact_json({"api_key": "q8Zr2LpX0vTn4KdM", "name": "q8Zr2LpX0vTn4KdM"})
    assert clean == {"api_key": "[redacted:assigned-secret]", "name": "q8Zr2LpX0vTn4KdM"}
    assert found["assigned-secret"] == 1


def test_a_private_key_that_is_cut_off_is_hidden_to_the_end() -> None:
    clean, _ = redact(f"x -----BEGIN OPENSSH PRIVATE {'KEY'}-----\nabc\ndef")
    assert clean == "x [redacted:private-key]"


@pytest.mark.parametrize(
    "text",
    [
        "commit 8adeadaf1c2b3a4d5e6f708192a3b4c5d6e7f809",
        "uuid 01890a5d-ac96-774b-bcce-b302099a8057",
        'integrity="sha512-' + "Ab9/" * 21 + 'Ab=="',
        "export TOKEN=$GITHUB_TOKEN",
        "password = os.environ['DB_PASSWORD']",
        "api_key: process.env.OPENAI_API_KEY",
        "API_KEY=your-api-key-here",
        "token: <your token>",
        "def get_access_token(self, request):",
        "the secret of good tests is patience",
        "tokens: 12345678",
        "max_tokens=100000000",
        "https://user@example.com/r.git",
        "password: changeme-example",
        "key = self.config.primary_key_name",
        "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "secret_name=projects/app/secrets/database",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == (text, {})


def test_values_are_judged_by_how_random_they_look() -> None:
    assert looks_random("q8Zr2LpX0vTn4KdM")
    assert not looks_random("short1A")
    assert not looks_random("configuration")
    assert not looks_random("a" * 40)


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=400))
def test_any_text_passes_and_twice_changes_nothing(text: str) -> None:
    once, _ = redact(text)
    assert redact(once)[0] == once


def test_payloads_that_are_not_json_are_redacted_as_text() -> None:
    key = "gh" + "p_" + some(36)
    assert key.encode() not in redact_payload(b'{"cut off": "' + key.encode())
    assert redact_payload(b"\xff\xfe plain") == b"\xff\xfe plain"
    assert redact_payload(b"[" * 100_000) == b"[" * 100_000


def test_megabytes_take_no_more_than_their_length() -> None:
    """A pattern that looks back would need minutes for this."""
    hostile = ("token" * 20_000) + ("a" * 300_000) + ("=" * 50_000) + ("://" * 50_000)
    assert redact(hostile)[0]


def test_the_hook_can_import_it_without_site_packages() -> None:
    """The doorbell's slow path runs under -I -S."""
    source = Path(rules.__file__).parents[2]
    code = f"import sys; sys.path.insert(0, {str(source)!r}); import memfold.capture.redact"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, timeout=30)
