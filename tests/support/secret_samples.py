"""A made-up secret of every kind, in the providers' published forms.

Every key here is made at run time from a seeded generator: none is real, and none stands in
this file.
"""

from __future__ import annotations

import json
import random
import string

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
    add("newrelic-key", some(HEX, 36) + "NR" + "AL", "license_key: {}")
    add("sentry-dsn", some(HEX, 32), "dsn=https://{}@o1.ingest.sentry.io/4501")
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
    add("assigned-secret", some(HEX, 32), "DD_API_KEY={}")
    add("assigned-secret", some(HEX, 32), "TWILIO_AUTH_TOKEN={}")
    discord = f"M{some(ALNUM, 25)}.G{some(ALNUM, 5)}.{some(URL, 38)}"
    add("assigned-secret", discord, "DISCORD_TOKEN={}")
    add("docker-auth", some(ALNUM, 24) + "=", r"{\"auths\": {\"r\": {\"auth\": \"{}\"}}}")
    return found


CASES = cases()
