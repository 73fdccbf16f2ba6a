"""Secrets never reach the disk; what only looks like one stays readable.

Every key here is made at run time from a seeded generator: none is real, and none stands in
this file.
"""

from __future__ import annotations

import json
import random
import re
import string
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.capture.redact import (
    TOO_DEEP,
    clipped,
    looks_random,
    redact,
    redact_json,
    redact_payload,
    walk,
)
from memfold.capture.rules import RULES

SOURCE = Path(__file__).resolve().parents[2] / "src"
CHANCE = random.Random(20261201)
LETTERS = string.ascii_letters
ALNUM = LETTERS + string.digits
B32 = string.ascii_uppercase + "234567"
B64 = ALNUM + "+/"
URL = ALNUM + "-_"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def some(alphabet: str, length: int) -> str:
    """A made-up value with a digit and a letter in it, ends that are letters."""
    text = "".join(CHANCE.choice(alphabet) for _ in range(length - 3))
    digit = next(c for c in alphabet if c.isdigit())
    letter = next(c for c in alphabet if c.isalpha())
    return letter + digit + text + letter


def uuid() -> str:
    return "-".join(some(HEX, n) for n in (8, 4, 4, 4, 12))


def pem(kind: str) -> str:
    lines = "\n".join(some(B64, 64) for _ in range(6))
    return f"-----BEGIN {kind}-----\n{lines}\n{some(B64, 20)}==\n-----END {kind}-----"


# rule name -> (text, the part of it that must be gone)
Case = tuple[str, str, str]


