-- name: span
-- When the oldest and the newest of what was observed were.
SELECT min(observed_at_ms), max(observed_at_ms) FROM tool_uses WHERE observed_at_ms IS NOT NULL

-- name: retirable
-- What has had its time, by project. The tool use stored last stays whatever its age, so that its
-- id is never given to another.
SELECT p.name, count(*), sum(length(t.input) + length(t.response)), min(t.observed_at_ms)
  FROM tool_uses t JOIN sessions s ON s.id = t.session_id JOIN projects p ON p.id = s.project_id
 WHERE t.observed_at_ms IS NOT NULL AND t.observed_at_ms < :before
   AND t.id < (SELECT max(id) FROM tool_uses)
 GROUP BY p.id ORDER BY 2 DESC, p.name

-- name: oldest
-- The oldest of what has had its time.
SELECT t.id, t.session_id, t.key, length(t.input) + length(t.response), t.observed_at_ms,
       s.project_id, p.name
  FROM tool_uses t JOIN sessions s ON s.id = t.session_id JOIN projects p ON p.id = s.project_id
 WHERE t.observed_at_ms IS NOT NULL AND t.observed_at_ms < :before
   AND t.id < (SELECT max(id) FROM tool_uses)
 ORDER BY t.observed_at_ms, t.id LIMIT :limit

-- name: remember
-- It must not come back.
INSERT INTO retired_tool_uses VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: retire
-- The evidence itself; its links to observations go with it.
DELETE FROM tool_uses WHERE id = ?

-- name: was_retired
-- Whether a tool use of that key was here once.
SELECT 1 FROM retired_tool_uses WHERE session_id = ? AND key_hash = ?

-- name: any_retired
-- Whether a session has lost any of its evidence by age.
SELECT 1 FROM retired_tool_uses WHERE session_id = ? LIMIT 1

-- name: ran_at
-- When the daily run last began.
SELECT ran_at_ms FROM retention

-- name: ran
-- A daily run begins.
INSERT INTO retention VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET ran_at_ms = excluded.ran_at_ms
