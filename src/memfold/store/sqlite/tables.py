"""What of the database an export holds: tables in order, what their columns name."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of line."""

    name: str
    refs: dict[str, str] = field(default_factory=dict)  # column -> table whose id it holds
    drop: frozenset[str] = frozenset()  # columns that are made from others, or stand elsewhere
    order: str = "id"
    numbered: bool = True  # has an id of its own


_PROJECT = {"project_id": "projects"}
_SESSION = {"session_id": "sessions"}
TABLES = (
    Table(
        "projects",
        {"merged_into": "projects"},
        frozenset({"version", "observations", "read_tokens", "work_tokens"}),
    ),
    Table("sessions", _PROJECT),
    Table("turns", _SESSION),
    Table("prompts", {**_PROJECT, **_SESSION, "turn_id": "turns"}),
    Table("replies", {**_SESSION, "turn_id": "turns"}),
    Table("tool_uses", {**_SESSION, "turn_id": "turns"}, frozenset({"codec"})),
    Table("retired_tool_uses", _SESSION, order="session_id, key_hash", numbered=False),
    Table("observations", {**_PROJECT, **_SESSION}, frozenset({"superseded_by"})),
    Table("summaries", {**_PROJECT, **_SESSION}),
    Table("work_state_entries", _PROJECT),
    Table(
        "commits",
        {**_PROJECT, "observation_id": "observations"},
        order="project_id, seen, commit_id",
        numbered=False,
    ),
    Table("git_heads", _PROJECT, order="project_id", numbered=False),
    Table("other_memories"),
    Table(
        "entry_aliases",
        {"memory_id": "other_memories"},
        order="memory_id, kind, other_id",
        numbered=False,
    ),
    Table("model_turns", {"turn_id": "turns"}, order="turn_id", numbered=False),
    Table("model_calls"),
    Table("reobserved_turns", {"turn_id": "turns"}, order="turn_id", numbered=False),
    Table("import_offsets", order="path", numbered=False),
    Table("forgotten_spans", order="scope, since_ms, until_ms", numbered=False),
    Table("forgotten_items", order="item", numbered=False),
)
BY_NAME = {table.name: table for table in TABLES}
# Lines of their own: which observation took another back, how far plans were looked at.
SUPERSEDED, MIRRORED = "superseded", "mirrored"
ALIASED = {  # kind of an alias -> whose id it holds
    "observation": "observations",
    "summary": "summaries",
    "prompt": "prompts",
    "tool_use": "tool_uses",
    "work": "work_state_entries",
}
# Why the other tables are in no export.
LEFT_OUT = {
    "project_aliases": "stand with their project",
    "observation_evidence": "stands with its observation",
    "work_state_current": "made from its log",
    "work_state_progress": "told in a line of its own",
    "entries_fts": "made from the entries",
    "entry_vectors": "made from the entries",
    "given_contexts": "what one session was shown, on this machine",
    "gate_decisions": "what reads cost, on this machine",
    "probes": "asked for again by the next install",
    "retention": "when this database was last looked through",
    "forgettings": "whether this file was swept",
    "schema_migrations": "the first line names the schema",
    "sqlite_sequence": "SQLite's own",
}
