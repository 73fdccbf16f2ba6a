"""Secrets become typed placeholders such as ``[redacted:github-token]`` before the first write.

A rule is a keyword that must be there (cheap to look for) and one regular expression whose
group ``secret`` is replaced. Rules follow the published formats of the providers. Standard
library only: the hook's slow path uses it. Source: docs/decisions/0005-redaction.md.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from memfold.capture.private import strip_ours, strip_private


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret."""

    name: str
    keywords: tuple[str, ...]  # lower case; one of them must occur
    source: str  # of the regular expression
    check: bool = False  # the value must also look random


def _rule(name: str, keywords: str, pattern: str, *, check: bool = False) -> Rule:
    return Rule(name, tuple(keywords.split()), pattern, check)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    # On first need: all of them take 20 ms, which a daemon's start and a spooling hook save.
    return re.compile(source)


_END = r"(?![A-Za-z0-9_-])"
_START = r"(?<![A-Za-z0-9_-])"
_TELLING = (
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|auth[_-]?key"
    r"|private[_-]?key|signing[_-]?key|encryption[_-]?key|client[_-]?secret|credential)s?"
)

RULES: tuple[Rule, ...] = (
    _rule(
        "private-key",
        "private",
        r"(?P<secret>-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z))",
    ),
    _rule("aws-access-key-id", "akia asia abia acca", rf"{_START}(?P<secret>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}){_END}"),
    _rule(
        "aws-secret-key",
        "aws secret",
        r"(?i:aws.{0,30}?(?:secret|key).{0,12}?[\"'\s:=]+|secretaccesskey[\"'\s:=]+)"
        rf"(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
        check=True,
    ),
    _rule("aws-session-token", "session", r"(?i:aws_?session_?token[\"'\s:=]+)(?P<secret>[A-Za-z0-9/+=]{100,})"),
    _rule("gcp-api-key", "aiza", rf"{_START}(?P<secret>AIza[A-Za-z0-9_-]{{35}}){_END}"),
    _rule("gcp-oauth-token", "ya29.", r"(?P<secret>ya29\.[A-Za-z0-9_-]{20,})"),
    _rule("gcp-client-secret", "gocspx-", rf"(?P<secret>GOCSPX-[A-Za-z0-9_-]{{28}}){_END}"),
    _rule("azure-storage-key", "accountkey", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{86}==)"),
    _rule("azure-client-secret", "8q~", r"(?P<secret>[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34})"),
    _rule("azure-sas", "sig=", r"[?&]sig=(?P<secret>[A-Za-z0-9%/+=]{40,})"),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_START}(?P<secret>gh[pousr]_[A-Za-z0-9]{{36,255}}){_END}"),
    _rule("github-pat", "github_pat_", rf"{_START}(?P<secret>github_pat_[A-Za-z0-9_]{{60,255}}){_END}"),
    _rule("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glagent- gloas- glsoat- glft-", rf"{_START}(?P<secret>gl(?:pat|dt|rt|cbt|ptt|agent|oas|soat|ft)-[A-Za-z0-9_.-]{{20,100}})"),
    _rule("bitbucket-token", "atbb", rf"{_START}(?P<secret>ATBB[A-Za-z0-9]{{32}}){_END}"),
    _rule("atlassian-token", "atatt3", rf"{_START}(?P<secret>ATATT3[A-Za-z0-9_=-]{{100,}})"),
    _rule("slack-token", "xox xapp-", rf"{_START}(?P<secret>(?:xox[abeoprs]-[A-Za-z0-9-]{{10,}}|xapp-\d-[A-Za-z0-9-]{{20,}}))"),
    _rule("slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_-]{20,})"),
    _rule("discord-webhook", "discord", r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d+/[A-Za-z0-9_-]{40,})"),
    _rule("telegram-token", ":aa", rf"{_START}(?P<secret>\d{{8,10}}:AA[A-Za-z0-9_-]{{33}}){_END}"),
    _rule("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", rf"{_START}(?P<secret>(?:[sr]k_(?:live|test)_[A-Za-z0-9]{{16,}}|whsec_[A-Za-z0-9+/=]{{24,}}))"),
    _rule("square-token", "sq0", rf"{_START}(?P<secret>sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{{22,}})"),
    _rule("shopify-token", "shp", rf"{_START}(?P<secret>shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}){_END}"),
    _rule("paypal-token", "access_token$", r"(?P<secret>access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})"),
    _rule("anthropic-key", "sk-ant-", rf"{_START}(?P<secret>sk-ant-[A-Za-z0-9_-]{{20,}})"),
    _rule("openai-key", "sk-", rf"{_START}(?P<secret>sk-(?:proj-|svcacct-|admin-|or-v1-|None-)?[A-Za-z0-9_-]{{32,}}){_END}", check=True),
    _rule("groq-key", "gsk_", rf"{_START}(?P<secret>gsk_[A-Za-z0-9]{{40,}}){_END}"),
    _rule("huggingface-token", "hf_", rf"{_START}(?P<secret>hf_[A-Za-z0-9]{{30,}}){_END}"),
    _rule("replicate-token", "r8_", rf"{_START}(?P<secret>r8_[A-Za-z0-9]{{37}}){_END}"),
    _rule("perplexity-key", "pplx-", rf"{_START}(?P<secret>pplx-[A-Za-z0-9]{{40,}}){_END}"),
    _rule("xai-key", "xai-", rf"{_START}(?P<secret>xai-[A-Za-z0-9]{{60,}}){_END}"),
    _rule("npm-token", "npm_ _authtoken", rf"{_START}(?P<secret>npm_[A-Za-z0-9]{{36}}){_END}|_authToken=(?P<secret2>[A-Za-z0-9_-]{{20,}})"),
    _rule("pypi-token", "pypi-", r"(?P<secret>pypi-AgE[A-Za-z0-9_-]{50,})"),
    _rule("rubygems-key", "rubygems_", rf"{_START}(?P<secret>rubygems_[a-f0-9]{{48}}){_END}"),
    _rule("crates-token", "cio", rf"{_START}(?P<secret>cio[A-Za-z0-9]{{32}}){_END}", check=True),
    _rule("docker-token", "dckr_", rf"{_START}(?P<secret>dckr_(?:pat|oat)_[A-Za-z0-9_-]{{27,}})"),
    _rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rf"{_START}(?P<secret>do[opr]_v1_[a-f0-9]{{64}}){_END}"),
    _rule("heroku-key", "hrku-", rf"{_START}(?P<secret>HRKU-[A-Za-z0-9_-]{{36,}})"),
    _rule("cloudflare-key", "v1.0-", rf"{_START}(?P<secret>v1\.0-[a-f0-9]{{24}}-[a-f0-9]{{146}}){_END}"),
    _rule("vault-token", "hvs. hvb. hvr.", rf"{_START}(?P<secret>hv[sbr]\.[A-Za-z0-9_-]{{24,}})"),
    _rule("terraform-token", "atlasv1", rf"(?P<secret>[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,}})"),
    _rule("databricks-token", "dapi", rf"{_START}(?P<secret>dapi[a-f0-9]{{32}}(?:-\d)?){_END}"),
    _rule("grafana-token", "glc_ glsa_", rf"{_START}(?P<secret>(?:glc_[A-Za-z0-9+/=]{{32,}}|glsa_[A-Za-z0-9]{{32}}_[a-f0-9]{{8}}))"),
    _rule("newrelic-key", "nrak-", rf"{_START}(?P<secret>NRAK-[A-Z0-9]{{27}}){_END}"),
    _rule("sentry-token", "sntrys_ sntryu_", rf"{_START}(?P<secret>sntry[su]_[A-Za-z0-9+/=_-]{{40,}})"),
    _rule("linear-key", "lin_api_", rf"{_START}(?P<secret>lin_api_[A-Za-z0-9]{{40}}){_END}"),
    _rule("notion-token", "ntn_", rf"{_START}(?P<secret>ntn_[A-Za-z0-9]{{40,}}){_END}"),
    _rule("figma-token", "figd_", rf"{_START}(?P<secret>figd_[A-Za-z0-9_-]{{40,}})"),
    _rule("postman-key", "pmak-", rf"{_START}(?P<secret>PMAK-[a-f0-9]{{24}}-[a-f0-9]{{34}}){_END}"),
    _rule("sendgrid-key", "sg.", rf"{_START}(?P<secret>SG\.[A-Za-z0-9_-]{{22}}\.[A-Za-z0-9_-]{{43}}){_END}"),
    _rule("mailgun-key", "key-", rf"{_START}(?P<secret>key-[a-f0-9]{{32}}){_END}"),
    _rule("mailchimp-key", "-us", rf"{_START}(?P<secret>[a-f0-9]{{32}}-us\d{{1,2}}){_END}"),
    _rule("twilio-key", "sk ac", rf"{_START}(?P<secret>SK[a-f0-9]{{32}}){_END}"),
    _rule("age-key", "age-secret-key-", r"(?P<secret>AGE-SECRET-KEY-1[A-Z0-9]{58})"),
    _rule("jwt", "eyj", rf"{_START}(?P<secret>eyJ[A-Za-z0-9_-]{{10,}}\.eyJ[A-Za-z0-9_-]{{10,}}\.[A-Za-z0-9_-]{{10,}})"),
    _rule("bearer-token", "bearer", r"(?i:bearer)\s+(?P<secret>[A-Za-z0-9._~+/=-]{16,})", check=True),
    _rule("basic-auth", "basic", r"(?i:authorization[\"']?\s*[:=]\s*[\"']?basic)\s+(?P<secret>[A-Za-z0-9+/]{12,}={0,2})"),
    _rule("url-password", "://", r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,80}:(?P<secret>[^\s/@\"'<>]{3,200})@"),
    _rule("connection-password", "password pwd", r"(?i:(?:;|[\"'])\s*(?:password|pwd)\s*=\s*)(?P<secret>[^\s;\"'&]{3,120})(?=[;\"'])"),
    _rule("cookie", "cookie", r"(?i:(?:set-)?cookie[\"']?\s*:\s*[\"']?)(?P<secret>[A-Za-z0-9_.-]+=[A-Za-z0-9%._~+/=-]{16,}(?:;\s*[A-Za-z0-9_.-]+=[^;\s\"']*)*)"),
    _rule(
        "assigned-secret",
        "pass pwd secret token key credential",
        rf"(?i:{_TELLING})[\"']?\s{{0,3}}(?:=>|:=|[:=])\s{{0,3}}[\"'`]?"
        r"(?P<secret>[A-Za-z0-9+/=_.~!@#%^*-]{8,300})",
        check=True,
    ),
    _rule(
        "password-option",
        "password passwd token api-key secret",
        r"(?i:--(?:password|passwd|token|api-key|secret))[ =][\"']?(?P<secret>[^\s\"'$<{]{8,200})",
        check=True,
    ),
)  # fmt: skip
_HARMLESS = re.compile(
    r"(?i)example|placeholder|your[_-]|changeme|xxxx|\*{3}|redacted|dummy|process\.env|os\.environ"
    r"|getenv|^\$|^<|^true$|^false$|^null$|^none$|^undefined$"
)
_HASH = re.compile(r"^(?:[a-f0-9]{32}|[a-f0-9]{40}|[a-f0-9]{64})$")
_CODE = re.compile(r"^[A-Za-z_][A-Za-z_]*(?:[.:_-][A-Za-z_]+)*$|^[\w.]+\(|^[./~]|^\d+$|^sha\d{3}-")
_SHORTEST = 12  # no rule matches less
_ENTROPY_BITS = 3.2  # a character; English identifiers lie below 3, random keys near 4 and above
_TELLING_KEY = re.compile(rf"(?i){_TELLING}$")


