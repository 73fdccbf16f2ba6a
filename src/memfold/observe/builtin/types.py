"""Which type an observation has and which concepts: two tables, the first rule that holds.

docs/reference/observer.md is written from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_FIX = re.compile(
    r"\b(?:fix(?:e[sd]|ing)?|bug(?:s|fix)?|leak(?:s|ed)?|crash|race[sd]?|flak[ey]|regress|broken|dead ?lock"
    r"|nil|null|panic|wrong|incorrect|bypass|resolved|fail(?:s|ed|ing)|error path|repair)\b"
    r"|修正|修復|修复|不具合|バグ|解消|漏れ|誤(?:り|っ)|直し",
    re.IGNORECASE,
)
_FEATURE = re.compile(
    r"\b(?:add(?:s|ed)?|new|introduc\w+|implement\w*|support(?:s|ed)?|creat\w+|feat(?:ure)?|launch\w*"
    r"|pipeline|subcommand|now (?:can|supports|accepts|offers))\b|新增|建立|創建|创建|支援|支持|追加|実装|対応し",
    re.IGNORECASE,
)
_REFACTOR = re.compile(
    r"\b(?:renam\w+|refactor\w*|extract\w*|mov(?:e|ed|es)|restructur\w+|simplif\w+|dedup\w*|split|inline[sd]?"
    r"|clean(?:s|ed)? up|reorgani[sz]\w+|consolidat\w+)\b|重構|重构|改名|リファクタ|移動|分割|統合|名前を変",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:bump\w*|upgrad\w+|downgrad\w+|changelog|readme|docs?|documentation|config\w*|chore|version|lint\w*"
    r"|ci|dependenc\w+|gitignore|license|remov\w+|delet\w+|drop(?:s|ped)?)\b|更新|移除|刪除|删除|统一|統一|削除|変更|升級|升级",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"^(?:kept|keep)\b|\b(?:chosen?|choosing|decid\w+|rejected|instead of|rather than|not worth"
    r"|prefer\w*|opted|recommend\w*|i(?:'|’)d (?:drop|keep|go)|should (?:not|be)|not needed|leave it)\b|決定|决定|不需要保留|採用|采用|選擇|选择|ことにし",
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
_COMMITS = {
    "bugfix": ("fix",),
    "feature": ("feat",),
    "refactor": ("refactor", "perf"),
    "change": ("docs", "chore", "ci", "build", "test", "style"),
}
_SAID_DONE = re.compile(
    r"^(?:added|fixed|removed|renamed|dropped|replaced|switched|updated|moved|changed|bumped|upgraded|introduced"
    r"|implemented|extracted|split|merged|rewrote|refactored|converted|created|deleted|disabled|enabled|configured"
    r"|installed|reverted|restored|documented|ported)\b|^已|(?:に|を)(?:修正|追加|削除|変更|更新|実装)|^(?:統一|统一|建立|創建|创建|精簡|精简|修改|新增|移除|更新|修正|刪除|删除)",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`]*`")
_TESTS_ALONE = re.compile(
    r"^(?:added|updated|extended)\b.{0,40}\b(?:tests?|coverage)\b", re.IGNORECASE
)
_OPTED = re.compile(r"^(?:kept|keep|chose|rejected|decided)\b", re.IGNORECASE)
_WEIGHS = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a type is decided from."""

    title: str
    context: str = ""  # narrative and request
    files: Sequence[str] = ()  # changed
    changed: bool = False  # a file, the history, a dependency
    commit_kind: str = ""
    chosen: bool = False  # the user's own answer to a question


@dataclass(frozen=True, slots=True)
class TypeRule:
    """One row of the table."""

    type: str
    when: str  # in words
    example: str  # a title that it holds for
    holds: Callable[[Seen], object]
    shown_as: Seen | None = field(default=None)  # what else the example needs

    def case(self) -> Seen:
        """The example as a case."""
        return self.shown_as or Seen(self.example)


def _quiet(seen: Seen) -> bool:
    return bool(seen.files) and all(_QUIET_FILES.search(path) for path in seen.files)


def _exposed(seen: Seen) -> bool:
    return bool(_SECRET.search(seen.title) and _EXPOSED.search(seen.title))


def _done(seen: Seen) -> bool:
    return seen.changed or bool(_SAID_DONE.search(seen.title))


def _first_word(seen: Seen) -> str:
    """The type whose telling word comes first in the title; code tells nothing (`Set.Add`)."""
    said = _CODE.sub(lambda code: " " * len(code.group()), seen.title)
    words = {"refactor": _REFACTOR, "feature": _FEATURE, "change": _CHANGE}
    there = {name: m.start() for name, word in words.items() if (m := word.search(said))}
    return min(there, key=lambda name: there[name]) if there else ""


def _repaired(seen: Seen) -> bool:
    quiet = re.search(r"\b(?:lint|format|typo)", seen.context, re.IGNORECASE)
    return bool(_FIX.search(seen.context)) and not quiet and not _first_word(seen)


