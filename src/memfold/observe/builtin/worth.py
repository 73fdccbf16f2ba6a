"""How much a statement tells someone who was not there."""

from __future__ import annotations

import re
from collections.abc import Callable

from memfold.observe.builtin import cues_cjk
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
    r"(?:rebase|merge|build|deploy\w*|commit|push|install\w*|set-?up|migration|task) (?:is |was )?(?:complete|done|finished|succe\w+)|.{0,30}\b(?:batch|step|part|phase|round|pass)\b.{0,30}\bis (?:done|complete|finished)|nothing (?:to commit|else)|.{0,80}\bnow sits? on top of\b|.{0,60}\bcommits? (?:ahead|behind)\b|force[- ]push|the (?:session|process|thread|task|job|container|conversation|run)(?:'s)? (?:id|ID)\b|on branch|left .{3,80} (?:alone|untracked)|no (?:action|changes?) needed)",
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
_SO = re.compile(r", so (?!i\b|we\b|you\b|let\b|(?:it|that|this)(?:'|’)s\b)\w+", re.IGNORECASE)
_CONTENTS = re.compile(
    r"^(?:[^:：]{3,40}[:：]\s*)?(?:contains|includes|provides|covers|describes|lists)\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\bnow (?:\w+(?:s|ed)\b|returns|falls|uses|handles|accepts|rejects|joins|canonical|normal|has)"
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
_HEDGED = re.compile(
    r"\b(?:probably|maybe|perhaps|possibly|might|presumably|i (?:think|guess|suspect|believe)|seems? to"
    r"|not sure|appears to|looks like)\b|(?:可能|也許|也许|大概|應該是|应该是|かもしれ|おそらく|たぶん)",
    re.IGNORECASE,
)
_ANSWERED = re.compile(  # says that something was dealt with, not what
    r"^(?:i(?:'|’)?(?:ve| have)?\s+|we\s+|also\s+)*(?:appl(?:ied|y)|addressed|implemented|incorporated|resolved|handled|made|completed"
    r"|finished|fixed|updated|changed|created|added|did)\s+(?:(?:all|both|the|these|those|every|each|some|your|a|an|few|several|two|three|\d+|of|"
    r"requested|suggested|necessary|required|needed|regression|unit|new|basic|main|following|relevant|above|remaining|`[\w-]+`(?:'|’)s|\w+(?:'|’)s)\s+)*"
    r"(?:suggestions?|feedback|comments?|changes?|requests?|reviews?|fix(?:es)?|notes?|issues?|coverage|tests?|todos?|tasks?|files?|steps?|items?|edits?|docs?|documentation|code|implementation|plan|work|things)\b"
    r"(?!.*(?:`[^`]+`[^.]*`|\b(?:now|because|so that|instead)\b))",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"^(?!This|Does|Was|Has|Is|Its|As)[A-Z][a-z]+s (?:(?:with|the|a|an|only|in|by|for|to|all|any|on|at|from)\b|`)"
)
_PRAISE = re.compile(
    r"\b(?:excellent|great (?:job|work|question)|nice(?:ly)? (?:work|done)|well[- ](?:structured|written|designed|organi[sz]ed|done|thought)"
    r"|impressive|beautiful(?:ly)?|solid (?:work|foundation|implementation)|robust and|production[- ]ready|ready (?:to|for) (?:use|merge|production|ship)"
    r"|looks (?:good|great|solid|right|correct|fine))\b|做得好|非常好|很棒|素晴らし",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"^(?:the )?(?:plan|next steps?|todo|goal|approach|proposal|idea|task \d+|step \d+|phase \d+)\b\W|\b(?:still needs? to|to be done|will be (?:added|done|implemented|fixed)|needs to be (?:added|done|implemented))\b"
    r"|^(?:計畫|计划|下一步|待辦|今後|予定|次のステップ)",
    re.IGNORECASE,
)
_CHECKED = re.compile(
    r"^`[^`]+`.{0,20}(?:\b(?:pass(?:es|ed)?|ran|succeed(?:s|ed)?|clean|green|ok)\b|\b0 (?:errors|failures))",
    re.IGNORECASE,
)
_LOOKED = re.compile(
    r"^(?:i(?:'|’)?(?:ve| have)?\s+|also\s+|now\s+)*(?:read|listed|looked|searched|scanned|reviewed|checked|inspected|explored|ran|examined|can see)\b"
    r"(?!.*\b(?:found|because|but)\b)|^(?:[^:：]{0,20}[:：]\s*)?(?:讀取|读取|查看|查詢|查询|搜索|搜尋|檢視|检视|阅读|閱讀|確認した|調査した)",
    re.IGNORECASE,
)
_FILE_ALONE = re.compile(
    r"^(?:i(?:'|’)?(?:ve| have)?\s+|also\s+)*(?:new file\b.*|(?:created?|wrote|written|updated?|edited|added|modified|deleted|saved)\W+(?:(?:a|the|new|basic|your|file|called|to)\s+)*`?[\w./-]+\.\w{1,5}`?"
    r"(?:\s+(?:file|with|as requested|in (?:your|the) .{0,30}|for (?:you|this) .{0,30}|successfully|to reflect .{0,60}))?[.:]?)$",
    re.IGNORECASE,
)
_WHOLESALE = re.compile(
    r"\ball (?:of )?(?:the )?(?:major|key|main|necessary|required|relevant|important)\b|\bprogress tracking\b|\b(?:for|in) (?:those|these) (?:cases|areas|parts)\b",
    re.IGNORECASE,
)
# The object is named in the sentence before: `Keep it only if ...`, `Drop both`.
_POINTS_BACK = re.compile(
    r"^(?:(?:(?:my )?(?:recommendation|verdict|take|conclusion)|tl;?dr|bottom line)\W+)?(?:i(?:'|’)d |i |we )?"
    r"(?:keep|kept|drop|dropped|leave|left|remove|removed|use|used|add|added|fix|fixed|change|changed|move|moved"
    r"|base|based|revert|reverted|merge|merged|skip|rename|renamed|delete|deleted|do|did|tried|try|made|make) "
    r"(?:it|this|that|them|these|those|both|all of (?:it|them))\b",
    re.IGNORECASE,
)
_SO_FAR = re.compile(
    r"\b(?:in (?:that|this) (?:pass|step|round|run|batch|turn)|so far|for the time being|at this point|up to now)\b"
    r"|目前為止|目前为止|現時点で|いまのところ",
    re.IGNORECASE,
)
_FOUND_FILES = re.compile(
    r"^(?:[^:：]{0,30}[:：]\s*)?found \d+ (?:`[^`]+` )?\w* ?files?\b", re.IGNORECASE
)
_AND_SO_ON = re.compile(
    r"\bvarious\b|\ba (?:mix|variety|collection|wide range|range) of\b|\bet cetera\b|\betc\b|\band (?:so on|many more|much more)\b",
    re.IGNORECASE,
)
# A finite verb, or what stands for one. A line without any is a heading or an item of contents.
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|can|could|will|would|must|may|might|should|shall|cannot|\w+n(?:'|’)t|\w+(?:'|’)(?:s|re|ve|d|ll)"
    r"|\w{2,}ed|built|broke|broken|brought|came|chose|chosen|cut|fell|found|gave|given|goes|got|held|hid|hung|kept|knew|known|led|left|lost|made|means"
    r"|meant|met|put|ran|read|rewrote|rewritten|said|sat|saw|sent|set|shut|shown|split|stood|taken|took|threw|thrown|told|went|won|wrote|written"
    r"|needs?|lacks?|never|always|no longer|now|not|only|without|instead|rather than|missing|unused|unreachable|duplicate\w*"
    r"|add|fix|remove|rename|replace|drop|use|keep|make|move|return|avoid|prevent|fail|close|allow|support|handle|run|call|pass|write|send)\b"
    r"|\b\w{2,}s (?:`|a\b|an\b|the\b|its?\b|to\b|no\b|all\b|any\b|every\b|each\b|from\b|with\b|on\b|in\b|into\b|as\b|at\b|by\b|up\b|out\b|over\b|too\b|twice\b|when\b|if\b|before\b|after\b|that\b|\d)"
    r"|\w`? (?:\w+ )?\w{3,}(?:s|es) (?:\w+ly|\w+s|[a-z]+)\b(?![)])|→|->|=|≠|<|>|✓|%",
    re.IGNORECASE,
)
_SHORTEST, _SHORTEST_CJK = 16, 6


