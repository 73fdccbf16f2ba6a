-- What was forgotten must not come back when its transcript is read again. Hashes alone are kept.

-- Spans of time of which nothing is stored: of everything (scope ''), a session or a project's
-- trace (scope: 16 bytes of SHA-256).
CREATE TABLE forgotten_spans (
  scope BLOB NOT NULL,
  since_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  PRIMARY KEY (scope, since_ms, until_ms)
) STRICT, WITHOUT ROWID;

-- Single prompts, replies and tool uses, up to the moment when they were forgotten.
CREATE TABLE forgotten_items (
  item BLOB PRIMARY KEY,               -- 16 bytes of SHA-256 of its kind, session and key or text
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How often something was forgotten. Bytes of it may lie in free pages of the file until `swept`
-- has caught up.
CREATE TABLE forgettings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  runs INTEGER NOT NULL,
  swept INTEGER NOT NULL
) STRICT;
INSERT INTO forgettings VALUES (1, 0, 0);

-- The words of a commit that taught nothing are of no use to anybody.
UPDATE commits SET subject = '' WHERE observation_id IS NULL;
