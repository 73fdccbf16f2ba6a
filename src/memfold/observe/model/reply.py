"""A model's answer, checked against its schema and against the evidence it was shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import msgspec

from memfold.display import one_line
from memfold.observe.builtin.clauses import LONGEST
from memfold.observe.builtin.titles import title_of
from memfold.observe.model.prompt import MOST_A_TURN, Asked, files_of
from memfold.observe.paths import relative
from memfold.records import Draft, FileMark, ToolUse, Turn
from memfold.store.ports import Rewrite

MOST_FACTS, MOST_CONCEPTS, MOST_FILES = 8, 3, 40
_NARRATIVE_CHARS, _FACT_CHARS = 2_000, 300
_MOST_FAULTS = 5  # said in one repair
_PATH = re.compile(r"(?<![\w/:.@-])(?:[\w.@-]+/)+[\w.@-]+\.[A-Za-z]\w{0,5}\b")


class Unusable(Exception):
    """What is wrong with an answer, in words for the model."""


class Said(msgspec.Struct):
    """One observation of an answer."""

    type: str
    title: str
    narrative: str
    evidence: list[str]
    replaces: str | None = ""
    facts: list[str] = []
    concepts: list[str] = []
    files: list[str] = []


class _Reply(msgspec.Struct):
    observations: list[Said]


def read_answer(
    text: str, asked: Asked, observer: str, scrub: Callable[[str], str]
) -> list[Rewrite]:
    """What to say anew, one for each turn that was asked about. Raises Unusable.

    ``scrub`` takes out what must not be stored; it is applied to every text.
    """
    said = _decoded(text)
    faults = [
        f"observation {at}: {fault}"
        for at, one in enumerate(said, 1)
        if (fault := _fault(one, asked))
    ]
    faults += _too_many(said, asked)
    if faults:
        raise Unusable(" ".join(faults[:_MOST_FAULTS]))
    changed: dict[int, dict[int, Draft]] = {turn.id: {} for turn in asked.turns}
    added: dict[int, list[Draft]] = {turn.id: [] for turn in asked.turns}
    for one in said:
        turn = asked.turn_of[one.evidence[0]]
        draft = _draft(one, turn, asked, observer, scrub)
        if one.replaces:
            known = asked.known[one.replaces].observation
            changed[turn.id][known.id] = _over(draft, known.draft)
        else:
            added[turn.id].append(draft)
    return [Rewrite(turn.id, changed[turn.id], added[turn.id]) for turn in asked.turns]


def _decoded(text: str) -> list[Said]:
    bare = text.strip()
    fenced = re.fullmatch(r"```(?:json)?\s*\n(.*)\n```", bare, re.DOTALL)
    try:
        return msgspec.json.decode(fenced.group(1) if fenced else bare, type=_Reply).observations
    except msgspec.ValidationError as error:
        raise Unusable(f"The JSON does not fit the schema: {error}.") from error
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise Unusable("It is not one JSON object.") from error


def _fault(one: Said, asked: Asked) -> str:
    """What is wrong with it; '' for nothing."""
    unknown = [label for label in one.evidence if label not in asked.uses]
    if unknown or not one.evidence:
        return f"evidence {unknown[:3] or 'is empty'}; name ids of tool uses that were given."
    if one.type not in asked.words.types:
        return f"the type {one.type[:40]!r} is none of those given."
    wrong = [name for name in one.concepts if name not in asked.words.concepts]
    if wrong or len(one.concepts) > MOST_CONCEPTS:
        return f"concepts {wrong[:3]}; name up to {MOST_CONCEPTS} of those given."
    title = " ".join(one.title.split())
    if len(title) > LONGEST or not title_of(title):
        return (
            f"the title has {len(title)} characters or says too little; it takes 12 to {LONGEST}."
        )
    if not one.narrative.strip():
        return "the narrative is empty."
    return _replaces_fault(one, asked) or _files_fault(one, asked)


def _replaces_fault(one: Said, asked: Asked) -> str:
    if not one.replaces:
        return ""
    known = asked.known.get(one.replaces)
    if known is None:
        return f"replaces {one.replaces[:20]!r} is no observation that was given."
    mine = set(asked.turn_of[one.evidence[0]].steps and _ids(asked.turn_of[one.evidence[0]]))
    if known.shared or not (mine & set(known.observation.draft.evidence)):
        return f"replaces {one.replaces!r} stands on other evidence too; leave it as it is."
    return ""


def _ids(turn: Turn) -> list[int]:
    return [step.id for step in turn.steps if isinstance(step, ToolUse)]


def _files_fault(one: Said, asked: Asked) -> str:
    turn = asked.turn_of[one.evidence[0]]
    files = _files(turn)
    wrong = [path for path in one.files if path not in files]
    if wrong:
        return f"files {[path[:80] for path in wrong[:3]]} are not in the evidence."
    shown = "\n".join(asked.lines)
    for text in (one.title, one.narrative, *one.facts):
        for path in _PATH.findall(text):
            if path not in shown and not any(file.endswith(path) for file in files):
                return f"the file {path[:80]!r} is not in the evidence."
    return ""


def _files(turn: Turn) -> set[str]:
    """Every name the turn has for a file: as observations say it, and as the tool did."""
    found: set[str] = set()
    for use in turn.steps:
        if isinstance(use, ToolUse):
            found.update(files_of(use, turn), use.files_changed, use.files_read)
    return found


def _too_many(said: list[Said], asked: Asked) -> list[str]:
    turns = Counter(
        asked.turn_of[one.evidence[0]].id
        for one in said
        if one.evidence and one.evidence[0] in asked.turn_of
    )
    faults = []
    if any(number > MOST_A_TURN for number in turns.values()):
        faults.append(f"There are more than {MOST_A_TURN} observations of one turn.")
    replaced = Counter(one.replaces for one in said if one.replaces)
    faults += [f"{label!r} is replaced twice." for label, number in replaced.items() if number > 1]
    return faults


def _draft(
    one: Said, turn: Turn, asked: Asked, observer: str, scrub: Callable[[str], str]
) -> Draft:
    uses = [asked.uses[label] for label in dict.fromkeys(one.evidence)]
    changed = relative((path for use in uses for path in use.files_changed), turn.session.cwd)
    named = relative(one.files, turn.session.cwd)
    read = named or relative((path for use in uses for path in use.files_read), turn.session.cwd)
    agents = {use.agent for use in uses}
    return Draft(
        type=one.type,
        title=title_of(one_line(scrub(" ".join(one.title.split())), LONGEST * 4)),
        narrative=scrub(one.narrative.strip())[:_NARRATIVE_CHARS],
        facts=tuple(
            dict.fromkeys(
                fact
                for text in one.facts
                if (fact := one_line(scrub(text), _FACT_CHARS * 4).strip()[:_FACT_CHARS])
            )
        )[:MOST_FACTS],
        concepts=tuple(dict.fromkeys(one.concepts)),
        files_read=tuple(path for path in read if path not in changed)[:MOST_FILES],
        files_changed=tuple(FileMark(path) for path in changed[:MOST_FILES]),
        evidence=tuple(use.id for use in uses),
        at_ms=max(use.at_ms for use in uses),
        agent=agents.pop() if len(agents) == 1 else "",
        observer=observer,
        work_tokens=sum(use.work_tokens for use in uses),
    )


def _over(draft: Draft, before: Draft) -> Draft:
    """In the place of ``before``: what was known of its files, its moment and its cost stays."""
    marks = {mark.path: mark for mark in (*draft.files_changed, *before.files_changed)}
    read = dict.fromkeys((*before.files_read, *draft.files_read))
    return msgspec.structs.replace(
        draft,
        files_changed=tuple(marks.values())[:MOST_FILES],
        files_read=tuple(path for path in read if path not in marks)[:MOST_FILES],
        facts=draft.facts or before.facts,
        at_ms=before.at_ms,
        agent=before.agent,
        work_tokens=before.work_tokens,
    )