def cases() -> list[Case]:
    found: list[Case] = []

    def add(name: str, secret: str, text: str = "the value {} is here") -> None:
        found.append((name, text.replace("{}", secret), secret))

    for kind in ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY"):
        add("private-key", pem(kind), "key:\n{}\nend")
    add("private-key", pem("PGP PRIVATE KEY BLOCK"))
    add("private-key", json.dumps(pem("PRIVATE KEY"))[1:-1], '{"private": "{}"}')
    add("private-key", pem("RSA PRIVATE KEY").rpartition("\n---")[0], "cat key\n{}")
    lines = "\n".join(some(B64, 64) for _ in range(3))
    add("putty-key", lines, "Public-Lines: 1\nPrivate-Lines: 3\n{}\nPrivate-MAC: 00")
    add("age-key", "AGE-SECRET-KEY-1" + some(UPPER, 58))
    for start in ("AKIA", "ASIA", "ABIA", "ACCA"):
        add("aws-access-key-id", start + some(B32, 16))
    add("aws-secret-key", some(B64, 40), "aws_secret_access_key = {}")
    add("aws-secret-key", some(B64, 40), '"SecretAccessKey": "{}",')
    add("aws-session-token", some(B64, 300), "AWS_SESSION_TOKEN={}")
    add("aws-bedrock-key", "ABSK" + some(ALNUM, 120))
    add("gcp-api-key", "AI" + "za" + some(URL, 35))
    add("gcp-oauth-token", "ya" + "29." + some(URL, 60))
    add("gcp-refresh-token", "1//" + "0" + some(URL, 60))
    add("gcp-client-secret", "GOC" + "SPX-" + some(URL, 28))
    key = some(ALNUM, 86) + "=="
    add("azure-storage-key", key, "AccountName=a;AccountKey={};EndpointSuffix=x")
    add("azure-shared-key", some(ALNUM, 43) + "=", "SharedAccessKeyName=r;SharedAccessKey={}")
    add("azure-client-secret", some(ALNUM, 3) + "8" + "Q~" + some(ALNUM, 34))
    add("azure-sas", some(ALNUM, 43) + "%3D", "https://a.blob/x?sv=1&sig={}")
    add("alibaba-key-id", "LT" + "AI" + some(ALNUM, 20))
    for start in ("dop", "doo", "dor"):
        add("digitalocean-token", start + "_v1_" + some(HEX, 64))
    add("heroku-key", uuid(), "HEROKU_API_KEY={}")
    add("heroku-key", "HR" + "KU-" + some(URL, 40))
    add("cloudflare-key", "v1." + "0-" + some(HEX, 24) + "-" + some(HEX, 146))
    add("flyio-token", "fm2" + "_" + some(ALNUM, 80))
    add("netlify-token", "nfp" + "_" + some(ALNUM, 36))
    add("supabase-key", "sbp" + "_" + some(HEX, 40))
    add("planetscale-token", "pscale" + "_tkn_" + some(ALNUM, 43))
    add("pulumi-token", "pul" + "-" + some(HEX, 40))
    add("terraform-token", some(ALNUM, 14) + ".atlas" + "v1." + some(ALNUM, 67))
    add("vault-token", "hvs" + "." + some(URL, 90))
    add("doppler-token", "dp." + "pt." + some(ALNUM, 43))
    add("databricks-token", "da" + "pi" + some(HEX, 32))
    for start in "pousr":
        add("github-token", f"gh{start}" + "_" + some(ALNUM, 36))
    add("github-pat", "github" + "_pat_" + some(ALNUM, 22) + "_" + some(ALNUM, 59))
    for start in ("pat", "dt", "rt", "cbt", "ptt", "agent", "oas", "soat", "ft"):
        add("gitlab-token", f"gl{start}" + "-" + some(URL, 20))
    add("bitbucket-token", "AT" + "BB" + some(ALNUM, 32))
    add("atlassian-token", "ATA" + "TT3" + some(URL, 180))
    add("npm-token", "np" + "m_" + some(ALNUM, 36))
    add("npm-token", some(ALNUM, 30), "//registry.example/:_authToken={}")
    add("pypi-token", "py" + "pi-AgE" + some(URL, 120))
    add("rubygems-key", "rubygems" + "_" + some(HEX, 48))
    add("crates-token", "ci" + "o" + some(ALNUM, 32))
    add("nuget-key", "oy" + "2" + some(string.ascii_lowercase + "0123", 43))
    add("docker-token", "dckr" + "_pat_" + some(URL, 27))
    add("docker-auth", some(ALNUM, 24) + "=", '{"auths": {"r": {"auth": "{}"}}}')
    add("artifactory-token", "AK" + "Cp8" + some(ALNUM, 68))
    add("circleci-token", "CCI" + "PAT_" + some(ALNUM, 60))
    add("buildkite-token", "bk" + "ua_" + some(HEX, 40))
    add("sonar-token", "sq" + "u_" + some(HEX, 40))
    add("kubernetes-key", some(ALNUM, 400) + "=", "    client-key-data: {}")
    add("anthropic-key", "sk-" + "ant-api03-" + some(URL, 93) + "AA")
    add("openai-key", "sk-" + "proj-" + some(URL, 120))
    add("openai-key", "sk-" + some(ALNUM, 48))
    add("openrouter-key", "sk-or" + "-v1-" + some(HEX, 64))
    add("langfuse-key", "sk-" + "lf-" + uuid())
    add("groq-key", "gs" + "k_" + some(ALNUM, 52))
    add("huggingface-token", "h" + "f_" + some(ALNUM, 34))
    add("replicate-token", "r" + "8_" + some(ALNUM, 37))
    add("perplexity-key", "pp" + "lx-" + some(ALNUM, 48))
    add("xai-key", "xa" + "i-" + some(ALNUM, 80))
    add("langsmith-key", "lsv2" + "_pt_" + some(HEX, 32) + "_" + some(HEX, 10))
    add("tavily-key", "tv" + "ly-" + some(ALNUM, 32))
    add("pinecone-key", "pc" + "sk_" + some(ALNUM, 70))
    for start in "abeoprs":
        digits = "".join(CHANCE.choice(string.digits) for _ in range(12))
        add("slack-token", f"xox{start}" + f"-{digits}-{digits}-" + some(ALNUM, 24))
    add("slack-token", "xa" + "pp-1-A0-123-" + some(HEX, 64))
    path = f"T0{some(UPPER, 9)}/B0{some(UPPER, 9)}/{some(ALNUM, 24)}"
    add("slack-webhook", path, "https://hooks.slack.com/services/{}")
    hook = f"{'1' * 18}/{some(URL, 68)}"
    add("discord-webhook", hook, "https://discord.com/api/webhooks/{}")
    add("telegram-token", "A" + "A" + some(URL, 33), "bot 123456789:{} there")
    for start in ("sk_live", "sk_test", "rk_live", "rk_test"):
        add("stripe-key", start + "_" + some(ALNUM, 24))
    add("stripe-webhook", "wh" + "sec_" + some(ALNUM, 32))
    add("square-token", "sq0" + "atp-" + some(URL, 22))
    add("shopify-token", "shp" + "at_" + some(HEX, 32))
    paypal = f"$production${some(string.ascii_lowercase + '12', 16)}${some(HEX, 32)}"
    add("paypal-token", "access_token" + paypal)
    add("plaid-token", "access" + "-production-" + uuid())
    add("sendgrid-key", "S" + "G." + some(URL, 22) + "." + some(URL, 43))
    add("mailgun-key", "ke" + "y-" + some(HEX, 32))
    add("mailchimp-key", some(HEX, 32) + "-us12")
    add("twilio-key", "S" + "K" + some(HEX, 32))
    add("newrelic-key", "NR" + "AK-" + some(UPPER, 27))
    add("grafana-token", "gl" + "sa_" + some(ALNUM, 32) + "_" + some(HEX, 8))
    add("sentry-token", "sntr" + "ys_" + some(ALNUM, 100))
    add("honeycomb-key", "hca" + "ik_" + some(string.ascii_lowercase + "0123", 58))
    add("linear-key", "lin" + "_api_" + some(ALNUM, 40))
    add("notion-token", "nt" + "n_" + some(ALNUM, 46))
    add("figma-token", "fig" + "d_" + some(URL, 40))
    add("postman-key", "PM" + "AK-" + some(HEX, 24) + "-" + some(HEX, 34))
    add("dropbox-token", "sl" + ".B" + some(URL, 130))
    add("onepassword-token", "ops" + "_eyJ" + some(ALNUM, 200))
    add("mapbox-token", "sk." + "eyJ" + some(ALNUM, 60) + "." + some(ALNUM, 22))
    add("contentful-token", "CF" + "PAT-" + some(URL, 43))
    jwt = ".".join(("ey" + "J" + some(URL, 30), "ey" + "J" + some(URL, 80), some(URL, 43)))
    add("jwt", jwt)
    add("jwt", jwt, "Authorization: Bearer {}")
    add("bearer-token", some(URL, 40), "curl -H 'Authorization: Bearer {}'")
    add("bearer-token", some(HEX, 40), '"authorization": "bearer {}"')
    add("basic-auth", some(ALNUM, 24) + "==", "Authorization: Basic {}")
    for scheme in ("postgres", "mysql", "redis", "amqp", "mongodb+srv", "https"):
        add("url-password", "hunter2", f"{scheme}://app:{{}}@db.internal:5432/x")
    add("url-password", some(ALNUM, 20), "redis://:{}@cache:6379")
    add("connection-password", "hunter2!", "Server=db;User Id=sa;Password={};Encrypt=True")
    add("cookie", f"sid={some(ALNUM, 32)}; theme=dark", "Cookie: {}")
    add("cookie", f"connect={some(ALNUM, 40)}", '"set-cookie": "{}"')
    add("session-id", some(ALNUM, 32), "GET /x?PHPSESSID={}")
    add("netrc-password", "opensesame", "machine h login dev password {}")
    add("curl-user", "opensesame", "curl -s -u admin:{} https://h/x")
    add("mysql-password", "opensesame", "mysql -u root -p{} shop")
    add("sshpass-password", "opensesame", "sshpass -p '{}' ssh host")
    add("password-option", some(ALNUM, 20), "deploy --token {} --dry-run")
    add("password", "opensesame", "DB_PASSWORD={}")
    add("password", "opensesame", '{"password": "{}"}')
    add("password", "opensesame", "password = '{}'")
    add("password", some(ALNUM, 14), "  password: {}")
    add("assigned-secret", some(ALNUM, 40), "export API_KEY={}")
    add("assigned-secret", some(ALNUM, 40), "SECRET_KEY_BASE: {}")
    add("assigned-secret", some(HEX, 64), "SESSION_SECRET={}")
    add("assigned-secret", some(B64, 43) + "=", 'client_secret = "{}"')
    add("assigned-secret", some(ALNUM, 32), "https://h/x?access_token={}&a=1")
    add("assigned-secret", some(ALNUM, 32), "x-api-key: {}")
    add("assigned-secret", some(ALNUM, 32), r"{\"apiKey\": \"{}\"}")
    return found