_EDITED = ("src/pool.py",)
TYPES: tuple[TypeRule, ...] = (
    TypeRule("decision", "the user answered a question", "Redis, because two processes share it",
             lambda s: s.chosen, Seen("Redis, because two processes share it", chosen=True)),
    *(
        TypeRule(name, f"the commit subject starts with {', '.join(f'`{k}:`' for k in kinds)}",
                 "Close the body of every response",
                 lambda s, kinds=kinds: s.commit_kind in kinds,  # type: ignore[misc]
                 Seen("Close the body of every response", changed=True, commit_kind=kinds[0]))
        for name, kinds in _COMMITS.items()
    ),
    TypeRule("security_note", "a credential or a vulnerability that leaked or was exposed, and something was changed",
             "Access token no longer leaks into the log", lambda s: s.changed and _exposed(s),
             Seen("Access token no longer leaks into the log", files=_EDITED, changed=True)),
    TypeRule("security_alert", "the same, and nothing was changed", "Access token leaks into the log", _exposed),
    TypeRule("decision", "nothing was changed and the title weighs options with a reason",
             "Keep the cache because it halves the load",
             lambda s: not _done(s) and _DECISION.search(s.title) and _REASON.search(s.title)),
    TypeRule("discovery", "nothing was changed: no file, no history, no dependency, and the title does not say that something was done",
             "The parser walks the tree twice", lambda s: not _done(s)),
    TypeRule("decision", "the title begins with kept, chose, rejected or decided, and weighs one thing against another",
             "Kept the hint only where it helps",
             lambda s: _OPTED.match(s.title) and (_REASON.search(s.title) or _WEIGHS.search(s.title)),
             Seen("Kept the hint only where it helps", files=_EDITED, changed=True)),
    TypeRule("change", "only docs, configuration, lock files and the like were changed",
             "Bumped go-billy to v6", lambda s: _quiet(s) and not re.match("fix|resolv|repair", s.title, re.IGNORECASE),
             Seen("Bumped go-billy to v6", files=("go.mod",), changed=True)),
    TypeRule("change", "tests were added or extended", "Added tests for the empty input",
             lambda s: _TESTS_ALONE.match(s.title)),
    TypeRule("bugfix", "the title says that something wrong was put right", "Fixed the leak in the reader",
             lambda s: _FIX.search(s.title)),
    TypeRule("feature", "the first telling word of the title is added, new, supports ...", "Added a version command",
             lambda s: _first_word(s) == "feature"),
    TypeRule("refactor", "the first telling word is renamed, moved, extracted, split ...", "Renamed the module",
             lambda s: _first_word(s) == "refactor"),
    TypeRule("bugfix", "the title has no telling word, but what was said around it speaks of a fault",
             "The walk is done once",
             _repaired, Seen("The walk is done once", "It was wrong on loops.", _EDITED, changed=True)),
    TypeRule("change", "none of these holds", "The walk is done once", lambda s: True,  # noqa: ARG005  # a table
             Seen("The walk is done once", files=_EDITED, changed=True)),
)  # fmt: skip


def type_rule(seen: Seen) -> TypeRule:
    """The first rule that holds; the last one always does."""
    return next(rule for rule in TYPES if rule.holds(seen))


def type_of(
    title: str, context: str, files: Sequence[str], *, changed: bool, commit_kind: str = ""
) -> str:
    """The observation's type. ``files``: those changed; ``context``: narrative and request."""
    return type_rule(Seen(title, context, files, changed, commit_kind)).type


@dataclass(frozen=True, slots=True)
class ConceptRule:
    """One row of the table of concepts. ``holds`` gets the type, then title and narrative."""

    concept: str
    when: str
    holds: Callable[[str, str], object]


def _speaks(pattern: str) -> Callable[[str, str], object]:
    found = re.compile(pattern, re.IGNORECASE)
    return lambda _type, text: found.search(text)


_BECAUSE = _speaks(r"\b(?:because|so that|the reason)\b|因為|因为|ため|ので")
_TRADES = _speaks(r"\b(?:trade-?off|at the cost of|downside)\b|取捨|取舍|代價|代价")
CONCEPTS: tuple[ConceptRule, ...] = (
    ConceptRule("problem-solution", "every bugfix", lambda t, _: t == "bugfix"),
    ConceptRule("trade-off", "every decision; trade-off, at the cost of, downside",
                lambda t, text: t == "decision" or _TRADES(t, text)),
    ConceptRule("gotcha", "silently, subtle, surprising, careful, beware, easy to miss, trap",
                _speaks(r"\b(?:silently|gotcha|surpris\w+|careful|beware|subtle|easy to miss|trap)\b|注意|陷阱|落とし穴")),
    ConceptRule("why-it-exists", "because, so that, the reason; not for a bugfix",
                lambda t, text: t != "bugfix" and _BECAUSE(t, text)),
    ConceptRule("how-it-works", "every discovery", lambda t, _: t == "discovery"),
    ConceptRule("pattern", "pattern, convention, idiom, everywhere, consistent",
                _speaks(r"\b(?:patterns?|conventions?|idiom\w*|everywhere|consistent\w*)\b|慣例|惯例|規約")),
    ConceptRule("what-changed", "every feature, change and refactor",
                lambda t, _: t in {"feature", "change", "refactor"}),
)  # fmt: skip


def concepts_of(type_: str, title: str, narrative: str) -> tuple[str, ...]:
    """At most three, by the first rules that hold."""
    text = f"{title} {narrative}"
    return tuple(rule.concept for rule in CONCEPTS if rule.holds(type_, text))[:3]
