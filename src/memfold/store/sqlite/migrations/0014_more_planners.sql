-- The to-do tools of more hosts are mirrored. The same words stand in queries/work.sql.
DROP INDEX tool_uses_plans;
CREATE INDEX tool_uses_plans ON tool_uses(session_id, at_ms, tool)
 WHERE tool IN ('TodoWrite', 'TaskCreate', 'TaskUpdate', 'update_plan', 'todowrite', 'todo_write',
               'write_todos', 'manage_todo_list');
