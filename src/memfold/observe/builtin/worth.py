"""How much a statement tells someone who was not there."""

from __future__ import annotations

import re

from memfold.observe.builtin.speech import Statement

NOTHING = -100.0
ENOUGH = 2.0  # from here on a statement may become a title

_PROMISE = re.compile(
    r"^(?:ok(?:ay)?,?\s+|good[,.]?\s+|great[,!.]?\s+|perfect[,!.]?\s+|now,?\s+|first,?\s+|next,?\s+"
    r"|then,?\s+|so,?\s+|and\s+|also\s+|finally,?\s+|alright,?\s+|sure[,!.]?\s+|right[,.]?\s+)*"
    r"(?:i(?:'|’)?ll\b|i will\b|i(?:'|’)m (?:\w+ing|about|now|on (?:a|the|it))\b|i am (?:going"
    r"|now)\b|let me\b|let(?:'|’)s\b|i need to\b|i should\b|i want to\b|i(?:'|’)d like\b|we(?:'|’)ll\b"
    r"|time to\b|going to\b|before i\b|checking\b|reading\b|looking (?:at|for|into)\b|scanning\b"
    r"|running\b|fetching\b|verifying\b|searching\b|updating\b|reviewing\b|exploring\b|starting\b"
    r"|continuing\b|waiting\b|launching\b|creating\b|working on\b|next,|now (?:i|let|the plan)\b"
    r"|to (?:do this|start|begin)\b)",
    re.IGNORECASE,
)
_PROMISE_CJK = re.compile(
    r"^(?:好的?[，,。]?)?(?:我(?:將|将|會|会|來|来|先|現在|现在)|讓我|让我|接下來|接下来|現在讓|首先我)"
)
_OFFER = re.compile(
    r"(?:^|\b)(?:if you(?:'|’)?(?:d| would)? (?:want|like|prefer|need)|want me to|would you like"
    r"|let me know|should i\b|shall i\b|do you want|happy to|feel free|ready when|just say|tell me"
    r"|i can (?:also )?(?:patch|do|make|add|write|help)|ping me|any questions|sound good"
    r"|no response requested|all yours)",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"^(?:you(?:'|’)re (?:absolutely )?(?:right|welcome)|i see\b|i understand\b|good (?:question|catch|point)"
    r"|that(?:'|’)s (?:right|correct|it)|sorry|apologies|https?://\S+$|[^\w`\"'(«「《]|\.{2,}|my mistake)",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:(?:note|tip|important|then|or|also)\W+)?(?:run|restart|use|open|try|see|type|visit|install|needs?|equivalent|execute|note that you|check"
    r"|go to|click|set|make sure|remember|press|copy|paste|export|add|remove|strip|ignore|lowercase|parse"
    r"|keep|trim|then run|wait|start|stop|without|you(?:'ll| can| should| need| may))\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"^(?:so,? )?(?:i(?:'|’)d (?:drop|keep|go|leave|use|prefer|skip)|(?:my )?recommend\w*|in `?auto`? mode)",
    re.I,
)
_CHAT = re.compile(
    r"^(?:yes|no|yep|yeah|done|agreed|great|perfect|good|nice|sure|ok(?:ay)?|thanks?|hello|hi|all done"
    r"|all set|understood|got it|looks good|correct|exactly|absolutely|excellent|everything is (?:done"
    r"|green|fine)|you(?:'|’)re (?:absolutely )?right|both are installed.*|here(?:'|’)s.{0,60})[.!]*$",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"^(?:tests? (?:pass|are)|(?:all|the|full|every|both|build|tests?|lint|everything|verified|verification|`[^`]+`|and|,|\s)*"
    r".{0,60}\b(?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?|compiles?)\b.{0,30}$)",
    re.IGNORECASE,
)
_ONLY_TESTS = re.compile(
    r"^(?:i )?(?:the )?(?:added|updated|extended|new)\b.{0,40}\b(?:tests?|coverage|assertions?)\b"
    r"|^verification (?:was|is)\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(r"\bI(?:'|’)(?:m|ll)\b|\bI will\b")
_NUMBERED_HEAD = re.compile(r"^\d{1,2}[.)]\s")
_HELP_LINE = re.compile(r"^`[^`]+`\s+(?:to|for|when you)\b")
_DONE_LATER = re.compile(
    r"\b(?:renamed|removed|replaced|moved|converted|updated|added|changed) (?:to|from|in|with)\b",
    re.I,
)
_STATUS = re.compile(
    r"^(?:branch.{0,60}\b(?:ahead|behind|diverge[sd]?)\b|committed|pushed|commit(?:ted)? and pushed|branch(?:es)?(?: state| is| are)|working tree|"
    r"nothing (?:to commit|else)|on branch|left .{3,80} (?:alone|untracked)|no (?:action|changes?) needed)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"^(?:i(?:'|’)?(?:ve| have)?\s+|we\s+|also\s+|successfully\s+)*(?:added|fixed|removed|renamed|dropped"
    r"|replaced|switched|updated|moved|changed|bumped|upgraded|introduced|implemented|extracted|split"
    r"|merged|rewrote|refactored|converted|created|deleted|disabled|enabled|configured|installed|reverted"
    r"|restored|documented|hardened|wired|exposed|handled|made|kept|applied|rebased|resolved|simplified"
    r"|normali[sz]ed|canonicali[sz]ed|detached|cached|migrated|deduplicated|tightened|limited|wrapped)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|root cause|caused by|the (?:cause|problem|issue|bug|culprit|reason|fix) (?:is|was)|due to"
    r"|turns? out|which means|as a result|instead of|rather than|so that|no longer|falls? (?:back|through)"
    r"|leak(?:s|ed)?|race(?:s|d)?\b|dead ?lock|crash(?:es|ed)?|panics?|overflow|silently|swallow|never"
    r"|misses|missing|avoid(?:s|ed|ing)|prevent(?:s|ed|ing)?|dereference|unbounded|broken|breaks|fails? (?:when|if|on|because|at)|wrong|incorrect|stale|ignor(?:es|ed))",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\bnow (?:\w+(?:s|ed)\b|returns|falls|uses|handles|accepts|rejects|joins|canonical|normal|has)"
)
_CJK_DONE = re.compile(
    r"已(?:經|经)?|修正|修復|修复|新增|更新|移除|刪除|删除|改為|改为|統一|统一|完成|原因|因為|因为"
)
_CODE = re.compile(
    r"`[^`]+`|\b[\w.-]+/[\w./-]+\b|\b\w+\(\)|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+"
)
_NUMBER = re.compile(r"\d")
_INTRO = re.compile(r"[:：]$")
_VERDICT = re.compile(
    r"^(?:verdict|recommendation|conclusion|my take|bottom line|tl;?dr|decision)\b", re.I
)
_VAGUE = re.compile(
    r"^(?:this|that|it|these|those|they|here|there|he|she|both|none|the (?:same|latter|former|above)"
    r"|which|such|two options|option \d)\b",
    re.IGNORECASE,
)
_SHORTEST, _SHORTEST_CJK = 16, 6


def worth(said: Statement) -> float:
    """Its score; NOTHING for what must never be a title."""
    text = said.text
    if _is_nothing(text):
        return NOTHING
    score = 0.0
    done = bool(_DONE.match(text) or _CJK_DONE.search(text))
    score += 2.5 if done else 0.0
    score += 2.0 if _CAUSE.search(text) else 0.0
    score += 2.5 if _NOW.search(text) else 0.0
    score += 2.0 if _ADVICE.match(text) else 0.0
    score -= 2.0 if _ORDER.match(text) else 0.0
    score -= 2.5 if _ONLY_TESTS.match(text) else 0.0
    score -= 3.0 if _PLANNED.search(text) else 0.0
    score -= 3.0 if _HELP_LINE.match(text) else 0.0
    score -= 2.0 if _NUMBERED_HEAD.match(text) else 0.0
    score += 1.5 if text.endswith((":", "：")) else 0.0  # it sums up the list below it
    score += min(len(_CODE.findall(text)), 2) * 0.7
    score += 0.5 if _NUMBER.search(text) else 0.0
    score += 1.0 if said.numbered else 0.0
    score += 0.6 if said.first and not said.bullet else 0.0
    score += 1.0 if _VERDICT.match(said.under) or _VERDICT.match(text) else 0.0
    score -= 2.5 if _VAGUE.match(text) else 0.0
    score -= 3.0 if _PASSING.match(text) and not done else 0.0
    score -= 3.0 if _STATUS.match(text) else 0.0
    score -= 1.0 if len(text) > 260 else 0.0
    score -= 1.0 if len(text) < 30 and text.isascii() else 0.0
    return score


def _says_what_was_done(text: str) -> bool:
    """An introduction such as ``All `a` occurrences renamed to `b`:`` and not ``Summary:``."""
    done = _DONE.match(text) or _DONE_LATER.search(text) or _CJK_DONE.search(text)
    return bool(done and (_CODE.search(text) or _NUMBER.search(text)))


def _is_nothing(text: str) -> bool:
    short = _SHORTEST if text.isascii() else _SHORTEST_CJK
    return (
        len(text) < short
        or text.endswith(("?", "？"))
        or (bool(_INTRO.search(text)) and not _says_what_was_done(text))
        or bool(_TALK.match(text))
        or bool(_PROMISE.match(text))
        or bool(_PROMISE_CJK.match(text))
        or bool(_OFFER.search(text[:120]))
        or bool(_CHAT.match(text))
    )
