"""A turn becomes observations: what was decided, fixed, found or changed, in the agent's words.

Titles come from the agent's own conclusions, else from the commit it made, else from what the
tool calls show. Rules and reasons: docs/decisions/0007-built-in-observer.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memfold import measure
from memfold.observe.builtin import actions
from memfold.observe.builtin.calls import EDIT, kind_of, output_of
from memfold.observe.builtin.clauses import LONGEST
from memfold.observe.builtin.episodes import Episode, episodes
from memfold.observe.builtin.facts import facts_of
from memfold.observe.builtin.judged import lessons
from memfold.observe.builtin.speech import Statement, clean, sentences, statements
from memfold.observe.builtin.symbols import Symbols, symbols_of
from memfold.observe.builtin.titles import alike, shortened, title_of
from memfold.observe.builtin.types import Seen, concepts_of, type_rule
from memfold.observe.builtin.worth import ENOUGH, NOTHING, nothing_in, says_done, weighed, worth
from memfold.observe.paths import relative
from memfold.records import Draft, FileMark, Reply, ToolUse, Turn

OBSERVER = "builtin/2"
MOST_A_TURN = 6
_MOST_FINDINGS = 5
_MOST_FILES = 40
_NARRATIVE_CHARS = 1_200
_REMNANT = 0.7  # points; naming one piece of code gives as many
_CUT = 20  # characters; a lead-in and a full stop are fewer
_SAID_CHARS = 600
_ENDS = (".", "!", "?", ":", "。", "！", "？", "：")
_WIDE = 0x2E80  # from here on scripts have a full stop of their own
_CONCLUSION = 1.5  # a final reply's statements are conclusions, those on the way are plans
_SUBAGENT = 2.0  # what a subagent reports is the main agent's to conclude from
_ASKED = 4.0  # what the user said themselves
_REQUEST_CHARS = 4_000
_SENTENCE_CHARS = 200
_MOST_ASKED = 40
_RESULTS = {"says what was done", "says how it is now", "names a cause or a consequence"}
_SEVERE = re.compile(
    r"(?:critical|high|medium|low|major|minor|severity|p[0-3]|nit|bug|warning)\b\W", re.I
)
_TALK_ENOUGH = 3.0  # a turn without tool calls must say more to be kept


@dataclass(slots=True)
class _Found:
    """A title and what stands behind it."""

    title: str
    score: float
    said: list[Statement]  # statements of the narrative, the telling one first
    commit: actions.Commit | None = None
    source: str = "said"  # said, finding, commit, answer, symbols
    chosen: bool = False  # by the user


_SOURCES = {
    "said": "the agent said it",
    "finding": "one of the agent's numbered findings",
    "commit": "the subject of the commit the agent made",
    "answer": "the user's answer to a question",
    "symbols": "what the edits define, since nothing was concluded",
}


def observe_turn(turn: Turn) -> tuple[Draft, ...]:
    """What the turn taught, at most six; nothing for what teaches nothing. Pure."""
    request = turn.prompt.text if turn.prompt else ""
    drafts: list[Draft] = []
    judged = lessons([step for step in turn.steps if isinstance(step, ToolUse)], turn.earlier_files)
    for episode in episodes(turn.steps):
        drafts += _of_episode(turn, episode, request, judged, [draft.title for draft in drafts])
    return tuple(drafts[:MOST_A_TURN])


def _of_episode(
    turn: Turn,
    episode: Episode,
    request: str,
    judged: Mapping[int, str],
    titles: Sequence[str],
) -> list[Draft]:
    found: list[_Found] = []
    for one in _candidates(episode, request):
        known = [*titles, *(other.title for other in found)]
        if not any(alike(one.title, other) for other in known):
            found.append(one)
    shares = _shares(episode, found)
    scene = _Scene(turn, episode, request, judged, _left_out(episode, judged))
    return [_draft(scene, one, share) for one, share in zip(found, shares, strict=True)]


def _candidates(episode: Episode, request: str) -> list[_Found]:
    """Best first; the number depends on whether it is one change or a list of findings."""
    said = _scored(episode, request)
    findings = _findings(said) if not episode.commits else []
    if findings:
        return findings
    commits = [_of_commit(commit, said) for commit in episode.commits]
    told = _titled(said, ENOUGH if episode.uses else _TALK_ENOUGH)
    if commits:
        return _one(told, commits) if episode.last and len(commits) == 1 else commits
    if told:
        return told[: 2 if _is_second(told) else 1]
    return _of_actions(episode)


def _is_second(told: Sequence[_Found]) -> bool:
    """Whether the next best statement is an observation of its own, not a detail of the best."""
    if len(told) < 2 or told[1].score < ENOUGH + 2:
        return False
    best, second = told[0].said[0], told[1].said[0]
    listed = best.text.endswith((":", "："))  # the best one sums up the list below it
    return second.first and not (listed and second.bullet)


def _scored(episode: Episode, request: str) -> list[tuple[float, Statement]]:
    """Every statement with its score, in the order it was said."""
    found: list[tuple[float, Statement]] = []
    refuted = _changed_nothing(episode)
    asked = [clean(part) for part in sentences(request[:_REQUEST_CHARS])][:_MOST_ASKED]
    own = [at for at, reply in enumerate(episode.replies) if not reply.agent]
    last = own[-1] if own else len(episode.replies) - 1
    for at, reply in enumerate(episode.replies):
        final = at == last and (episode.last or not episode.uses)
        for one in statements(reply.text):
            statement = replace(one, agent=reply.agent) if reply.agent else one
            base = worth(statement) - (_SUBAGENT if reply.agent else 0.0)
            score = base + (_CONCLUSION if final else 0.0) if base > NOTHING / 2 else NOTHING
            if refuted and says_done(statement):
                score = NOTHING  # said to be done, and the calls show that it was not
            if score > NOTHING and _repeats(statement.text, asked):
                score -= _ASKED
            found.append((score, statement))
    return found


def _changed_nothing(episode: Episode) -> bool:
    """Whether files were to be changed and every call that would change anything failed."""
    tried = any(kind_of(use) == EDIT and not use.ok for use in episode.uses)
    return tried and not any(actions.changes_something(use) for use in episode.uses)


def _repeats(text: str, asked: Sequence[str]) -> bool:
    """Whether it is the user's own sentence, not the result that answers it."""
    if any(text.casefold() == one.casefold() for one in asked):
        return True
    done = any(name in _RESULTS for name, _ in weighed(Statement(text)))
    return not done and any(alike(text, one) for one in asked if len(one) < _SENTENCE_CHARS)


