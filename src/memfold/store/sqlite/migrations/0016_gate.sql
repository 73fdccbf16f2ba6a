-- What the gate decided about reads of files, the newest few thousand.

CREATE TABLE gate_decisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  host TEXT NOT NULL,
  session TEXT NOT NULL,               -- the host's own id
  project_id INTEGER NOT NULL REFERENCES projects(id),
  path TEXT NOT NULL,
  size INTEGER NOT NULL,               -- bytes
  kind TEXT NOT NULL CHECK (kind IN ('allow', 'context', 'block')),
  reason TEXT NOT NULL,
  newest INTEGER NOT NULL,             -- id of the newest observation about the file
  saved_tokens INTEGER NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX gate_decisions_told ON gate_decisions(session, path, id) WHERE kind <> 'allow';
