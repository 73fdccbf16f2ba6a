-- Commits that were looked at, so that none is taken twice, and where their evidence lies.

CREATE TABLE commits (
  commit_id TEXT NOT NULL,             -- full
  project_id INTEGER NOT NULL REFERENCES projects(id),
  observation_id INTEGER REFERENCES observations(id) ON DELETE SET NULL,  -- NULL: taught nothing
  reason TEXT NOT NULL DEFAULT '',     -- why it taught nothing
  subject TEXT NOT NULL,               -- its first line, redacted
  trace BLOB NOT NULL,                 -- when it was written and its first line: stays when rewritten
  change_trace BLOB NOT NULL,          -- when it was written and what it changed: stays when reworded
  checkout TEXT NOT NULL,              -- the directory it was read from
  seen INTEGER NOT NULL,               -- counts up; of several ids of one commit the newest counts
  PRIMARY KEY (commit_id, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX commits_by_project ON commits(project_id, seen);
CREATE INDEX commits_by_trace ON commits(trace);
CREATE INDEX commits_by_change ON commits(change_trace);
CREATE INDEX commits_by_observation ON commits(observation_id) WHERE observation_id IS NOT NULL;

CREATE TABLE git_heads (
  project_id INTEGER PRIMARY KEY REFERENCES projects(id),
  commit_id TEXT NOT NULL              -- everything reachable from it was looked at
) STRICT;