def _findings(said: Sequence[tuple[float, Statement]]) -> list[_Found]:
    """A review's numbered findings, one observation each."""
    starts = [at for at, (_, one) in enumerate(said) if one.numbered and one.first]
    if len(starts) < 1:
        return []
    found = []
    for number, at in enumerate(starts):
        until = starts[number + 1] if number + 1 < len(starts) else len(said)
        item = [one for _, one in said[at:until] if one.numbered or one.under == said[at][1].under]
        best = max(said[at:until], key=lambda pair: pair[0] + (5.0 if pair[1] is item[0] else 0.0))
        title = title_of(best[1].text) or title_of(item[0].text)
        if title and said[at][0] >= ENOUGH and _is_finding(said[at:until]):
            found.append(_Found(title, said[at][0], item[:5], source="finding"))
    return found[:_MOST_FINDINGS] if len(found) > 1 else []


def _is_finding(item: Sequence[tuple[float, Statement]]) -> bool:
    """Whether a numbered item says more than a step of a walk through the code does."""
    if any(_SEVERE.match(one.text) for _, one in item[:2]):
        return True
    telling = {*_RESULTS, "draws a consequence"}
    return any(name in telling for _, one in item for name, _ in weighed(one))


def _titled(said: Sequence[tuple[float, Statement]], enough: float) -> list[_Found]:
    """Statements good enough for a title, the best first; equal ones as they were said."""
    found = []
    for at, (score, statement) in enumerate(said):
        if score < enough:
            continue
        title = title_of(statement.text)
        if title and not _is_remnant(statement, title):
            after = [one for points, one in said[at + 1 : at + 5] if points > NOTHING]
            # A title that had to be shortened says a little less.
            lost = len(statement.text) - len(title)
            shortened = 0.5 if lost > 60 else 0.0
            alone = worth(replace(statement, text=title)) if lost > _CUT else ENOUGH
            shortened += 3.0 if alone < 1.0 else 0.0  # what is left says too little
            shortened += 1.0 if lost > 1.5 * len(title) else 0.0
            found.append(_Found(title, score - shortened, [statement, *after]))
    found.sort(key=lambda one: -one.score)
    return found


