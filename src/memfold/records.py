"""The nouns: what was captured, what was learned from it, what the agent may be shown.

Frozen values that every room and store passes on. Times are Unix milliseconds, UTC (``_at_ms``).
Token figures are estimates (``measure.tokens``). Imports nothing of ours. ``msgspec.Struct``
rather than dataclasses: these thirty classes are made in 2 ms instead of 30, at every cold start.
Change a copy with ``msgspec.structs.replace``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Json = Any  # a decoded JSON value
Kind = Literal["observation", "summary", "prompt"]
LOCAL_SCOPE = "local"  # the one scope of a single-user store

# --- what capture hands over: one shape for every host -----------------------------------------


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something a host reported. Subclasses say what."""

    host: str  # "claude-code", "codex", ...
    session: str  # the host's own session id
    at_ms: int  # when it happened, by the host's clock where it gives one
    cwd: str = ""  # the agent's working directory at that moment
    agent: str = ""  # id of the subagent that acted; empty for the main agent
    agent_type: str = ""  # the subagent's kind, e.g. "general-purpose"
    transcript: str = ""  # path of the host's own session file, where it names one
    branch: str = ""  # git branch, where the host names it


class SessionStarted(Event, frozen=True, kw_only=True):
    source: str = "startup"  # startup, resume, clear, compact, fork


class PromptGiven(Event, frozen=True, kw_only=True):
    text: str  # what the user typed, private parts removed
    prompt_key: str = ""  # the host's id of the prompt; empty where it has none
    private: bool = False  # wholly private: the turn is not to be kept


class ReplyGiven(Event, frozen=True, kw_only=True):
    """What the agent said to the user, between tool calls or at the end of a turn."""

    text: str


class ToolUsed(Event, frozen=True, kw_only=True):
    """One finished tool call."""

    key: str  # the host's tool-use id, or a content hash: unique in its session
    tool: str
    input: Json
    response: Json
    ok: bool = True
    duration_ms: int | None = None
    work_tokens: int = 0  # from the host's usage figures; 0 = not known
    dropped_bytes: int = 0  # cut out of the response before the store saw it
    files_read: tuple[str, ...] = ()  # as named by the tool
    files_changed: tuple[str, ...] = ()


class TurnEnded(Event, frozen=True, kw_only=True):
    """The agent stopped; what it did since the prompt may be observed."""


class Compacted(Event, frozen=True, kw_only=True):
    """The host replaced the conversation by a summary."""

    trigger: str = ""
    summary: str = ""


class SessionEnded(Event, frozen=True, kw_only=True):
    reason: str = ""


# --- projects ------------------------------------------------------------------------------------


class Project(msgspec.Struct, frozen=True):
    """A code base, however many checkouts it has."""

    id: int
    uid: str
    name: str  # display name, unique in the store


AliasKind = Literal["git_dir", "remote", "root_commit", "directory", "name"]


class Alias(msgspec.Struct, frozen=True):
    """One trace by which a project is known again."""

    kind: AliasKind
    value: str


# --- what the store gives back -------------------------------------------------------------------


class Session(msgspec.Struct, frozen=True):
    id: int
    host: str
    host_session: str  # the host's own id
    project_id: int
    cwd: str
    started_at_ms: int
    last_at_ms: int
    ended: bool
    transcript: str
    branch: str = ""


class Prompt(msgspec.Struct, frozen=True):
    id: int
    session_id: int
    number: int  # 1 for the session's first
    text: str
    at_ms: int


class Reply(msgspec.Struct, frozen=True):
    id: int
    text: str
    at_ms: int
    agent: str = ""


class ToolUse(msgspec.Struct, frozen=True):
    """One captured tool call, redacted: the raw evidence."""

    id: int
    uid: str
    session_id: int
    project_id: int
    key: str
    tool: str
    input: Json
    response: Json  # the middle may be missing: see dropped_bytes
    ok: bool
    duration_ms: int | None
    cwd: str
    agent: str
    agent_type: str
    at_ms: int
    work_tokens: int
    files_read: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()
    dropped_bytes: int = 0  # removed from the middle of a very large response


class Turn(msgspec.Struct, frozen=True):
    """What happened from one prompt to the next: the observer's unit of work."""

    id: int
    session: Session
    prompt: Prompt | None  # None: tool calls before any prompt was seen
    earlier_prompts: tuple[Prompt, ...]  # the session's prompts before this one, oldest first
    steps: tuple[ToolUse | Reply, ...]  # in order; only tool uses not yet observed
    earlier_files: tuple[str, ...] = ()  # files the session had already read before this turn


class FileMark(msgspec.Struct, frozen=True):
    """A file as it was when an observation was made."""

    path: str
    sha256: str = ""  # of its bytes then; empty when it could not be read


class Draft(msgspec.Struct, frozen=True):
    """An observation before it is stored."""

    type: str
    title: str  # at most 120 characters, one line
    subtitle: str = ""
    narrative: str = ""
    facts: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()  # 0 to 3
    files_read: tuple[str, ...] = ()
    files_changed: tuple[FileMark, ...] = ()
    evidence: tuple[int, ...] = ()  # ids of tool uses
    at_ms: int = 0
    agent: str = ""
    observer: str = "builtin/1"
    read_tokens: int = 0  # set by the caller: the price of its details
    work_tokens: int = 0
    reason: str = ""  # the rules that made it, a line each; what was left out on the last
    said: str = ""  # the sentence that the title came from