CASES = cases()


@pytest.mark.parametrize(("name", "text", "secret"), CASES, ids=[case[0] for case in CASES])
def test_a_secret_of_a_known_form_is_replaced_by_its_kind(
    name: str, text: str, secret: str
) -> None:
    """spec/70: each is replaced by a typed placeholder; the formats are the providers' own."""
    clean, found = redact(text)
    assert secret not in clean
    assert f"[redacted:{name}]" in clean
    assert sum(found.values()) == clean.count("[redacted:")
    assert redact(clean) == (clean, {})


def test_every_rule_has_an_example() -> None:
    """A rule nobody tried is a rule nobody knows to work."""
    assert {rule.name for rule in RULES} == {case[0] for case in CASES}
    assert len({rule.name for rule in RULES}) >= 80


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "git show e83c5163316f89bfbde7d9ab23ca2e25604af290:README",
        "request id 550e8400-e29b-41d4-a716-446655440000 took 3 ms",
        "session_id=550e8400-e29b-41d4-a716-446655440000",
        '"integrity": "sha512-' + "Ab1" * 28 + '=="',
        '"js-tokens": "^4.0.0", "token-types": "2.1.1"',
        'checksum = "' + "0a1b" * 16 + '"',
        "data:image/png;base64," + "iVBORw0KGgo" * 30,
        "API_KEY=xxxxxxxxxxxxxxxxxxxx",
        "API_KEY=your-api-key-here-1234",
        "API_KEY=$API_KEY",
        "API_KEY=${API_KEY:-none}",
        "password: <your password>",
        "const apiKey = process.env.STRIPE_API_KEY_2;",
        'token = os.environ["GITHUB_TOKEN_V2"]',
        "token = get_token_v2(request)",
        "PASSWORD = get_password(user)",
        "self.token = config.auth.token2",
        "secret: secrets/production/db2",
        'password: "users/passwords#new"',
        "max_tokens: 4096, total_tokens=128000",
        "--token $GITHUB_TOKEN",
        "--secret-name my-database-secret-2",
        "postgres://user:password@localhost/db",
        "https://github.com/example/repo.git",
        "git clone ssh://git@github.com:22/o/r",
        "http://localhost:8080/a@b",
        "-----BEGIN PRIVATE KEY----- is how such a file begins.",
        "if '-----BEGIN RSA PRIVATE KEY-----' in text: return",
        "Authorization: Bearer $TOKEN",
        "Bearer tokens are described in RFC 6750",
        "the task-sk-list and SKIP and disk-usage words",
        "--- PASS: Test1FetchMalformedMidStreamFails",
        "cache_key: 0123456789abcdef0123456789abcdef",
        "key-value-store and api keys: see docs",
        "toolu_01MP7XLcGvsgTN7E5MLGdM5X",
        "mysql -u root --protocol=tcp",
    ],
)
def test_what_is_no_secret_stays_readable(text: str) -> None:
    """Evidence with holes in it helps nobody: hashes, ids, placeholders and code stay."""
    assert redact(text) == (text, {})