def _is_remnant(statement: Statement, title: str) -> bool:
    """Whether a long statement was cut to a title that tells nothing: ``The list is built``."""
    cut = len(statement.text) - len(title) > len(title)
    return cut and worth(replace(statement, text=title)) < _REMNANT


def _of_commit(commit: actions.Commit, said: Sequence[tuple[float, Statement]]) -> _Found:
    body = statements(commit.body)
    words = [one for score, one in said if score >= ENOUGH]
    plain = shortened(clean(commit.subject)) or "Commit without a subject"
    title = title_of(commit.subject) or plain[0].upper() + plain[1:]
    return _Found(title, 5.0, [*body[:4], *words[:4]], commit, source="commit")


def _one(told: Sequence[_Found], commits: Sequence[_Found]) -> list[_Found]:
    """One commit and one conclusion are one fact: the conclusion says why, if it says enough."""
    (made,) = commits
    if not told or told[0].score < ENOUGH + 2.5:
        return [made]
    best = told[0]
    return [_Found(best.title, best.score, [*best.said, *made.said[:2]], made.commit)]


def _of_actions(episode: Episode) -> list[_Found]:
    """Where nothing worth a title was said: the user's decisions, what the edits define."""
    for use in episode.uses:
        for question, answer in actions.answers_of(use):
            title = title_of(f"{clean(answer)}: the user's answer to “{clean(question)}”")
            if title:
                return [_Found(title, ENOUGH, [], source="answer", chosen=True)]
    return _of_symbols(episode)


def _of_symbols(episode: Episode) -> list[_Found]:
    """What the edits define, where they brought or took a name; a mere change says too little."""
    by_path = symbols_of(episode.uses)
    telling = {path: one for path, one in by_path.items() if one.added or one.removed}
    parts = [_in_title(path, one) for path, one in telling.items()]
    for many in (len(parts), 2, 1):
        title = "; ".join(parts[:many])
        if parts and len(title) <= LONGEST:
            return [_Found(title[0].upper() + title[1:], ENOUGH, [], source="symbols")]
    return []


def _in_title(path: str, symbols: Symbols) -> str:
    names = symbols.added or symbols.removed
    shown = ", ".join(f"`{name}`" for name in names[:2])
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    what, where = ("added", "to") if symbols.added else ("removed", "from")
    return f"{what} {shown}{more} {where} `{path.rsplit('/', 1)[-1]}`"


def _left_out(episode: Episode, judged: Mapping[int, str]) -> str:
    """What of an episode is in none of its observations, counted by reason."""
    said = Counter(
        nothing_in(one) or ("says too little" if worth(one) < ENOUGH else "")
        for reply in episode.replies
        for one in statements(reply.text)
    )
    uses = Counter(judged[use.id] for use in episode.uses)
    return "; ".join(
        f"{_count(counted, word)}: {_reasons(counted)}"
        for counted, word in ((said, "sentence"), (uses, "tool use"))
        if _reasons(counted)
    )


def _count(counted: Counter[str], word: str) -> str:
    total = sum(number for reason, number in counted.items() if reason)
    return f"{total} {word}{'' if total == 1 else 's'}"


def _reasons(counted: Counter[str]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in counted.most_common() if reason)


