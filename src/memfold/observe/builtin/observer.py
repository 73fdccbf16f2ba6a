"""A turn becomes observations: what was decided, fixed, found or changed, in the agent's words.

Titles come from the agent's own conclusions, else from the commit it made, else from what the
tool calls show. Rules and reasons: docs/decisions/0007-built-in-observer.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memfold import measure
from memfold.observe.builtin import actions
from memfold.observe.builtin.calls import output_of
from memfold.observe.builtin.episodes import Episode, episodes
from memfold.observe.builtin.speech import Statement, clean, statements
from memfold.observe.builtin.titles import LONGEST, alike, title_of
from memfold.observe.builtin.types import concepts_of, type_of
from memfold.observe.builtin.worth import ENOUGH, NOTHING, worth
from memfold.observe.paths import relative
from memfold.records import Draft, FileMark, Reply, ToolUse, Turn

OBSERVER = "builtin/1"
MOST_A_TURN = 6
_MOST_FINDINGS = 5
_MOST_FACTS = 8
_MOST_FILES = 40
_NARRATIVE_CHARS = 1_200
_FACT_CHARS = 200
_CONCLUSION = 1.5  # a final reply's statements are conclusions, those on the way are plans
_SUBAGENT = 2.0  # what a subagent reports is the main agent's to conclude from
_TALK_ENOUGH = 3.0  # a turn without tool calls must say more to be kept


@dataclass(slots=True)
class _Found:
    """A title and what stands behind it."""

    title: str
    score: float
    said: list[Statement]  # statements of the narrative, the telling one first
    commit: actions.Commit | None = None


def observe_turn(turn: Turn) -> tuple[Draft, ...]:
    """What the turn taught, at most six; nothing for what teaches nothing. Pure."""
    request = turn.prompt.text if turn.prompt else ""
    drafts: list[Draft] = []
    for episode in episodes(turn.steps):
        drafts += _of_episode(turn, episode, request, [draft.title for draft in drafts])
    return tuple(drafts[:MOST_A_TURN])


def _of_episode(turn: Turn, episode: Episode, request: str, titles: Sequence[str]) -> list[Draft]:
    found: list[_Found] = []
    for one in _candidates(episode, request):
        known = [*titles, *(other.title for other in found)]
        if not any(alike(one.title, other) for other in known):
            found.append(one)
    shares = _shares(episode, found)
    return [
        _draft(turn, episode, one, share, request) for one, share in zip(found, shares, strict=True)
    ]


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
    own = [at for at, reply in enumerate(episode.replies) if not reply.agent]
    last = own[-1] if own else len(episode.replies) - 1
    for at, reply in enumerate(episode.replies):
        final = at == last and (episode.last or not episode.uses)
        for statement in statements(reply.text):
            base = worth(statement) - (_SUBAGENT if reply.agent else 0.0)
            score = base + (_CONCLUSION if final else 0.0) if base > NOTHING / 2 else NOTHING
            if score > NOTHING:
                score -= (
                    4.0
                    if request and alike(statement.text, request[:400]) and len(request) < 200
                    else 0.0
                )
            found.append((score, statement))
    return found


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
        if title and said[at][0] >= ENOUGH:
            found.append(_Found(title, said[at][0], item[:5]))
    return found[:_MOST_FINDINGS] if len(found) > 1 else []


def _titled(said: Sequence[tuple[float, Statement]], enough: float) -> list[_Found]:
    """Statements good enough for a title, the best first; equal ones as they were said."""
    found = []
    for at, (score, statement) in enumerate(said):
        if score < enough:
            continue
        title = title_of(statement.text)
        if title:
            after = [one for points, one in said[at + 1 : at + 5] if points > NOTHING]
            # A title that had to be shortened says a little less.
            lost = len(statement.text) - len(title)
            shortened = 0.5 if lost > 60 else 0.0
            shortened += 1.0 if lost > 1.5 * len(title) else 0.0
            found.append(_Found(title, score - shortened, [statement, *after]))
    found.sort(key=lambda one: -one.score)
    return found


def _of_commit(commit: actions.Commit, said: Sequence[tuple[float, Statement]]) -> _Found:
    body = statements(commit.body)
    words = [one for score, one in said if score >= ENOUGH]
    plain = clean(commit.subject)[:LONGEST] or "Commit without a subject"
    title = title_of(commit.subject) or plain[0].upper() + plain[1:]
    return _Found(title, 5.0, [*body[:4], *words[:4]], commit)


def _one(told: Sequence[_Found], commits: Sequence[_Found]) -> list[_Found]:
    """One commit and one conclusion are one fact: the conclusion says why, if it says enough."""
    (made,) = commits
    if not told or told[0].score < ENOUGH + 2.5:
        return [made]
    best = told[0]
    return [_Found(best.title, best.score, [*best.said, *made.said[:2]], made.commit)]


def _of_actions(episode: Episode) -> list[_Found]:
    """Where nothing worth a title was said: the user's decisions, searches, failures."""
    for use in episode.uses:
        for question, answer in actions.answers_of(use):
            title = title_of(f"{clean(answer)}: the user's answer to “{clean(question)}”")
            if title:
                return [_Found(title, ENOUGH, [])]
    queries = [query for use in episode.uses if (query := actions.web_query(use))]
    if queries:
        title = title_of(f"Web research without a conclusion yet: {clean(queries[-1])}")
        return [_Found(title, ENOUGH, [])] if title else []
    return []


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


