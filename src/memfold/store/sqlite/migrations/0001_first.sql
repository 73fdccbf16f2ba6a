-- Everything that memfold keeps. Times are Unix milliseconds, UTC. JSON is text unless a codec says otherwise.

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  merged_into INTEGER REFERENCES projects(id),
  version INTEGER NOT NULL DEFAULT 0,  -- bumped by whatever changes what is shown
  observations INTEGER NOT NULL DEFAULT 0,  -- running totals of its observations
  read_tokens INTEGER NOT NULL DEFAULT 0,
  work_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE project_aliases (
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  PRIMARY KEY (kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_aliases_by_project ON project_aliases(project_id);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  host_session TEXT NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  cwd TEXT NOT NULL,
  branch TEXT NOT NULL DEFAULT '',
  transcript TEXT NOT NULL DEFAULT '',
  started_at_ms INTEGER NOT NULL,
  last_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  UNIQUE (host, host_session)
) STRICT;
CREATE INDEX sessions_by_project ON sessions(project_id, last_at_ms);

CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id),
  started_at_ms INTEGER NOT NULL,
  last_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,                 -- the agent stopped
  private INTEGER NOT NULL DEFAULT 0,  -- keeps nothing
  looked_at_ms INTEGER                 -- its words were looked at by the observer
) STRICT;
CREATE INDEX turns_by_session ON turns(session_id, started_at_ms, id);
CREATE INDEX turns_waiting ON turns(id) WHERE looked_at_ms IS NULL;

CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  session_id INTEGER NOT NULL REFERENCES sessions(id),
  turn_id INTEGER NOT NULL REFERENCES turns(id),
  prompt_key TEXT NOT NULL DEFAULT '',
  text_hash BLOB NOT NULL,
  text TEXT NOT NULL,                  -- empty for a private one
  private INTEGER NOT NULL DEFAULT 0,
  read_tokens INTEGER NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX prompts_by_session ON prompts(session_id, at_ms, id);
CREATE INDEX prompts_by_project ON prompts(project_id, at_ms DESC, id DESC);
CREATE INDEX prompts_by_text ON prompts(session_id, text_hash);

CREATE TABLE replies (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id),
  turn_id INTEGER NOT NULL REFERENCES turns(id),
  agent TEXT NOT NULL DEFAULT '',
  text_hash BLOB NOT NULL,
  text TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  UNIQUE (session_id, agent, text_hash)
) STRICT;
CREATE INDEX replies_by_turn ON replies(turn_id, at_ms, id);

CREATE TABLE tool_uses (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES sessions(id),
  turn_id INTEGER NOT NULL REFERENCES turns(id),
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  codec TEXT NOT NULL,                 -- 'json' or 'zstd' (of JSON), for both blobs
  input BLOB NOT NULL,
  response BLOB NOT NULL,
  dropped_bytes INTEGER NOT NULL DEFAULT 0,
  ok INTEGER NOT NULL,
  duration_ms INTEGER,
  cwd TEXT NOT NULL,
  agent TEXT NOT NULL DEFAULT '',
  agent_type TEXT NOT NULL DEFAULT '',
  files_read TEXT NOT NULL DEFAULT '[]',
  files_changed TEXT NOT NULL DEFAULT '[]',
  work_tokens INTEGER NOT NULL DEFAULT 0,
  at_ms INTEGER NOT NULL,
  observed_at_ms INTEGER,              -- NULL: waits for the observer
  UNIQUE (session_id, key)
) STRICT;
CREATE INDEX tool_uses_by_turn ON tool_uses(turn_id, at_ms, id);
CREATE INDEX tool_uses_waiting ON tool_uses(turn_id) WHERE observed_at_ms IS NULL;

CREATE TABLE observations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  session_id INTEGER NOT NULL REFERENCES sessions(id),
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,             -- folded, to recognise the same fact
  subtitle TEXT NOT NULL,
  narrative TEXT NOT NULL,
  facts TEXT NOT NULL,
  concepts TEXT NOT NULL,
  files_read TEXT NOT NULL,
  files_changed TEXT NOT NULL,
  agent TEXT NOT NULL,
  observer TEXT NOT NULL,
  read_tokens INTEGER NOT NULL,
  work_tokens INTEGER NOT NULL,
  evidence_made INTEGER NOT NULL,      -- tool uses it was made from, kept or retired
  at_ms INTEGER NOT NULL,
  seen_count INTEGER NOT NULL DEFAULT 1,
  last_seen_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX observations_by_project ON observations(project_id, at_ms DESC, id DESC);
CREATE INDEX observations_by_session ON observations(session_id, at_ms);
CREATE INDEX observations_by_title ON observations(project_id, title_key);

CREATE TABLE observation_evidence (
  observation_id INTEGER NOT NULL REFERENCES observations(id) ON DELETE CASCADE,
  tool_use_id INTEGER NOT NULL REFERENCES tool_uses(id) ON DELETE CASCADE,
  PRIMARY KEY (observation_id, tool_use_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX observation_evidence_by_tool_use ON observation_evidence(tool_use_id);

CREATE TABLE summaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  session_id INTEGER NOT NULL UNIQUE REFERENCES sessions(id),
  request TEXT NOT NULL,
  investigated TEXT NOT NULL,
  learned TEXT NOT NULL,
  completed TEXT NOT NULL,
  next_steps TEXT NOT NULL,
  files TEXT NOT NULL,
  read_tokens INTEGER NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX summaries_by_project ON summaries(project_id, at_ms DESC, id DESC);

CREATE TABLE work_state_entries (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  list_name TEXT NOT NULL,
  fields TEXT NOT NULL,
  session TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX work_state_entries_by_list ON work_state_entries(project_id, list_name, id);

CREATE TABLE work_state_current (
  project_id INTEGER NOT NULL REFERENCES projects(id),
  list_name TEXT NOT NULL,
  task TEXT NOT NULL,                  -- empty: the list's own state
  fields TEXT NOT NULL,
  first_entry INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (project_id, list_name, task)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_offsets (
  path TEXT PRIMARY KEY,
  offset INTEGER NOT NULL,
  fingerprint TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row an entry; rowid = entry id * 4 + kind (0 observation, 1 summary, 2 prompt).
-- `project` holds a word 'p<id>', so that one project's matches are found without ranking others'.
CREATE VIRTUAL TABLE entries_fts USING fts5(
  title, body, words, project,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