def _shares(episode: Episode, found: Sequence[_Found]) -> list[list[ToolUse]]:
    """The tool uses behind each: those that touch files it names, the rest to the first."""
    shares: list[list[ToolUse]] = [[] for _ in found]
    for use in episode.uses:
        owner = 0
        paths = (*use.files_changed, *use.files_read)
        names = {path.rsplit("/", 1)[-1] for path in paths if "." in path}
        for at, one in enumerate(found):
            text = f"{one.title} {' '.join(said.text for said in one.said)}"
            if any(name in text for name in names):
                owner = at
                break
        if found:
            shares[owner].append(use)
    return shares


@dataclass(frozen=True, slots=True)
class _Scene:
    """What the observations of one episode have in common."""

    turn: Turn
    episode: Episode
    request: str
    judged: Mapping[int, str]  # id of a tool use -> why it teaches nothing
    left_out: str


def _draft(scene: _Scene, found: _Found, own: Sequence[ToolUse]) -> Draft:
    turn, episode = scene.turn, scene.episode
    share = own or episode.uses  # one of several findings may stand on all that was looked at
    telling = [use for use in share if not scene.judged[use.id]] or share
    narrative = _narrative(found)
    changed = relative(_each(use.files_changed for use in telling), turn.session.cwd)
    read = relative(_each(use.files_read for use in telling), turn.session.cwd)
    rule = type_rule(
        Seen(
            found.title,
            f"{narrative} {scene.request[:400]}",
            changed,
            bool(found.commit) or any(actions.changes_something(use) for use in share),
            found.commit.kind if found.commit else "",
            found.chosen,
        )
    )
    steps: list[ToolUse | Reply] = [*share, *episode.replies[-1:]]
    return Draft(
        type=rule.type,
        title=found.title,
        narrative=narrative,
        facts=facts_of(found.commit, telling, found.said[1:], turn.session.cwd),
        concepts=concepts_of(rule.type, found.title, narrative),
        files_read=tuple(path for path in read if path not in changed)[:_MOST_FILES],
        files_changed=tuple(FileMark(path) for path in changed[:_MOST_FILES]),
        evidence=tuple(use.id for use in telling),
        at_ms=max((step.at_ms for step in steps), default=turn.session.last_at_ms),
        agent=_agent(found, share),
        observer=OBSERVER,
        work_tokens=sum(_cost(use) for use in own),
        reason=_reason(found, rule.type, rule.when, scene.left_out),
        said=shortened(found.said[0].text, _SAID_CHARS) if found.said else "",
    )


def _each(paths: Iterable[Sequence[str]]) -> dict[str, None]:
    return {path: None for some in paths for path in some}


def _agent(found: _Found, share: Sequence[ToolUse]) -> str:
    """The subagent that said it, or that did all of it."""
    if found.said and found.said[0].agent:
        return found.said[0].agent
    agents = {use.agent for use in share}
    return agents.pop() if len(agents) == 1 else ""


def _reason(found: _Found, type_: str, when: str, left_out: str) -> str:
    spoke = ", ".join(
        f"{name} {points:+.1f}" for name, points in (weighed(found.said[0]) if found.said else ())
    )
    told = f" ({spoke})" if spoke and found.source in {"said", "finding"} else ""
    lines = [f"title: {_SOURCES[found.source]}{told}", f"type {type_}: {when}"]
    if left_out:
        lines.append(f"left out: {left_out}")
    return "\n".join(lines)


def _narrative(found: _Found) -> str:
    text = ""
    for one in found.said:
        part = one.text if one.text.endswith(_ENDS) else one.text + _full_stop(one.text)
        if len(text) + len(part) > _NARRATIVE_CHARS:
            break
        if part not in text:
            text += part if not text or text.endswith(("。", "！", "？")) else f" {part}"
    return text


def _full_stop(text: str) -> str:
    return "。" if ord(text[-1]) > _WIDE else "."


def _cost(use: ToolUse) -> int:
    if use.work_tokens:
        return use.work_tokens
    given = use.input if isinstance(use.input, str) else str(use.input)
    return measure.tokens(given[:20_000]) + measure.tokens(output_of(use)[:100_000])
