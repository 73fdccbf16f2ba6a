-- name: tables
SELECT name FROM sqlite_schema WHERE type = 'table'

-- name: columns
SELECT name, pk FROM pragma_table_info(?) ORDER BY cid

-- name: without_rowid
SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'

-- name: indexes
SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql NOT LIKE '%WHERE%'

-- name: last_given
SELECT seq FROM sqlite_sequence WHERE name = ?

-- name: parents
SELECT "table", "from" FROM pragma_foreign_key_list(?)

-- name: fold_again
UPDATE work_state_progress SET value = 0 WHERE name = 'folded'

-- name: missing_turns
-- (id, session, first, last) of turns that something names.
SELECT turn_id, session_id, min(at_ms), max(at_ms) FROM (
  SELECT turn_id, session_id, at_ms FROM prompts
  UNION ALL SELECT turn_id, session_id, at_ms FROM tool_uses
  UNION ALL SELECT turn_id, session_id, at_ms FROM replies)
 WHERE turn_id NOT IN (SELECT id FROM turns) GROUP BY turn_id

-- name: placeholder_turns
INSERT INTO turns (id, session_id, started_at_ms, last_at_ms, ended_at_ms, looked_at_ms)
VALUES (:id, :a, :b, :c, :c, :c)

-- name: missing_sessions
-- (id, project, first, last) of sessions that something names.
SELECT session_id, max(project_id), min(at_ms), max(at_ms) FROM (
  SELECT session_id, project_id, at_ms FROM prompts
  UNION ALL SELECT session_id, project_id, at_ms FROM observations
  UNION ALL SELECT session_id, project_id, at_ms FROM summaries
  UNION ALL SELECT session_id, NULL, last_at_ms FROM turns)
 WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id

-- name: placeholder_sessions
INSERT INTO sessions (id, host, host_session, project_id, cwd, started_at_ms, last_at_ms)
VALUES (:id, 'recovered', 'recovered-' || :id,
        coalesce(:a, (SELECT max(project_id) FROM sessions),
                 (SELECT min(id) FROM projects), 1), '', :b, :c)

-- name: missing_projects
SELECT DISTINCT project_id FROM (
  SELECT project_id FROM sessions UNION SELECT project_id FROM prompts
  UNION SELECT project_id FROM observations UNION SELECT project_id FROM summaries
  UNION SELECT project_id FROM work_state_entries)
 WHERE project_id NOT IN (SELECT id FROM projects)

-- name: placeholder_projects
INSERT INTO projects (id, uid, name) VALUES (:id, :uid, 'recovered-' || :id)

-- name: unlink_superseded
UPDATE observations SET superseded_by = NULL WHERE superseded_by NOT IN (SELECT id FROM observations)

-- name: unlink_commits
UPDATE commits SET observation_id = NULL WHERE observation_id NOT IN (SELECT id FROM observations)

-- name: unlink_merged
UPDATE projects SET merged_into = NULL WHERE merged_into NOT IN (SELECT id FROM projects)
