"""Secrets never reach the disk; what only looks like one stays readable.

Every key here is made at run time from a seeded generator: none is real, and none stands in
this file.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_samples import ALNUM, B32, B64, CASES, some

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