def test_two_secrets_in_one_text_are_both_gone_and_counted() -> None:
    one, other = "gh" + "p_" + some(ALNUM, 36), "AK" + "IA" + some(B32, 16)
    clean, found = redact(f"a {one} b {other} c {one}")
    assert clean == (
        "a [redacted:github-token] b [redacted:aws-access-key-id] c [redacted:github-token]"
    )
    assert found == {"github-token": 2, "aws-access-key-id": 1}


@pytest.mark.parametrize("line", ["\n", "\\n", "\r\n"])
def test_a_private_key_that_is_cut_off_is_hidden_to_its_end(line: str) -> None:
    """Cut by a head -5, by the host, or by the end of a chunk."""
    begin = "-----BEGIN OPENSSH PRIVATE " + "KEY-----"
    assert redact(f"x {begin}{line}abc{line}def")[0] == "x [redacted:private-key]"
    body = line.join(some(B64, 64) for _ in range(3))
    clean, _ = redact(f"x {begin}{line}{body}{line}{line}Then it (as they say) ended.")
    assert clean.startswith("x [redacted:private-key]")
    assert clean.endswith("Then it (as they say) ended.")


def test_letters_that_grow_in_lower_case_do_not_shift_what_is_found() -> None:
    """U+0130 becomes two characters in lower case."""
    secret = some(ALNUM, 40)
    clean, _ = redact("\u0130" * 50 + f" export API_KEY={secret} " + "\u0130")
    assert secret not in clean
    assert clean.count("\u0130") == 51


