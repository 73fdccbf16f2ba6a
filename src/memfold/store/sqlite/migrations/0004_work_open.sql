-- The current values of work state, so that what is open is read without what is closed.
-- They are made again from the log when the store is opened next (see `work_state_progress`).

DROP TABLE work_state_current;
CREATE TABLE work_state_current (
  project_id INTEGER NOT NULL REFERENCES projects(id),
  list_name TEXT NOT NULL,
  task TEXT NOT NULL,                  -- empty: the list's own state; every list has that row
  fields TEXT NOT NULL,
  set_by TEXT NOT NULL,                -- key -> entry that last set or cleared it
  first_entry INTEGER NOT NULL,
  last_entry INTEGER NOT NULL,         -- of the whole list where task is empty
  updated_at_ms INTEGER NOT NULL,
  rank INTEGER NOT NULL,               -- 0 not shown as open, 1 shown, 2 an item being done
  PRIMARY KEY (project_id, list_name, task)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_state_open ON work_state_current(project_id, list_name, first_entry, rank)
 WHERE rank > 0;
CREATE INDEX work_state_doing ON work_state_current(project_id, list_name, first_entry)
 WHERE rank = 2;
CREATE INDEX work_state_lists ON work_state_current(project_id, list_name, last_entry)
 WHERE task = '';

-- How far the log has been taken: `folded` 1 once the current values were made from it,
-- `mirrored` the last tool use that was looked at for a plan.
CREATE TABLE work_state_progress (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO work_state_progress VALUES ('folded', 0), ('mirrored', 0);

-- Calls of the hosts' own to-do tools. The same words stand in queries/work.sql.
CREATE INDEX tool_uses_plans ON tool_uses(session_id, at_ms, tool)
 WHERE tool IN ('TodoWrite', 'TaskCreate', 'TaskUpdate', 'update_plan');
