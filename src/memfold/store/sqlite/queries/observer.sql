-- name: next_turn
-- The oldest closed turn that has something the observer has not looked at. Closed: nothing
-- happened in it since the agent stopped or the session ended, or it is idle, or another followed.
SELECT t.id, t.session_id, t.started_at_ms FROM turns t JOIN sessions s ON s.id = t.session_id
 WHERE t.private = 0 AND (:session IS NULL OR t.session_id = :session)
   AND t.id IN (SELECT id FROM turns u WHERE looked_at_ms IS NULL
                   AND (EXISTS (SELECT 1 FROM prompts WHERE turn_id = u.id)
                        OR EXISTS (SELECT 1 FROM replies WHERE turn_id = u.id))
                UNION SELECT turn_id FROM tool_uses WHERE observed_at_ms IS NULL)
   AND (t.ended_at_ms >= t.last_at_ms OR s.ended_at_ms >= t.last_at_ms
        OR t.last_at_ms < :idle_before
        OR EXISTS (SELECT 1 FROM turns later WHERE later.session_id = t.session_id
                      AND (later.started_at_ms, later.id) > (t.started_at_ms, t.id)))
 ORDER BY t.started_at_ms, t.id LIMIT 1

-- name: session
-- A session by our id.
SELECT id, host, host_session, project_id, cwd, started_at_ms, last_at_ms,
       coalesce(ended_at_ms >= last_at_ms, 0), transcript, branch FROM sessions WHERE id = ?

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
-- Files a session read and changed, with the beginning of their turn.
SELECT u.files_read, u.files_changed, t.started_at_ms, t.id
  FROM tool_uses u JOIN turns t ON t.id = u.turn_id
 WHERE u.session_id = ? AND (u.files_read <> '[]' OR u.files_changed <> '[]')
 ORDER BY u.at_ms, u.id

-- name: mark_tool_use
-- The observer has seen it.
UPDATE tool_uses SET observed_at_ms = ? WHERE id = ?

-- name: mark_turn
-- The observer has looked at its words, unless some were said meanwhile.
UPDATE turns SET looked_at_ms = :at WHERE id = :turn AND NOT EXISTS (
  SELECT 1 FROM replies WHERE turn_id = :turn AND id NOT IN (SELECT value FROM json_each(:said)))

-- name: still_there
-- Steps of a turn that are still kept: of a turn that turned out to be private, none are.
SELECT id, 'tool_use' FROM tool_uses WHERE id IN (SELECT value FROM json_each(:used))
UNION ALL SELECT id, 'reply' FROM replies WHERE id IN (SELECT value FROM json_each(:said))

-- name: same_title
-- An observation of the same fact.
SELECT id, session_id, last_seen_at_ms FROM observations
 WHERE project_id = ? AND title_key = ? AND type = ? ORDER BY id DESC LIMIT 1

-- name: strengthen
-- The same fact was met again.
UPDATE observations SET seen_count = seen_count + 1, last_seen_at_ms = max(last_seen_at_ms, :at)
 WHERE id = :id

-- name: insert
-- A new observation.
INSERT INTO observations (uid, project_id, session_id, type, title, title_key, subtitle, narrative,
  facts, concepts, files_read, files_changed, agent, observer, read_tokens, work_tokens,
  evidence_made, at_ms, last_seen_at_ms, reason, said)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)

-- name: link
-- A tool use it came from, where that is still kept.
INSERT INTO observation_evidence SELECT ?, id FROM tool_uses WHERE id = ? ON CONFLICT DO NOTHING

-- name: count_evidence
-- So many more tool uses than before.
UPDATE observations SET evidence_made = evidence_made + ? WHERE id = ?

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

-- name: owners
-- Whose two observations are.
SELECT id, project_id FROM observations WHERE id IN (?, ?)

-- name: overtaken_by
-- Every observation that overtook this one, and those that overtook these.
WITH RECURSIVE later(id) AS (
  SELECT superseded_by FROM observations WHERE id = ? AND superseded_by IS NOT NULL
  UNION
  SELECT o.superseded_by FROM later JOIN observations o ON o.id = later.id
   WHERE o.superseded_by IS NOT NULL
)
SELECT id FROM later

-- name: supersede
-- Overtaken by the newer one; one that is marked so already is left alone.
UPDATE observations SET superseded_by = :newer
 WHERE id = :older AND superseded_by IS NOT :newer

-- name: titles
-- Newest titles of a project.
SELECT title FROM observations WHERE project_id = ? ORDER BY at_ms DESC, id DESC LIMIT ?

-- name: of_session
-- A session's observations, oldest first.
SELECT {columns} FROM observations o WHERE o.session_id = ? ORDER BY o.at_ms, o.id

-- name: by_id
-- One observation.
SELECT {columns} FROM observations o WHERE o.id = ?

-- name: note_session
-- The session that a note is filed under: the writer's own, made where it was not heard of yet.
INSERT INTO sessions (host, host_session, project_id, cwd, started_at_ms, last_at_ms)
VALUES (:host, :session, :project, '', :at, :at) ON CONFLICT (host, host_session) DO NOTHING

-- name: note_session_id
SELECT id FROM sessions WHERE host = ? AND host_session = ?

-- name: same_note
-- The same note once more: title, type and text.
SELECT id FROM observations WHERE project_id = ? AND title_key = ? AND type = ? AND narrative = ?
 ORDER BY id DESC LIMIT 1

-- name: sessions_to_summarise
-- A summary bears the time of the last event it was made of. What a model, a person or another
-- memory wrote makes none stale.
SELECT s.id FROM sessions s LEFT JOIN summaries m ON m.session_id = s.id
 WHERE EXISTS (SELECT 1 FROM prompts WHERE session_id = s.id)
   AND EXISTS (
         SELECT 1 FROM observations o WHERE o.session_id = s.id
            AND (m.id IS NULL OR (o.at_ms > m.at_ms AND o.observer LIKE 'builtin/%')))