def test_json_is_searched_in_every_depth_in_keys_and_beside_telling_names() -> None:
    """spec/70: high-entropy values next to a telling name."""
    token, value = "gh" + "p_" + some(ALNUM, 36), some(ALNUM, 32)
    given_value = {
        "headers": [{"x": token}, {token: 1, "n": None, "f": 1.5}],
        "apiKey": value,
        "auth": {"password": "opensesame", "clientSecret": "opensesame"},
        "tokens": [value],
        "accessToken": [value],
        "password": "$DB_PASSWORD",
        "cookie": "a b c",
        "secret": "my-secret-name",
    }
    clean, found = redact_json(given_value)
    text = json.dumps(clean)
    assert token not in text
    assert text.count(value) == 1, "the name `tokens` says nothing of its values"
    assert clean["auth"] == dict.fromkeys(
        ("password", "clientSecret"), "[redacted:assigned-secret]"
    )
    assert (clean["password"], clean["cookie"]) == ("$DB_PASSWORD", "a b c")
    assert clean["secret"] == "my-secret-name"
    assert clean["headers"][1] == {"[redacted:github-token]": 1, "n": None, "f": 1.5}
    assert found == {"github-token": 2, "assigned-secret": 4}


def test_two_keys_that_become_one_placeholder_both_stay() -> None:
    one, other = ("gh" + "p_" + some(ALNUM, 36) for _ in range(2))
    clean, _ = redact_json({one: 1, other: 2})
    assert sorted(clean.values()) == [1, 2]


def test_nesting_without_end_becomes_a_mark() -> None:
    """Issue: deep nesting must crash nobody, here or later."""
    value: object = "leaf"
    for _ in range(50_000):
        value = [value]
    clean, _ = redact_json({"a": value, "b": 1})
    assert clean["b"] == 1
    assert TOO_DEEP in json.dumps(clean)


def test_a_payload_for_the_spool_is_redacted_and_stays_json() -> None:
    """hook/spool.py writes what this returns."""
    token = "gh" + "p_" + some(ALNUM, 36)
    body = json.dumps({"tool_input": {"command": f"echo {token}"}, "n": "\ud83d"}).encode()
    safe = redact_payload(body)
    assert token.encode() not in safe
    assert json.loads(safe)["tool_input"]["command"] == "echo [redacted:github-token]"


def test_a_wholly_private_prompt_stays_marked_in_the_spool() -> None:
    """spec/70: its whole turn is not to be kept, also when the daemon reads it later."""
    safe = json.loads(redact_payload(b'{"prompt": " <private>x y</private> ", "a": "b<private>c"}'))
    assert safe == {"prompt": "<private></private>", "a": "b"}


@pytest.mark.parametrize("body", [b"{not json", b"[" * 100_000, b"\xff\xfe\x00"])
def test_a_payload_that_is_not_json_is_redacted_as_text(body: bytes) -> None:
    token = "gh" + "p_" + some(ALNUM, 36)
    assert redact_payload(body) == body
    safe = redact_payload(body + b" " + token.encode() + b" <private>hidden")
    assert safe == body + b" [redacted:github-token] "


