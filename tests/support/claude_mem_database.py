"""claude-mem databases of our making: the tables as several of its versions have them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

AT_MS = 1_760_000_000_000
NEW = """
CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE, applied_at TEXT);
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT,
  memory_session_id TEXT UNIQUE, project TEXT, platform_source TEXT DEFAULT 'claude',
  user_prompt TEXT, started_at TEXT, started_at_epoch INTEGER, status TEXT);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT,
  project TEXT, text TEXT, type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT,
  concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER, created_at TEXT,
  created_at_epoch INTEGER, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT,
  merged_into_project TEXT, agent_type TEXT, agent_id TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT,
  project TEXT, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT,
  files_read TEXT, files_edited TEXT, notes TEXT, prompt_number INTEGER, created_at TEXT,
  created_at_epoch INTEGER, merged_into_project TEXT);
CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER,
  content_session_id TEXT, prompt_number INTEGER, prompt_text TEXT, created_at TEXT,
  created_at_epoch INTEGER);
CREATE TABLE tool_uses (id INTEGER PRIMARY KEY AUTOINCREMENT, tool_use_id TEXT,
  content_session_id TEXT, memory_session_id TEXT, project TEXT, platform_source TEXT,
  tool_name TEXT, tool_input TEXT, tool_response TEXT, cwd TEXT, agent_type TEXT, agent_id TEXT,
  observation_id INTEGER, created_at TEXT, created_at_epoch INTEGER);
CREATE TABLE work_state_entries (id INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT,
  list_name TEXT, fields TEXT, created_at_epoch INTEGER);
"""
OLD = """
CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, claude_session_id TEXT, sdk_session_id TEXT,
  project TEXT, started_at TEXT, started_at_epoch INTEGER);
CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id TEXT, project TEXT, text TEXT,
  type TEXT, created_at TEXT, created_at_epoch INTEGER);
"""


class Database:
    """One file; ``put`` adds a row to a table."""

    def __init__(self, path: Path, schema: str = NEW, *, wal: bool = False) -> None:
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None)
        if wal:
            self.db.execute("PRAGMA journal_mode=WAL")
        self.db.executescript(schema)

    def put(self, table: str, **row: Any) -> int:
        columns, places = ", ".join(row), ", ".join("?" * len(row))
        sql = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608  # our own words
        return int(self.db.execute(sql, tuple(row.values())).lastrowid or 0)

    def session(self, name: str, project: str, at_ms: int = AT_MS, **more: Any) -> None:
        self.put(
            "sdk_sessions",
            content_session_id=name,
            memory_session_id=f"mem-{name}",
            project=project,
            started_at_epoch=at_ms,
            **more,
        )

    def observation(self, session: str, title: Any, at_ms: Any = AT_MS, **more: Any) -> int:
        row = {"project": "app", "type": "discovery", "created_at_epoch": at_ms, **more}
        return self.put("observations", memory_session_id=f"mem-{session}", title=title, **row)

    def close(self) -> Path:
        self.db.close()
        return self.path


def usual(path: Path, sessions: int = 2, observations: int = 3, *, wal: bool = False) -> Database:
    """Some sessions with everything in them."""
    made = Database(path, wal=wal)
    for number in range(sessions):
        name, at_ms = f"s{number}", AT_MS + number * 3_600_000
        made.session(name, "app", at_ms)
        made.put(
            "user_prompts",
            content_session_id=name,
            prompt_number=1,
            prompt_text=f"why does pool {number} leak",
            created_at_epoch=at_ms,
        )
        for each in range(observations):
            observation = made.observation(
                name,
                f"Pool {number} part {each} is given back on errors",
                at_ms + each * 1_000,
                narrative="It raised before.",
                facts='["limit is 5"]',
                concepts='["gotcha"]',
                files_modified='["pool.py"]',
            )
            made.put(
                "tool_uses",
                tool_use_id=f"toolu_{number}_{each}",
                content_session_id=name,
                project="app",
                tool_name="Read",
                tool_input='{"file_path": "/code/app/pool.py"}',
                tool_response="the text of it",
                observation_id=observation,
                created_at_epoch=at_ms + each * 1_000,
            )
        made.put(
            "session_summaries",
            memory_session_id=f"mem-{name}",
            project="app",
            request=f"Find leak {number}",
            learned="errors leak",
            created_at_epoch=at_ms + 60_000,
        )
    for task, status in (("measure", "todo"), ("measure", "done"), ("ship", "doing")):
        made.put(
            "work_state_entries",
            project="app",
            list_name="release",
            fields=f'{{"task": "{task}", "status": "{status}"}}',
            created_at_epoch=AT_MS,
        )
    return made