def redact(text: str) -> tuple[str, Counter[str]]:
    """(text with every secret replaced, how many of each kind)."""
    found: Counter[str] = Counter()
    if len(text) < _SHORTEST:
        return text, found
    lowered = text.lower()
    for rule in RULES:
        if any(word in lowered for word in rule.keywords):
            text, count = _apply(rule, text)
            if count:
                found[rule.name] += count
    return text, found


def _apply(rule: Rule, text: str) -> tuple[str, int]:
    parts: list[str] = []
    at = count = 0
    for match in _compiled(rule.source).finditer(text):
        group = "secret" if match["secret"] is not None else "secret2"
        value = match[group]
        if "[redacted:" in value or (rule.check and not looks_random(value)):
            continue
        if rule.name == "url-password" and _HARMLESS.search(value):
            continue
        parts += [text[at : match.start(group)], f"[redacted:{rule.name}]"]
        at = match.end(group)
        count += 1
    return ("".join([*parts, text[at:]]), count) if count else (text, 0)


def looks_random(value: str) -> bool:
    """Whether a value beside a telling name is a secret and not a name, path, hash or example."""
    bare = value.strip("\"'`,;.")
    if len(bare) < 8 or _HARMLESS.search(bare) or _HASH.match(bare) or _CODE.match(bare):
        return False
    kinds = sum(
        (
            any(c.islower() for c in bare),
            any(c.isupper() for c in bare),
            any(c.isdigit() for c in bare),
            any(not c.isalnum() for c in bare),
        )
    )
    return kinds >= 2 and _entropy(bare) >= min(_ENTROPY_BITS, math.log2(len(bare)) * 0.8)


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def redact_json(value: Any) -> tuple[Any, Counter[str]]:
    """Any JSON value with the secrets in its strings replaced; keys too."""
    found: Counter[str] = Counter()

    def text(given: str, key: str) -> str:
        if _TELLING_KEY.search(key) and looks_random(given):
            found["assigned-secret"] += 1
            return "[redacted:assigned-secret]"
        clean, count = redact(strip_ours(strip_private(given)[0]))
        found.update(count)
        return clean

    return walk(value, text), found


