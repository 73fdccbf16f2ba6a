-- name: session
-- One session by the host's own id.
SELECT id, host, host_session, project_id, cwd, started_at_ms, last_at_ms,
       ended_at_ms IS NOT NULL, transcript, branch
  FROM sessions WHERE host = ? AND host_session = ?

-- name: touch_session
-- First sight makes the session; later events move its ends and fill what was empty.
INSERT INTO sessions (host, host_session, project_id, cwd, branch, transcript,
                      started_at_ms, last_at_ms)
VALUES (:host, :session, :project, :cwd, :branch, :transcript, :at, :at)
ON CONFLICT (host, host_session) DO UPDATE SET
  started_at_ms = min(started_at_ms, excluded.started_at_ms),
  last_at_ms = max(last_at_ms, excluded.last_at_ms),
  cwd = CASE cwd WHEN '' THEN excluded.cwd ELSE cwd END,
  branch = CASE excluded.branch WHEN '' THEN branch ELSE excluded.branch END,
  transcript = CASE WHEN transcript = '' OR :main THEN
               CASE excluded.transcript WHEN '' THEN transcript ELSE excluded.transcript END
               ELSE transcript END
RETURNING id, project_id

-- name: turn_at
-- The turn that was going on at a moment: the latest that began by then, else the first.
SELECT id, private, ended_at_ms FROM turns WHERE session_id = :session
 ORDER BY started_at_ms <= :at DESC,
          CASE WHEN started_at_ms <= :at THEN -started_at_ms ELSE started_at_ms END,
          CASE WHEN started_at_ms <= :at THEN -id ELSE id END
 LIMIT 1

-- name: new_turn
-- A turn begins.
INSERT INTO turns (session_id, started_at_ms, last_at_ms, private) VALUES (?, ?, ?, ?)

-- name: next_turn_start
-- When the session's next prompt began its turn; turns made without a prompt do not count.
SELECT min(started_at_ms) FROM turns WHERE session_id = ? AND (started_at_ms, id) > (?, ?)
   AND EXISTS (SELECT 1 FROM prompts WHERE turn_id = turns.id)

-- name: known_prompt
-- The same prompt: same key, or the same text within 10 s where either side has no key.
SELECT id, prompt_key, turn_id FROM prompts
 WHERE session_id = :session AND text_hash = :hash AND
       ((prompt_key <> '' AND prompt_key = :key) OR
        ((prompt_key = '' OR :key = '') AND abs(at_ms - :at) <= 10000))
 ORDER BY prompt_key = :key DESC, abs(at_ms - :at) LIMIT 1

-- name: known_key
-- A prompt under the host's key, whatever its text.
SELECT id, prompt_key, turn_id FROM prompts
 WHERE session_id = :session AND prompt_key = :key AND :key <> ''

-- name: new_prompt
-- What the user typed.
INSERT INTO prompts (uid, project_id, session_id, turn_id, prompt_key, text_hash, text, private,
                     read_tokens, at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: new_reply
-- What the agent said; said again it stays one row.
INSERT INTO replies (session_id, turn_id, agent, text_hash, text, at_ms)
VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING

-- name: known_tool_use
-- A tool use by the host's id.
SELECT id, work_tokens FROM tool_uses WHERE session_id = ? AND key = ?

-- name: new_tool_use
-- One captured tool call.
INSERT INTO tool_uses (uid, session_id, turn_id, key, tool, codec, input, response, dropped_bytes,
                       ok, duration_ms, cwd, agent, agent_type, files_read, files_changed,
                       work_tokens, at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: reopen_turn
-- Something happened in the turn; if it had ended before that, it goes on.
UPDATE turns SET last_at_ms = max(last_at_ms, :at),
       ended_at_ms = CASE WHEN ended_at_ms < :at THEN NULL ELSE ended_at_ms END
 WHERE id = :turn

-- name: end_turn
-- The agent stopped.
UPDATE turns SET ended_at_ms = max(coalesce(ended_at_ms, 0), :at), last_at_ms = max(last_at_ms, :at)
 WHERE id = :turn

-- name: end_session
-- The host said goodbye.
UPDATE sessions SET ended_at_ms = ? WHERE id = ?

-- name: move_tool_uses
-- What belongs to a turn that was learned of late.
UPDATE tool_uses SET turn_id = :turn WHERE session_id = :session AND at_ms >= :from
   AND at_ms < :until AND observed_at_ms IS NULL

-- name: move_replies
-- What was said in a turn that was learned of late.
UPDATE replies SET turn_id = :turn WHERE session_id = :session AND at_ms >= :from AND at_ms < :until

-- name: drop_private_tool_uses
-- A private turn keeps nothing.
DELETE FROM tool_uses WHERE turn_id = ? AND observed_at_ms IS NULL

-- name: drop_private_replies
-- A private turn keeps nothing.
DELETE FROM replies WHERE turn_id = ?

-- name: drop_empty_turns
-- Turns that a late prompt left with nothing in them.
DELETE FROM turns WHERE session_id = ? AND id <> ? AND private = 0
   AND NOT EXISTS (SELECT 1 FROM prompts WHERE turn_id = turns.id)
   AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE turn_id = turns.id)
   AND NOT EXISTS (SELECT 1 FROM replies WHERE turn_id = turns.id)

-- name: offset
-- How far a transcript was taken in.
SELECT offset, fingerprint FROM import_offsets WHERE path = ?

-- name: set_offset
-- A transcript was taken in up to here.
INSERT INTO import_offsets VALUES (?, ?, ?)
ON CONFLICT (path) DO UPDATE SET offset = excluded.offset, fingerprint = excluded.fingerprint

-- name: counts
-- What is in the store.
SELECT (SELECT count(*) FROM projects WHERE merged_into IS NULL), (SELECT count(*) FROM sessions),
       (SELECT count(*) FROM prompts), (SELECT count(*) FROM tool_uses),
       (SELECT count(*) FROM tool_uses WHERE observed_at_ms IS NULL),
       (SELECT count(*) FROM observations), (SELECT count(*) FROM summaries)

-- name: last_events
-- When each host was last heard.
SELECT host, max(last_at_ms) FROM sessions GROUP BY host ORDER BY host
