"""What secrets look like: one line a kind, by the formats their providers publish.

The table is ours, written from the providers' own pages on their keys; no other tool's rules were
copied. The scanners that are maintained elsewhere were measured and not taken (see the decision).

A rule holds the words to look for (fast), and a pattern that is tried where such a word stands,
``back`` characters before it. Its group ``secret`` is what is replaced. ``loose`` words are
looked for in any case of letters. ``solid``: soon after the word come at least 14 letters and
digits in a row, so a text without any needs no look at all. ``check``: the value must also look
like a secret. Source: docs/decisions/0005-redaction-before-the-disk.md.
"""

from __future__ import annotations

import re


class Rule:
    """One kind of secret."""

    __slots__ = ("_compiled", "back", "check", "loose", "name", "pattern", "solid", "words")

    def __init__(
        self,
        name: str,
        words: str,
        pattern: str,
        *,
        back: int = 0,
        loose: bool = False,
        solid: bool = False,
        check: bool = False,
    ) -> None:
        self.name = name
        self.words = tuple(word.replace("·", " ") for word in words.split())
        self.pattern = pattern
        self.back = back
        self.loose = loose
        self.solid = solid
        self.check = check
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        # On first need: all of them take 30 ms, which a daemon's start and a spooling hook save.
        if self._compiled is None:
            self._compiled = re.compile(self.pattern)
        return self._compiled


def _key(name: str, words: str, rest: str, *, check: bool = False) -> Rule:
    """A key that begins with one of ``words``, stands free and goes on with ``rest``."""
    start = "|".join(re.escape(word) for word in words.split())
    pattern = rf"(?<![A-Za-z0-9_])(?P<secret>(?:{start}){rest})(?![A-Za-z0-9_])"
    return Rule(name, words, pattern, solid=True, check=check)


_PEM = r"(?:[A-Z0-9]{1,20}\ ){0,4}PRIVATE\ KEY(?:\ BLOCK)?-----"
_GAP = r"(?:\s|\\[nrt]|[\"'`,|>])*+"  # between the lines of a key, also inside a quoted string
# What may stand between a telling name and its value: TOKEN=v, "token": "v", token => 'v', the
# quotes also as they look in JSON that stands in JSON.
_IS = r"(?:\\{0,3}[\"'`])?\]?[ \t]{0,8}(?:=>|:=|==?|:)[ \t]{0,8}(?:[bfru]?\\{0,3}[\"'`])?"
_VALUE = r"[A-Za-z0-9+/_.~!@#^*\-][A-Za-z0-9+/_.~!@#%^*?:|\-]{5,300}+={0,2}"
_KINDS = "api access auth private signing encryption account shared master".split()
_BEFORE_KEY = "|".join(rf"(?<={kind})|(?<={kind}[_-])" for kind in _KINDS)
_PASSWORDS = "password passwd passphrase pwd _pass"

