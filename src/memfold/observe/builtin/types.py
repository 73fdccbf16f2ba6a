"""Which type an observation has and which concepts, by rules over its words and its evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FIX = re.compile(
    r"\b(?:fix(?:e[sd]|ing)?|bug(?:s|fix)?|leak(?:s|ed)?|crash|race[sd]?|flak[ey]|regress|broken|dead ?lock"
    r"|nil|null|panic|wrong|incorrect|bypass|resolved|fail(?:s|ed|ing)|error path|repair)\b"
    r"|修正|修復|修复",
    re.IGNORECASE,
)
_FEATURE = re.compile(
    r"\b(?:add(?:s|ed)?|new|introduc\w+|implement\w*|support(?:s|ed)?|creat\w+|feat(?:ure)?|launch\w*"
    r"|pipeline|subcommand|now (?:can|supports|accepts|offers))\b|新增|支援|支持",
    re.IGNORECASE,
)
_REFACTOR = re.compile(
    r"\b(?:renam\w+|refactor\w*|extract\w*|mov(?:e|ed|es)|restructur\w+|simplif\w+|dedup\w*|split|inline[sd]?"
    r"|clean(?:s|ed)? up|reorgani[sz]\w+|consolidat\w+)\b|重構|重构|改名",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:bump\w*|upgrad\w+|downgrad\w+|changelog|readme|docs?|documentation|config\w*|chore|version|lint\w*"
    r"|ci|dependenc\w+|gitignore|license|remov\w+|delet\w+|drop(?:s|ped)?)\b|更新|移除|刪除|统一|統一",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"^(?:kept|keep)\b|\b(?:chosen?|choosing|decid\w+|rejected|instead of|rather than|not worth"
    r"|prefer\w*|opted|recommend\w*|i(?:'|’)d (?:drop|keep|go)|should (?:not|be)|not needed|leave it)\b|決定|决定",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|as |only where|only if|genuinely|would|otherwise|no longer)\b|因為|因为|,|;|—",
    re.I,
)
_SECRET = re.compile(
    r"\b(?:credential|secret|token|password|api key|private key|vulnerab\w+|cve-\d+|injection|xss|csrf"
    r"|privilege|exploit|sandbox escape|path traversal)s?\b",
    re.IGNORECASE,
)
_EXPOSED = re.compile(
    r"\b(?:leak\w*|expos\w+|vulnerab\w+|bypass\w*|inject\w+|traversal|unsafe|plain ?text)\b", re.I
)
_QUIET_FILES = re.compile(
    r"(?:^|/)(?:[^/]*\.(?:md|mdx|rst|txt|ya?ml|toml|json|lock|cfg|ini|mod|sum)|\.[^/]+|LICENSE|Makefile|Dockerfile)$",
    re.IGNORECASE,
)
_BY_COMMIT = {
    "fix": "bugfix",
    "feat": "feature",
    "refactor": "refactor",
    "perf": "refactor",
    "docs": "change",
    "chore": "change",
    "ci": "change",
    "build": "change",
    "test": "change",
    "style": "change",
}


def type_of(
    title: str, context: str, files: Sequence[str], *, changed: bool, commit_kind: str = ""
) -> str:
    """The observation's type. ``files``: those changed; ``context``: narrative and request."""
    if commit_kind in _BY_COMMIT:
        return _BY_COMMIT[commit_kind]
    if _SECRET.search(title) and _EXPOSED.search(title):
        return "security_note" if changed else "security_alert"
    if not changed:
        return "decision" if _DECISION.search(title) and _REASON.search(title) else "discovery"
    quiet = bool(files) and all(_QUIET_FILES.search(path) for path in files)
    weighed = _REASON.search(title) or re.search(r"\b(?:instead of|rather than)\b", title, re.I)
    if weighed and re.match(r"(?:kept|keep|chose|rejected|decided)\b", title, re.I):
        return "decision"
    if quiet and not _FIX.search(title):
        return "change"
    return _by_words(title, context)


def _by_words(title: str, context: str) -> str:
    found = {
        "bugfix": _FIX.search(title),
        "refactor": _REFACTOR.search(title),
        "feature": _FEATURE.search(title),
        "change": _CHANGE.search(title),
    }
    there = {name: match.start() for name, match in found.items() if match}
    if re.match(r"(?:added|updated|extended)\b.{0,40}\b(?:tests?|coverage)\b", title, re.I):
        return "change"
    if "bugfix" in there:
        return "bugfix"
    if there:
        return min(there, key=lambda name: there[name])
    repaired = _FIX.search(context) and not re.search(r"\b(?:lint|format|typo)", context, re.I)
    return "bugfix" if repaired else "change"


def concepts_of(type_: str, title: str, narrative: str) -> tuple[str, ...]:
    """At most three, by the first rules that hold."""
    text = f"{title} {narrative}"
    rules = (
        ("problem-solution", type_ == "bugfix"),
        (
            "trade-off",
            type_ == "decision"
            or bool(re.search(r"\btrade-?off|at the cost of|downside\b", text, re.I)),
        ),
        (
            "gotcha",
            bool(
                re.search(
                    r"\bsilently|gotcha|surpris\w+|careful|beware|subtle|easy to miss|trap\b",
                    text,
                    re.I,
                )
            ),
        ),
        (
            "why-it-exists",
            bool(re.search(r"\bbecause|so that|the reason\b", text, re.I)) and type_ != "bugfix",
        ),
        ("how-it-works", type_ == "discovery"),
        (
            "pattern",
            bool(
                re.search(r"\bpattern|convention|idiom\w*|everywhere|consistent\w*\b", text, re.I)
            ),
        ),
        ("what-changed", type_ in {"feature", "change", "refactor"}),
    )
    return tuple(name for name, holds in rules if holds)[:3]