def _draft(
    turn: Turn, episode: Episode, found: _Found, own: Sequence[ToolUse], request: str
) -> Draft:
    share = own or episode.uses  # one of several findings may stand on all that was looked at
    narrative = _narrative(found)
    changed = relative(
        dict.fromkeys(path for use in share for path in use.files_changed), turn.session.cwd
    )
    read = relative(
        dict.fromkeys(path for use in share for path in use.files_read), turn.session.cwd
    )
    kind = type_of(
        found.title,
        f"{narrative} {request[:400]}",
        changed,
        changed=bool(found.commit) or any(actions.changes_something(use) for use in share),
        commit_kind=found.commit.kind if found.commit else "",
    )
    agents = {use.agent for use in share}
    steps: list[ToolUse | Reply] = [*share, *episode.replies[-1:]]
    return Draft(
        type=kind,
        title=found.title,
        narrative=narrative,
        facts=_facts(found, share),
        concepts=concepts_of(kind, found.title, narrative),
        files_read=tuple(path for path in read if path not in changed)[:_MOST_FILES],
        files_changed=tuple(FileMark(path) for path in changed[:_MOST_FILES]),
        evidence=tuple(use.id for use in share),
        at_ms=max((step.at_ms for step in steps), default=turn.session.last_at_ms),
        agent=agents.pop() if len(agents) == 1 else "",
        observer=OBSERVER,
        work_tokens=sum(_cost(use) for use in own),
    )


def _narrative(found: _Found) -> str:
    parts: list[str] = []
    size = 0
    for one in found.said:
        text = one.text if one.text.endswith((".", "!", "?", "。")) else f"{one.text}."
        if size + len(text) > _NARRATIVE_CHARS:
            break
        if text not in parts:
            parts.append(text)
            size += len(text) + 1
    return " ".join(parts)


def _facts(found: _Found, share: Sequence[ToolUse]) -> tuple[str, ...]:
    facts: dict[str, None] = {}
    if found.commit is not None:
        made = f"commit {found.commit.hash}".strip()
        facts[f"{made}: {clean(found.commit.subject)}"[:_FACT_CHARS]] = None
    for use in share:
        if tests := actions.tests_of(use):
            facts[f"tests: {clean(tests)}"[:_FACT_CHARS]] = None
        if error := actions.first_error(use):
            facts[f"met: {clean(error)}"[:_FACT_CHARS]] = None
    for one in found.said[1:]:
        if one.bullet and len(one.text) <= _FACT_CHARS:
            facts[one.text] = None
    return tuple(fact for fact in facts if fact)[:_MOST_FACTS]


def _cost(use: ToolUse) -> int:
    if use.work_tokens:
        return use.work_tokens
    given = use.input if isinstance(use.input, str) else str(use.input)
    return measure.tokens(given[:20_000]) + measure.tokens(output_of(use)[:100_000])