def walk(value: Any, change: Any) -> Any:
    """A copy of a JSON value with ``change(text, key)`` applied to every string; any depth."""
    out: list[Any] = [None]
    waiting: list[tuple[Any, Any, Any, str]] = [(value, out, 0, "")]
    while waiting:
        given, place, at, key = waiting.pop()
        if isinstance(given, str):
            place[at] = change(given, key)
        elif isinstance(given, dict):
            made: dict[str, Any] = {}
            place[at] = made
            for name, inner in given.items():
                safe = change(str(name), "")
                made[safe] = None
                waiting.append((inner, made, safe, str(name)))
        elif isinstance(given, (list, tuple)):
            place[at] = items = [None] * len(given)
            waiting += [(inner, items, i, key) for i, inner in enumerate(given)]
        else:
            place[at] = given
    return out[0]


def redact_payload(body: bytes) -> bytes:
    """A hook's payload with its secrets replaced; text that is not JSON is redacted as text."""
    try:
        value = json.loads(body)
        safe, _ = redact_json(value)
        return json.dumps(safe, separators=(",", ":")).encode("ascii")
    except (ValueError, RecursionError):
        plain = body.decode("utf-8", "surrogateescape")
        return redact(strip_private(plain)[0])[0].encode("utf-8", "surrogateescape")