RULES: tuple[Rule, ...] = (
    # keys that stand over several lines
    Rule("private-key", "-----BEGIN", rf"(?P<secret>-----BEGIN\ {_PEM}[^-]*+(?:-(?!----(?:BEGIN|END))[^-]*+)*+-----END\ {_PEM})"),
    Rule("private-key", "-----BEGIN", rf"(?P<secret>-----BEGIN\ {_PEM}(?:{_GAP}[A-Za-z-]{{3,20}}:\ [^\n\\]{{1,100}})*+(?:{_GAP}[A-Za-z0-9+/=]{{16,}}+|(?:\s*\n\s*|(?:\\r)?\\n)[A-Za-z0-9+/=]++(?=\s*\n|\\[nr]|\Z))++)"),
    Rule("putty-key", "Private-Lines:", r"Private-Lines:\s*\d+(?P<secret>(?:(?:\s|\\[nr])++[A-Za-z0-9+/=]{16,}+)++)"),
    Rule("age-key", "AGE-SECRET-KEY-", r"(?P<secret>AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,})", solid=True),
    # clouds
    _key("aws-access-key-id", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}"),
    Rule("aws-secret-key", "secret_access_key secretaccesskey aws_secret secret-access-key", rf"(?i:secret_?-?access_?-?key|aws_secret(?:_key)?){_IS}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])", loose=True),
    Rule("aws-session-token", "session_token sessiontoken", rf"(?i:session_?token){_IS}(?P<secret>[A-Za-z0-9/+]{{100,}}={{0,2}})", loose=True),
    _key("aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{100,}={0,2}"),
    _key("gcp-api-key", "AIza", "[A-Za-z0-9_-]{35}"),
    Rule("gcp-oauth-token", "ya29.", r"(?<![A-Za-z0-9_])(?P<secret>ya29\.[A-Za-z0-9_-]{20,})", solid=True),
    Rule("gcp-refresh-token", "1//0", r"(?<![A-Za-z0-9_/:])(?P<secret>1//0[A-Za-z0-9_-]{40,})", solid=True),
    _key("gcp-client-secret", "GOCSPX-", "[A-Za-z0-9_-]{28}"),
    Rule("azure-storage-key", "AccountKey=", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})", solid=True),
    Rule("azure-shared-key", "SharedAccessKey=", r"SharedAccessKey=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})", solid=True),
    Rule("azure-client-secret", "8Q~ 7Q~", r"(?<![A-Za-z0-9_~.-])(?P<secret>[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34})(?![A-Za-z0-9_~-])", back=3, solid=True),
    Rule("azure-sas", "sig=", r"(?<=[?&;])sig=(?P<secret>[A-Za-z0-9%/+]{40,}={0,2})"),
    Rule("alibaba-key-id", "LTAI", r"(?<![A-Za-z0-9_])(?P<secret>LTAI[A-Za-z0-9]{16,26})(?![A-Za-z0-9_])", solid=True),
    _key("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "[a-f0-9]{64}"),
    Rule("heroku-key", "heroku", r"(?i:heroku[\w .-]{0,30}(?:key|token))\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?(?P<secret>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})", loose=True),
    _key("heroku-key", "HRKU-", "[A-Za-z0-9_-]{36,}"),
    _key("cloudflare-key", "v1.0-", "[a-f0-9]{24}-[a-f0-9]{140,}"),
    _key("flyio-token", "fo1_ fm1_ fm2_ fm1r_", "[A-Za-z0-9+/_=,-]{40,}"),
    _key("netlify-token", "nfp_ nfc_", "[A-Za-z0-9]{36,}"),
    _key("supabase-key", "sbp_ sb_secret_", "[A-Za-z0-9_-]{28,}"),
    _key("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9_.-]{32,}"),
    _key("pulumi-token", "pul-", "[a-f0-9]{40}"),
    Rule("terraform-token", ".atlasv1.", r"(?P<secret>[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,})", back=14, solid=True),
    _key("vault-token", "hvs. hvb. hvr.", "[A-Za-z0-9_-]{24,}"),
    _key("doppler-token", "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.", "[A-Za-z0-9._-]{40,}"),
    _key("databricks-token", "dapi", r"[a-f0-9]{32}(?:-\d)?"),
    # code, packages, continuous integration
    _key("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{36,255}"),
    _key("github-pat", "github_pat_", "[A-Za-z0-9_]{50,255}"),
    _key("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glagent- gloas- glsoat- glft- glimt- glffct-", "[A-Za-z0-9_.-]{20,100}"),
    _key("bitbucket-token", "ATBB ATCTT3", "[A-Za-z0-9_=-]{28,250}"),
    _key("atlassian-token", "ATATT3 ATSTT3", "[A-Za-z0-9_=-]{60,250}"),
    _key("npm-token", "npm_", "[A-Za-z0-9]{36}"),
    Rule("npm-token", "_authToken= _auth= _password=", r"_(?:authToken|auth|password)=[\"']?(?P<secret>[A-Za-z0-9_+/=.-]{16,})", check=True),
    _key("pypi-token", "pypi-AgE", "[A-Za-z0-9_-]{50,}"),
    _key("rubygems-key", "rubygems_", "[a-f0-9]{48}"),
    _key("crates-token", "cio", "[A-Za-z0-9]{32}", check=True),
    _key("nuget-key", "oy2", "[a-z0-9]{43}"),
    _key("docker-token", "dckr_pat_ dckr_oat_", "[A-Za-z0-9_-]{27,}"),
    Rule("docker-auth", '"auth', r"\"auth\\{0,3}\"\s{0,3}:\s{0,3}\\{0,3}\"(?P<secret>[A-Za-z0-9+/]{16,}={0,2})\\{0,3}\""),
    _key("artifactory-token", "AKCp5 AKCp8 AKCp7", "[A-Za-z0-9]{60,80}"),
    _key("circleci-token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9_]{40,}"),
    _key("buildkite-token", "bkua_", "[a-f0-9]{40}"),
    _key("sonar-token", "squ_ sqp_ sqa_", "[a-f0-9]{40}"),
    Rule("kubernetes-key", "client-key-data:", r"client-key-data:\s{0,3}(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    # models
    _key("anthropic-key", "sk-ant-", "[A-Za-z0-9_-]{20,}"),
    _key("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", "[A-Za-z0-9_-]{20,}"),
    _key("openrouter-key", "sk-or-v1-", "[a-f0-9]{64}"),
    _key("langfuse-key", "sk-lf-", "[a-f0-9-]{36}"),
    _key("openai-key", "sk-", "[A-Za-z0-9]{32,64}", check=True),
    _key("groq-key", "gsk_", "[A-Za-z0-9]{40,}"),
    _key("huggingface-token", "hf_ api_org_", "[A-Za-z]{30,}|(?:hf_)[A-Za-z0-9]{30,}"),
    _key("replicate-token", "r8_", "[A-Za-z0-9]{37}"),
    _key("perplexity-key", "pplx-", "[A-Za-z0-9]{40,}"),
    _key("xai-key", "xai-", "[A-Za-z0-9]{60,}"),
    _key("langsmith-key", "lsv2_pt_ lsv2_sk_", "[a-f0-9]{32}_[a-f0-9]{10}"),
    _key("tavily-key", "tvly-", "[A-Za-z0-9-]{28,}"),
    _key("pinecone-key", "pcsk_", "[A-Za-z0-9_]{50,}"),
    # messages, money, monitoring, office
    _key("slack-token", "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xapp-", "[A-Za-z0-9.%-]{16,}"),
    Rule("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,})"),
    Rule("discord-webhook", "/api/webhooks/", r"/api/webhooks/(?P<secret>\d{10,}/[A-Za-z0-9_-]{40,})", solid=True),
    Rule("telegram-token", ":AA", r"(?<=\d{8}):(?P<secret>AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])", solid=True),
    _key("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", "[A-Za-z0-9]{16,}"),
    Rule("stripe-webhook", "whsec_", r"(?<![A-Za-z0-9_])(?P<secret>whsec_[A-Za-z0-9+/]{24,}={0,2})"),
    _key("square-token", "sq0atp- sq0csp- sq0idp- EAAA", "[A-Za-z0-9_-]{22,}", check=True),
    _key("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[a-fA-F0-9]{32}"),
    Rule("paypal-token", "access_token$", r"(?P<secret>access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})", solid=True),
    _key("plaid-token", "access-production- access-development- access-sandbox-", "[0-9a-f-]{36}"),
    _key("sendgrid-key", "SG.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    _key("mailgun-key", "key-", "[a-f0-9]{32}"),
    Rule("mailchimp-key", "-us", r"(?<![A-Za-z0-9])(?P<secret>[a-f0-9]{32}-us\d{1,2})(?![A-Za-z0-9])", back=32, solid=True),
    _key("twilio-key", "SK", "[a-f0-9]{32}"),
    _key("newrelic-key", "NRAK-", "[A-Z0-9]{27}"),
    Rule("newrelic-key", "NRAL", r"(?<![A-Za-z0-9])(?P<secret>[a-f0-9]{36}NRAL)(?![A-Za-z0-9])", back=36, solid=True),
    Rule("sentry-dsn", "://", r"://(?P<secret>[a-f0-9]{32}(?::[a-f0-9]{32})?)@[a-z0-9.-]{1,80}/\d"),
    _key("grafana-token", "glc_ glsa_", "[A-Za-z0-9+/=_]{32,}"),
    _key("sentry-token", "sntrys_ sntryu_ sntrya_", "[A-Za-z0-9+/=_-]{40,}"),
    _key("honeycomb-key", "hcaik_ hcbik_ hcamk_", "[A-Za-z0-9]{50,}"),
    _key("linear-key", "lin_api_ lin_oauth_", "[A-Za-z0-9]{40,}"),
    _key("notion-token", "ntn_", "[A-Za-z0-9]{40,}"),
    _key("figma-token", "figd_ figo_ figu_", "[A-Za-z0-9_-]{36,}"),
    _key("postman-key", "PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}"),
    _key("dropbox-token", "sl.u. sl.B", "[A-Za-z0-9_-]{60,}"),
    _key("onepassword-token", "ops_eyJ", "[A-Za-z0-9+/=_-]{100,}"),
    _key("mapbox-token", "sk.eyJ", r"[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}"),
    _key("contentful-token", "CFPAT-", "[A-Za-z0-9_-]{43,}"),
    # what any service may use
    Rule("jwt", "eyJ", r"(?<![A-Za-z0-9_-])(?P<secret>eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})", solid=True),
    Rule("bearer-token", "bearer·", r"(?i:bearer) {1,3}(?P<secret>[A-Za-z0-9._~+/=-]{16,})", loose=True, check=True),
    Rule("basic-auth", "authorization", r"(?i:authorization)\\{0,3}[\"']?\s{0,3}[:=,]\s{0,3}\\{0,3}[\"']?(?i:basic)\s{1,3}(?P<secret>[A-Za-z0-9+/]{8,}={0,2})", loose=True),
    Rule("url-password", "://", r"://(?!\[redacted:)[^\s/:@\"'<>\\]{0,80}:(?P<secret>[^\s/@\"'<>\\]{3,200})@"),
    Rule("connection-password", "password pwd", r"(?i:password|pwd)\s{0,3}=\s{0,3}(?P<secret>[^\s;\"'&\\]{3,120})(?=;)", loose=True),
    Rule("cookie", "cookie", r"(?i:cookie)\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}\\{0,3}[\"']?(?P<secret>[A-Za-z0-9_.-]{1,60}=[A-Za-z0-9%._~+/=:-]{16,4000}(?:;\ ?[A-Za-z0-9_.-]{1,60}=[^;\s\"'\\]{0,4000}){0,60})", loose=True, check=True),
    Rule("session-id", "sessionid= sessid= session_id= connect.sid=", r"(?i:sessionid|connect\.sid|session_id|sessid)=(?P<secret>[A-Za-z0-9%._~+/:-]{20,4000})", loose=True, check=True),
    Rule("netrc-password", "login·", r"login\s{1,3}\S{1,80}\s{1,20}password\s{1,3}(?P<secret>[^\s\"'\\]{3,200})"),
    Rule("curl-user", "curl·", r"curl [^\n|;]{0,300}?(?:-u|--user)[ =][\"']?[^\s:\"']{1,80}:(?P<secret>[^\s\"'\\]{3,200})"),
    Rule("mysql-password", "mysql", r"mysql(?:dump|admin|show)? [^\n|;]{0,200}?(?<= )-p(?P<secret>[^\s\"'\\]{4,200})"),
    Rule("sshpass-password", "sshpass·", r"sshpass -p ?[\"']?(?P<secret>[^\s\"'\\]{3,200})"),
    Rule("password-option", "--pass --token --api-key --secret --auth-token --access-", r"--[a-z-]{4,12}[ =]\\{0,3}[\"']?(?P<secret>[^\s\"'\\]{6,500})", check=True),
    Rule("password", _PASSWORDS, rf"(?i:password|passwd|passphrase|pwd|_pass)[A-Za-z0-9_]{{0,24}}+{_IS}(?P<secret>[^\s\"'`\\,;(){{}}\[\]<>]{{4,200}}+)", loose=True, check=True),
    Rule("assigned-secret", "secret token credential key", rf"(?i:secret|token|credential|(?:{_BEFORE_KEY})key)[A-Za-z0-9_]{{0,36}}+{_IS}(?P<secret>{_VALUE})", loose=True, check=True),
)  # fmt: skip
