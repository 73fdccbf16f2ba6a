-- name: session
-- One session by the host's own id.
SELECT id, host, host_session, project_id, cwd, started_at_ms, last_at_ms,
       coalesce(ended_at_ms >= last_at_ms, 0), transcript, branch
  FROM sessions WHERE host = ? AND host_session = ?

-- name: recent_transcripts
-- Sessions heard of lately whose host names a transcript.
SELECT id, host, host_session, project_id, cwd, started_at_ms, last_at_ms,
       coalesce(ended_at_ms >= last_at_ms, 0), transcript, branch
  FROM sessions WHERE transcript <> '' AND last_at_ms >= ?
 ORDER BY last_at_ms DESC, id DESC LIMIT ?

-- name: has_tool_use
-- A tool use of a session by the host's own ids.
SELECT 1 FROM tool_uses WHERE key = ? AND session_id =
  (SELECT id FROM sessions WHERE host = ? AND host_session = ?)

-- name: touch_session
-- First sight makes the session; later events move its ends and fill what was empty. Its
-- directory is that of its earliest event, whatever order they come in.
INSERT INTO sessions (host, host_session, project_id, cwd, branch, transcript,
                      started_at_ms, last_at_ms)
VALUES (:host, :session, :project, :cwd, :branch, :transcript, :at, :at)
ON CONFLICT (host, host_session) DO UPDATE SET
  started_at_ms = min(started_at_ms, excluded.started_at_ms),
  last_at_ms = max(last_at_ms, excluded.last_at_ms),
  cwd = CASE WHEN excluded.cwd <> '' AND (cwd = '' OR (:main AND :at < started_at_ms))
             THEN excluded.cwd ELSE cwd END,
  branch = CASE excluded.branch WHEN '' THEN branch ELSE excluded.branch END,
  transcript = CASE WHEN transcript = '' OR :main THEN
               CASE excluded.transcript WHEN '' THEN transcript ELSE excluded.transcript END
               ELSE transcript END
RETURNING id, project_id

-- name: turn_at
-- The turn that was going on at a moment: the latest that began by then.
SELECT id, private FROM turns WHERE session_id = ? AND started_at_ms <= ?
 ORDER BY started_at_ms DESC, id DESC LIMIT 1

-- name: widen_first_turn
-- What happened before any prompt is one turn, however late its parts are heard of.
UPDATE turns SET started_at_ms = :at WHERE session_id = :session AND started_at_ms > :at
   AND NOT EXISTS (SELECT 1 FROM prompts WHERE turn_id = turns.id)
RETURNING id

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
-- A tool use by the host's id; its result only where that is next to nothing.
SELECT id, ok, codec, CASE WHEN length(response) < 64 THEN response END
  FROM tool_uses WHERE session_id = ? AND key = ?

-- name: answer_tool_use
-- The result of a call that was taken for given up: its transcript was imported while it ran.
UPDATE tool_uses
   SET codec = ?, input = ?, response = ?, dropped_bytes = ?, ok = ?, files_changed = ?, at_ms = ?,
       observed_at_ms = NULL
 WHERE id = ?

-- name: complete_tool_use
-- What only the other way in told: a hook knows how long a call took and whose it was, a
-- transcript what it cost.
UPDATE tool_uses
   SET work_tokens = CASE work_tokens WHEN 0 THEN :tokens ELSE work_tokens END,
       duration_ms = coalesce(duration_ms, :duration),
       agent_type = CASE agent_type WHEN '' THEN :agent_type ELSE agent_type END
 WHERE id = :id AND ((work_tokens = 0 AND :tokens <> 0) OR (agent_type = '' AND :agent_type <> '')
                     OR (duration_ms IS NULL AND :duration IS NOT NULL))

-- name: new_tool_use
-- One captured tool call.
INSERT INTO tool_uses (uid, session_id, turn_id, key, tool, codec, input, response, dropped_bytes,
                       ok, duration_ms, cwd, agent, agent_type, files_read, files_changed,
                       work_tokens, at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: touch_turn
-- Something happened in the turn; if it had ended before that, it goes on. What was said late
-- is still to be looked at.
UPDATE turns SET last_at_ms = max(last_at_ms, :at),
       looked_at_ms = CASE WHEN :said THEN NULL ELSE looked_at_ms END
 WHERE id = :turn

-- name: end_turn
-- The agent stopped.
UPDATE turns SET ended_at_ms = max(coalesce(ended_at_ms, 0), :at), last_at_ms = max(last_at_ms, :at)
 WHERE id = :turn

-- name: end_session
-- The host said goodbye. A session that goes on after that (resumed) is not over.
UPDATE sessions SET ended_at_ms = max(coalesce(ended_at_ms, 0), ?) WHERE id = ?

-- name: move_tool_uses
-- What belongs to a turn that was learned of late.
UPDATE tool_uses SET turn_id = :turn WHERE session_id = :session AND at_ms >= :from
   AND at_ms < :until

-- name: move_replies
-- What was said in a turn that was learned of late.
UPDATE replies SET turn_id = :turn WHERE session_id = :session AND at_ms >= :from AND at_ms < :until

-- name: settle_turn
-- The ends of a turn that took over what another turn held. Only a session's last turn needs its
-- end: all others are closed by the one that follows, so that the latest end says enough.
UPDATE turns SET
  ended_at_ms = (SELECT max(ended_at_ms) FROM turns
                  WHERE session_id = :session AND ended_at_ms >= :from AND ended_at_ms < :until),
  last_at_ms = max(last_at_ms,
    coalesce((SELECT max(at_ms) FROM tool_uses WHERE turn_id = :turn), 0),
    coalesce((SELECT max(at_ms) FROM replies WHERE turn_id = :turn), 0),
    coalesce((SELECT max(ended_at_ms) FROM turns
               WHERE session_id = :session AND ended_at_ms >= :from AND ended_at_ms < :until), 0))
 WHERE id = :turn

-- name: unlink_private
-- An observation that stays must not say that evidence it lost this way was retired by age.
UPDATE observations SET evidence_made = evidence_made -
       (SELECT count(*) FROM observation_evidence e JOIN tool_uses t ON t.id = e.tool_use_id
         WHERE e.observation_id = observations.id AND t.turn_id = ?1)
 WHERE id IN (SELECT e.observation_id FROM observation_evidence e
                JOIN tool_uses t ON t.id = e.tool_use_id WHERE t.turn_id = ?1)

-- name: drop_private_tool_uses
-- A private turn keeps nothing.
DELETE FROM tool_uses WHERE turn_id = ?

-- name: taught_by_private
-- Observations of a turn that turned out to be private: nothing they came from is kept.
SELECT id, read_tokens, work_tokens FROM observations
 WHERE session_id = :session AND at_ms >= :from AND at_ms < :until
   AND NOT EXISTS (SELECT 1 FROM observation_evidence WHERE observation_id = observations.id)

-- name: forget_observation
-- It was taught by a private turn.
DELETE FROM observations WHERE id = ?

-- name: forget_summary
-- It may tell of a private turn; the next turn that is observed makes it anew.
DELETE FROM summaries WHERE session_id = ? RETURNING id

-- name: forget_given
-- What sessions were shown may tell of a private turn too; without it they are shown it anew.
DELETE FROM given_contexts

-- name: subtract_totals
-- Running totals of the project.
UPDATE projects SET observations = observations - 1, read_tokens = read_tokens - ?,
       work_tokens = work_tokens - ? WHERE id = ?

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