class Observation(msgspec.Struct, frozen=True):
    """What one or a few tool uses taught."""

    id: int
    uid: str
    project_id: int
    session_id: int
    draft: Draft
    created_at_ms: int
    seen_count: int = 1  # how often the same fact was met
    last_seen_at_ms: int = 0


class SummaryDraft(msgspec.Struct, frozen=True):
    """A session's summary before it is stored: one row per session, updated."""

    request: str
    investigated: str = ""
    learned: str = ""
    completed: str = ""
    next_steps: str = ""
    files: tuple[str, ...] = ()
    at_ms: int = 0
    read_tokens: int = 0


class Summary(msgspec.Struct, frozen=True):
    id: int
    uid: str
    project_id: int
    session_id: int
    draft: SummaryDraft
    created_at_ms: int


class Digest(msgspec.Struct, frozen=True):
    """All that a session's summary is made from."""

    session: Session
    prompts: tuple[Prompt, ...]
    observations: tuple[Observation, ...]
    replies: tuple[Reply, ...]  # the last of each turn, oldest first
    files_read: tuple[str, ...]
    files_changed: tuple[str, ...]


# --- git history ---------------------------------------------------------------------------------


class CommitFile(msgspec.Struct, frozen=True):
    """What a commit did to one file."""

    path: str
    kind: str = "M"  # A added, M changed, D removed, R renamed, C copied, T another kind of file
    added: int = 0  # lines; 0 for a binary file
    removed: int = 0
    before: str = ""  # a renamed file's earlier path


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit as read from a repository, redacted; its author is left out."""

    id: str  # full, SHA-1 or SHA-256
    parents: int  # two or more: a merge
    authored_at_ms: int  # stays the same when the commit is rewritten
    committed_at_ms: int
    message: str
    files: tuple[CommitFile, ...] = ()
    change: str = ""  # a digest of what its files became; stays when it is reworded
    files_in_all: int = 0  # more than ``files`` where there are very many


class CommitRef(msgspec.Struct, frozen=True):
    """Where the evidence of an observation lies in a repository."""

    id: str  # the newest id, where the commit was rewritten
    subject: str
    checkout: str  # the directory it was read from


# --- what may be shown ---------------------------------------------------------------------------


class Entry(msgspec.Struct, frozen=True):
    """One line of the index or of a search: enough to choose by, and its price."""

    kind: Kind
    id: int
    project_id: int
    project: str  # display name
    session: str  # the host's own session id
    host: str
    title: str  # raw: display.one_line it before showing
    type: str  # observation type; empty for other kinds
    at_ms: int
    read_tokens: int
    work_tokens: int = 0
    seen_count: int = 1
    files: tuple[FileMark, ...] = ()  # files changed, for freshness
    cwd: str = ""  # the session's directory, to resolve relative files
    superseded_by: int | None = None  # the observation that overtook this one

    @property
    def ref(self) -> str:
        """The id as the agent types it: ``41``, ``S7``, ``P12``."""
        return {"observation": "", "summary": "S", "prompt": "P"}[self.kind] + str(self.id)


class Details(msgspec.Struct, frozen=True):
    """An entry in full."""

    entry: Entry
    observation: Observation | None = None
    summary: Summary | None = None
    prompt: Prompt | None = None
    evidence: tuple[int, ...] = ()  # ids of tool uses that are still kept
    evidence_retired: int = 0  # tool uses removed by retention
    commits: tuple[CommitRef, ...] = ()  # newest first


class WorkRow(msgspec.Struct, frozen=True):
    """One appended row of work state. ``fields`` with a ``task`` change that to-do item."""

    list_name: str
    fields: Mapping[str, str | int | float | bool | None]
    at_ms: int
    session: str = ""
    id: int = 0  # given by the store; rows of a list replay in this order


class SearchFilters(msgspec.Struct, frozen=True):
    types: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # substrings of paths
    since_ms: int | None = None
    until_ms: int | None = None


class IngestCount(msgspec.Struct, frozen=True):
    """What one ingest added, and what it had already."""

    prompts: int = 0
    tool_uses: int = 0
    replies: int = 0
    known: int = 0  # events that were there before
    skipped: Mapping[str, int] = msgspec.field(default_factory=dict)  # reason -> tool uses left out


class Caller(msgspec.Struct, frozen=True):
    """Who asks: what a tool call may see."""

    scope: str = LOCAL_SCOPE
    project: Project | None = None  # where its writes go and what it sees by default
    project_ids: tuple[int, ...] = ()  # every project its directory is known by
    host: str = ""
    session: str = ""  # the host's own session id
    cwd: str = ""


class ToolReply(msgspec.Struct, frozen=True):
    """What a tool answers: the text an agent reads, and the same as data for programs."""

    text: str
    entries: tuple[Entry, ...] = ()  # the entries the text lists, in order
    cursor: str = ""
    step: int = 0  # of mem_search: 1, 2 or 3