@pytest.mark.timeout(60)
def test_an_enormous_string_of_a_payload_loses_its_middle() -> None:
    """A spooling hook has about a second."""
    body = json.dumps({"response": "word " * 10_000_000}).encode()
    safe = redact_payload(body)
    assert len(safe) < 2_500_000
    assert b"characters dropped" in safe


def test_a_long_text_loses_its_middle_at_blanks() -> None:
    text = " ".join(f"word{n}" for n in range(20_000))
    cut = clipped(text, 10_000)
    assert len(cut) < 19_000
    first, mark, last = cut.split("\n")
    assert text.startswith(first + " ")
    assert text.endswith(last)
    dropped = int(mark.strip("[]").split()[0])
    assert len(first) + dropped + len(last) == len(text)
    assert clipped("short", 10) == "short"
    assert len(clipped("x" * 100_000, 1_000)) < 9_300


@pytest.mark.parametrize(
    "text",
    [
        "key" * 300_000,
        "token" * 200_000,
        "token=" * 160_000,
        "password: " * 100_000,
        "://" * 300_000,
        "://a:" * 200_000,
        "eyJ" * 300_000,
        "eyJaaaaaaaaaa." * 70_000,
        "-----BEGIN PRIVATE KEY-----" * 30_000,
        "-----BEGIN PRIVATE KEY-----" + "-" * 900_000,
        "-----BEGIN PRIVATE KEY-----" + "A" * 900_000,
        "curl " * 200_000,
        "mysql " * 160_000,
        "cookie: a=" * 90_000,
        "sk-" * 300_000,
        "<" + " " * 900_000 + "private",
        "<private>" * 100_000,
        "<memfold-context>" * 50_000,
        "A" * 1_000_000,
        "aB3_" * 250_000,
    ],
    ids=lambda text: text[:16].strip(),
)
@pytest.mark.timeout(60)
def test_no_text_stalls_it(text: str) -> None:
    """Linear: a quadratic pattern needs minutes for a megabyte made to hurt, and is ended."""
    clean, _ = redact_json(text)
    assert isinstance(clean, str)


def test_redaction_costs_no_more_than_a_few_plain_passes() -> None:
    """Its speed bounds how long a hook's answer takes. Measured against one simple expression over
    the same text, in processor time, so that a slow or shared machine changes nothing."""
    line = 'src/app/models/user_session.py:128:    token = request.headers.get("x-token")  # {}\n'
    text = "".join(line.replace("{}", some(ALNUM, 12)) for _ in range(25_000))
    plain = re.compile(r"[\w.-]+\s*[:=]\s*[^\s\"']+")
    passes = min(
        processor_time(lambda: redact(text)) / processor_time(lambda: plain.findall(text))
        for _ in range(3)
    )
    assert passes <= 4, "about 1 when measured, about 2 under coverage"


def processor_time(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def test_it_runs_without_site_packages_and_imports_little() -> None:
    """The hook's slow path runs under `python -I -S`."""
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import memfold.capture.redact;"
        "print(sorted({'typing', 'dataclasses', 'inspect', 'msgspec'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("value", "random_looking"),
    [
        ("short1", False),
        ("a1" * 4, False),
        ("camelCaseName12", False),
        ("snake_case_name_2", False),
        ("1234567890123456", False),
        ("abcdefghijklmnop", False),
        ("v1.2.3-beta4", False),
        ("aaaaaaaa11111111b", False),
        ("q8Zr2Lw9Xc4Vb7Nm-example", False),
        ("q8Zr2Lw9Xc4Vb7Nm", True),
        ("0a9f3b7c2d8e4f6a1b5c", True),
    ],
)
def test_randomness_is_told_from_names(value: str, random_looking: bool) -> None:
    assert looks_random(value) is random_looking


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_a_walk_that_changes_nothing_gives_the_same_value(value: object) -> None:
    assert walk(value, lambda text, _key: text) == value


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once, _ = redact(text)
    assert redact(once)[0] == once
