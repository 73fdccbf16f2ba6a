-- What a session was shown when it began: a host that resumes it adds the text again where a byte
-- differs. Holds as long as memory is at that version.

CREATE TABLE given_contexts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  host TEXT NOT NULL,
  host_session TEXT NOT NULL,
  project_ids TEXT NOT NULL,           -- JSON: whose memory it shows
  version INTEGER NOT NULL,            -- of these projects together
  text BLOB NOT NULL,                  -- zlib of UTF-8
  UNIQUE (host, host_session)
) STRICT;
CREATE INDEX given_contexts_by_projects ON given_contexts(project_ids, version);