def _is_heading(said: Statement) -> bool:
    """No sentence: a thing is named, and nothing is said of it."""
    text = _ASIDE.sub("", said.text)
    if cues_cjk.WRITTEN.search(text) or says_done(said):
        return False
    return not _VERB.search(text)


_ASIDE = re.compile(r"\([^()]*\)")


def says_done(said: Statement) -> bool:
    """Whether it says that the agent changed something."""
    return bool(_DONE.match(said.text) or cues_cjk.DONE.search(said.text))


# What a statement is weighed by: (name, points, how often it holds). One table: `memfold why`
# names what spoke for a title, docs/reference/observer.md lists all.
_Weight = tuple[str, float, Callable[[Statement], float]]
WEIGHTS: tuple[_Weight, ...] = (
    ("says what was done", 2.5, says_done),
    ("names a cause or a consequence", 2.0, lambda s: _holds(_CAUSE.search(s.text) or cues_cjk.CAUSE.search(s.text))),
    ("draws a consequence", 1.0, lambda s: _holds(_SO.search(s.text))),
    ("says how it is now", 2.5, lambda s: _holds(_NOW.search(s.text))),
    ("gives advice with a reason", 2.0, lambda s: _holds(_ADVICE.match(s.text))),
    ("names code", 0.7, lambda s: min(len(_CODE.findall(s.text)), 2)),
    ("holds a number", 0.5, lambda s: _holds(_NUMBER.search(s.text))),
    ("sums up the list below it", 1.5, lambda s: s.text.endswith((":", "："))),
    ("is a numbered finding", 1.0, lambda s: s.numbered),
    ("opens a paragraph", 0.6, lambda s: s.first and not s.bullet),
    ("is a verdict", 1.0, lambda s: _holds(_VERDICT.match(s.under) or _VERDICT.match(s.text))),
    ("orders the user", -2.0, lambda s: _holds(_ORDER.match(s.text))),
    ("is about tests alone", -2.5, lambda s: _holds(_ONLY_TESTS.match(s.text))),
    ("is a plan", -3.0, lambda s: _holds(_PLANNED.search(s.text) or _PLAN.search(s.text))),
    ("is a line of help", -3.0, lambda s: _holds(_HELP_LINE.match(s.text))),
    ("keeps its number", -2.0, lambda s: _holds(_NUMBERED_HEAD.match(s.text))),
    ("needs the sentence before it", -2.5, lambda s: _holds(_VAGUE.match(s.text))),
    ("points to what was said before", -4.5, lambda s: _holds(_POINTS_BACK.match(s.text))),
    ("names a thing and says nothing of it", -4.0, _is_heading),
    ("has no subject", -3.0, lambda s: _holds(_NO_SUBJECT.match(s.text) or _CONTENTS.match(s.text))),
    ("says only that checks pass", -3.0, lambda s: _holds(_PASSING.match(s.text)) and not says_done(s)),
    ("is a state of the moment", -3.0, lambda s: _holds(_STATUS.match(s.text))),
    ("is a state of the moment", -3.0, lambda s: _holds(_SO_FAR.search(s.text))),
    ("is a state of the moment", -5.0, lambda s: _holds(cues_cjk.STATUS.search(s.text))),
    ("says that something was dealt with, not what", -3.5, lambda s: _holds(_ANSWERED.match(s.text))),
    ("says only that checks pass", -6.0, lambda s: _holds(_CHECKED.match(s.text))),
    ("says what was looked at, not what was found", -4.0, lambda s: _holds(_LOOKED.match(s.text) or _FOUND_FILES.match(s.text))),
    ("names a file and nothing in it", -4.0, lambda s: _holds(_FILE_ALONE.match(s.text) or cues_cjk.FILE_ALONE.match(s.text))),
    ("speaks of everything at once", -2.5, lambda s: _holds(_WHOLESALE.search(s.text) or _AND_SO_ON.search(s.text))),
    ("is a guess", -1.5, lambda s: _holds(_HEDGED.search(s.text))),
    ("praises", -4.0, lambda s: _holds(_PRAISE.search(s.text))),
    ("is long", -1.0, lambda s: len(s.text) > 260),
    ("is short", -1.0, lambda s: len(s.text) < 30 and s.text.isascii()),
)  # fmt: skip


