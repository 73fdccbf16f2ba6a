-- name: next_turn
-- The oldest closed turn that has something the observer has not looked at.
SELECT t.id, t.session_id FROM turns t JOIN sessions s ON s.id = t.session_id
 WHERE t.private = 0 AND (:session IS NULL OR t.session_id = :session)
   AND t.id IN (SELECT id FROM turns WHERE looked_at_ms IS NULL
                UNION SELECT turn_id FROM tool_uses WHERE observed_at_ms IS NULL)
   AND (t.ended_at_ms IS NOT NULL OR s.ended_at_ms IS NOT NULL OR t.last_at_ms < :idle_before
        OR EXISTS (SELECT 1 FROM turns later WHERE later.session_id = t.session_id
                      AND (later.started_at_ms, later.id) > (t.started_at_ms, t.id)))
 ORDER BY t.started_at_ms, t.id LIMIT 1

-- name: session
-- A session by our id.
SELECT id, host, host_session, project_id, cwd, started_at_ms, last_at_ms,
       ended_at_ms IS NOT NULL, transcript, branch FROM sessions WHERE id = ?

-- name: prompts
-- A session's prompts with their turns, in order.
SELECT id, session_id, row_number() OVER (ORDER BY at_ms, id), text, at_ms, turn_id
  FROM prompts WHERE session_id = ? AND private = 0 ORDER BY at_ms, id

-- name: replies
-- What was said in a turn.
SELECT id, text, at_ms, agent FROM replies WHERE turn_id = ? ORDER BY at_ms, id

-- name: last_replies
-- The last reply of each turn of a session.
SELECT id, text, max(at_ms), agent FROM replies WHERE session_id = ? AND agent = ''
 GROUP BY turn_id ORDER BY max(at_ms)

-- name: tool_uses
-- A turn's tool uses that the observer has not seen.
SELECT {columns}
  FROM tool_uses t JOIN sessions s ON s.id = t.session_id
 WHERE t.turn_id = ? AND t.observed_at_ms IS NULL ORDER BY t.at_ms, t.id

-- name: files
-- Files a session read and changed, with the turn.
SELECT files_read, files_changed, turn_id FROM tool_uses
 WHERE session_id = ? AND (files_read <> '[]' OR files_changed <> '[]') ORDER BY at_ms, id

-- name: mark_tool_use
-- The observer has seen it.
UPDATE tool_uses SET observed_at_ms = ? WHERE id = ?

-- name: mark_turn
-- The observer has looked at its words.
UPDATE turns SET looked_at_ms = ? WHERE id = ?

-- name: same_title
-- An observation of the same fact.
SELECT id FROM observations WHERE project_id = ? AND title_key = ? AND type = ? ORDER BY id DESC

-- name: strengthen
-- The same fact was met again.
UPDATE observations SET seen_count = seen_count + 1, last_seen_at_ms = max(last_seen_at_ms, :at),
       evidence_made = evidence_made + :evidence WHERE id = :id

-- name: insert
-- A new observation.
INSERT INTO observations (uid, project_id, session_id, type, title, title_key, subtitle, narrative,
  facts, concepts, files_read, files_changed, agent, observer, read_tokens, work_tokens,
  evidence_made, at_ms, last_seen_at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: link
-- The tool uses it came from.
INSERT INTO observation_evidence VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: add_totals
-- Running totals of the project.
UPDATE projects SET observations = observations + 1, read_tokens = read_tokens + ?,
       work_tokens = work_tokens + ?, version = version + 1 WHERE id = ?

-- name: put_summary
-- One row a session.
INSERT INTO summaries (uid, project_id, session_id, request, investigated, learned, completed,
                       next_steps, files, read_tokens, at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (session_id) DO UPDATE SET request = excluded.request,
  investigated = excluded.investigated, learned = excluded.learned, completed = excluded.completed,
  next_steps = excluded.next_steps, files = excluded.files, read_tokens = excluded.read_tokens,
  at_ms = excluded.at_ms
RETURNING id, uid

-- name: titles
-- Newest titles of a project.
SELECT title FROM observations WHERE project_id = ? ORDER BY at_ms DESC, id DESC LIMIT ?

-- name: of_session
-- A session's observations, oldest first.
SELECT {columns} FROM observations o WHERE o.session_id = ? ORDER BY o.at_ms, o.id
