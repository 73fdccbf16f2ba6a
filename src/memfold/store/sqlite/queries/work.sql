-- name: insert_entry
-- One row of the log.
INSERT INTO work_state_entries (uid, project_id, list_name, fields, session, created_at_epoch)
VALUES (?, ?, ?, ?, ?, ?)

-- name: log
-- Rows of the log in append order.
SELECT list_name, fields, created_at_epoch, session, id FROM work_state_entries
 WHERE project_id IN (SELECT value FROM json_each(:projects)) ORDER BY id

-- name: list_log
-- The same of one list.
SELECT list_name, fields, created_at_epoch, session, id FROM work_state_entries
 WHERE project_id IN (SELECT value FROM json_each(:projects)) AND list_name = :list ORDER BY id

-- name: value
-- One item as it stands.
SELECT fields, set_by, first_entry, last_entry, updated_at_ms FROM work_state_current
 WHERE project_id = ? AND list_name = ? AND task = ?

-- name: put_value
-- One item as it stands now.
INSERT INTO work_state_current
  (project_id, list_name, task, fields, set_by, first_entry, last_entry, updated_at_ms, rank)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET fields = excluded.fields, set_by = excluded.set_by,
  last_entry = excluded.last_entry, updated_at_ms = excluded.updated_at_ms, rank = excluded.rank

-- name: touch_list
-- The list was written to: its own row exists and knows the entry.
INSERT INTO work_state_current
  (project_id, list_name, task, fields, set_by, first_entry, last_entry, updated_at_ms, rank)
VALUES (:project, :list, '', '{}', '{}', :entry, :entry, 0, 0)
ON CONFLICT DO UPDATE SET last_entry = max(last_entry, excluded.last_entry)

-- name: lists
-- Lists with the entry that was written last, in any of the projects.
SELECT list_name, max(last_entry) FROM work_state_current
 WHERE project_id IN (SELECT value FROM json_each(:projects)) AND task = ''
 GROUP BY list_name ORDER BY 2 DESC

-- name: current
-- Everything as it stands; a list's own row only where the list itself was written.
SELECT list_name, task, fields, set_by, first_entry, last_entry, updated_at_ms, project_id
  FROM work_state_current
 WHERE project_id IN (SELECT value FROM json_each(:projects))
   AND (task <> '' OR set_by <> '{}')

-- name: current_list
-- The same of one list.
SELECT list_name, task, fields, set_by, first_entry, last_entry, updated_at_ms, project_id
  FROM work_state_current
 WHERE project_id IN (SELECT value FROM json_each(:projects)) AND list_name = :list
   AND (task <> '' OR set_by <> '{}')

-- name: current_item
-- One item, or the list's own state, in any of the projects.
SELECT list_name, task, fields, set_by, first_entry, last_entry, updated_at_ms, project_id
  FROM work_state_current
 WHERE project_id IN (SELECT value FROM json_each(:projects)) AND list_name = :list
   AND task = :task

-- name: open_counts
-- How many lines of each list are open, of them items being done, and its own state.
SELECT list_name, count(*), sum(rank = 2), sum(task = '') FROM work_state_current
 WHERE project_id IN (SELECT value FROM json_each(:projects)) AND rank > 0 GROUP BY list_name

-- name: open_count
-- The same of one list.
SELECT list_name, count(*), sum(rank = 2), sum(task = '') FROM work_state_current
 WHERE project_id IN (SELECT value FROM json_each(:projects)) AND list_name = :list AND rank > 0
 GROUP BY list_name

-- name: open_state
-- A list's own state where it is a line of what is open.
SELECT list_name, task, fields, set_by, first_entry, last_entry, updated_at_ms, project_id
  FROM work_state_current
 WHERE project_id = :project AND list_name = :list AND task = ''
   AND rank > 0

-- name: open_of_list
-- The first open items of a list. The index is named: the list's closed items are many more.
SELECT list_name, task, fields, set_by, first_entry, last_entry, updated_at_ms, project_id
  FROM work_state_current INDEXED BY work_state_open
 WHERE project_id = :project AND list_name = :list AND rank > 0
   AND task <> '' ORDER BY first_entry LIMIT :most

-- name: doing_of_list
-- The first items of a list that are being done.
SELECT list_name, task, fields, set_by, first_entry, last_entry, updated_at_ms, project_id
  FROM work_state_current INDEXED BY work_state_doing
 WHERE project_id = :project AND list_name = :list AND rank = 2
 ORDER BY first_entry LIMIT :most

-- name: open_tasks
-- The names of all that is open.
SELECT list_name, task FROM work_state_current
 WHERE project_id IN (SELECT value FROM json_each(:projects)) AND rank > 0 AND task <> ''

-- name: list_names
-- Every list that a project's log or its current values name.
SELECT list_name FROM work_state_entries WHERE project_id = :project
UNION SELECT list_name FROM work_state_current WHERE project_id = :project

-- name: progress
-- How far the log has been taken.
SELECT value FROM work_state_progress WHERE name = ?

-- name: set_progress
-- The same, moved on.
UPDATE work_state_progress SET value = ? WHERE name = ?

-- name: newest_plan
-- The last call of a host's own to-do tool that is still kept, and the last tool use of all.
SELECT (SELECT coalesce(max(id), 0) FROM tool_uses INDEXED BY tool_uses_plans
         WHERE tool IN ('TodoWrite', 'TaskCreate', 'TaskUpdate', 'update_plan', 'todowrite', 'todo_write',
               'write_todos', 'manage_todo_list')),
       (SELECT coalesce(max(id), 0) FROM tool_uses)

-- name: sessions_with_plans
-- Sessions whose plans were not looked at since.
SELECT DISTINCT session_id FROM tool_uses INDEXED BY tool_uses_plans
 WHERE tool IN ('TodoWrite', 'TaskCreate', 'TaskUpdate', 'update_plan', 'todowrite', 'todo_write',
               'write_todos', 'manage_todo_list') AND id > ?
 ORDER BY session_id

-- name: plan_calls
-- All calls by which a session's agent planned, in order of time. Subagents' plans end with them.
SELECT id, tool, codec, input, response, at_ms FROM tool_uses INDEXED BY tool_uses_plans
 WHERE tool IN ('TodoWrite', 'TaskCreate', 'TaskUpdate', 'update_plan', 'todowrite', 'todo_write',
               'write_todos', 'manage_todo_list')
   AND session_id = ? AND agent = '' AND ok ORDER BY at_ms, id

-- name: session_by_id
-- One session.
SELECT id, host, host_session, project_id, cwd, started_at_ms, last_at_ms,
       coalesce(ended_at_ms >= last_at_ms, 0), transcript, branch
  FROM sessions WHERE id = ?

-- name: at_work
-- Which of these sessions, by the host's own id, go on.
SELECT host_session FROM sessions
 WHERE host_session IN (SELECT value FROM json_each(:sessions))
   AND last_at_ms >= :since AND coalesce(ended_at_ms < last_at_ms, 1)
