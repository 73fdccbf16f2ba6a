-- What raw evidence leaves behind when it has had its time.

-- A tool use that was retired must not come back when its transcript is read again or its event
-- is delivered once more: the session and 8 bytes of SHA-256 of the key are enough to know it.
CREATE TABLE retired_tool_uses (
  session_id INTEGER NOT NULL REFERENCES sessions(id),
  key_hash BLOB NOT NULL,
  PRIMARY KEY (session_id, key_hash)
) STRICT, WITHOUT ROWID;

-- Age counts from the day a tool use was observed. The column lies behind the large ones in a
-- row, so that only an index finds the oldest without reading the evidence itself.
CREATE INDEX tool_uses_by_age ON tool_uses(observed_at_ms) WHERE observed_at_ms IS NOT NULL;

CREATE TABLE retention (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  ran_at_ms INTEGER NOT NULL           -- when the daily run last began
) STRICT;