def _holds(found: object) -> bool:
    return bool(found)


def weighed(said: Statement) -> tuple[tuple[str, float], ...]:
    """(what it was weighed by, points), without those that do not hold."""
    found = ((name, points * times(said)) for name, points, times in WEIGHTS)
    return tuple((name, points) for name, points in found if points)


def worth(said: Statement) -> float:
    """Its score; NOTHING for what must never be a title."""
    if nothing_in(said):
        return NOTHING
    return sum(points for _, points in weighed(said))


def nothing_in(said: Statement) -> str:
    """Why it must never be a title: question, promise, offer, chat, fragment; '' where it may."""
    return next((name for name, holds in NOTHINGS if holds(said)), "")


def _is_fragment(said: Statement) -> bool:
    short = _SHORTEST_CJK if cues_cjk.WRITTEN.search(said.text) else _SHORTEST
    return len(said.text) < short or said.text.endswith((",", "，", "、"))


def _is_chat(said: Statement) -> bool:
    return any(cue.match(said.text) for cue in (_TALK, _CHAT, cues_cjk.TALK))


def _says_what_was_done(said: Statement) -> bool:
    """An introduction such as ``All `a` occurrences renamed to `b`:`` and not ``Summary:``."""
    done = says_done(said) or _DONE_LATER.search(said.text)
    return bool(done and (_CODE.search(said.text) or _NUMBER.search(said.text)))


NOTHINGS: tuple[tuple[str, Callable[[Statement], bool]], ...] = (
    ("fragment", _is_fragment),
    ("question", lambda s: s.text.endswith(("?", "？"))),
    ("promise", lambda s: _holds(_PROMISE.match(s.text) or cues_cjk.PROMISE.search(s.text))),
    ("offer", lambda s: _holds(_OFFER.search(s.text[:120]) or cues_cjk.OFFER.search(s.text))),
    ("chat", _is_chat),
    ("introduction", lambda s: _holds(_INTRO.search(s.text)) and not _says_what_was_done(s)),
)
