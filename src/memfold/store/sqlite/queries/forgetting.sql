-- name: sessions
-- Sessions that a scope may touch.
SELECT id FROM sessions
 WHERE (:projects = '[]' OR project_id IN (SELECT value FROM json_each(:projects)))
   AND (:session = '' OR host_session = :session)

-- name: prompts
SELECT id, text FROM prompts WHERE session_id = :id AND at_ms BETWEEN :since AND :until

-- name: replies
SELECT id, text FROM replies WHERE session_id = :id AND at_ms BETWEEN :since AND :until

-- name: tool_uses
SELECT id FROM tool_uses WHERE session_id = :id AND at_ms BETWEEN :since AND :until

-- name: tool_use_texts
SELECT id, codec, input, response, tool, cwd, files_read, files_changed
  FROM tool_uses WHERE session_id = :id AND at_ms BETWEEN :since AND :until

-- name: observations
SELECT id, title, subtitle, narrative, facts, concepts, files_read, files_changed, reason, said
  FROM observations WHERE session_id = :id AND at_ms BETWEEN :since AND :until

-- name: notes_elsewhere
-- Observations of these projects that are filed under sessions of others: notes.
SELECT o.id, o.title, o.subtitle, o.narrative, o.facts, o.concepts, o.files_read, o.files_changed,
       o.reason, o.said
  FROM observations o JOIN sessions s ON s.id = o.session_id
 WHERE o.project_id IN (SELECT value FROM json_each(:projects)) AND s.project_id <> o.project_id
   AND (:session = '' OR s.host_session = :session) AND o.at_ms BETWEEN :since AND :until

-- name: summaries
SELECT id, request, investigated, learned, completed, next_steps, files
  FROM summaries WHERE session_id = :id AND at_ms BETWEEN :since AND :until

-- name: work_entries
-- Rows of the log of work state; a session's own where one is meant.
SELECT id, list_name, fields FROM work_state_entries
 WHERE (:projects = '[]' OR project_id IN (SELECT value FROM json_each(:projects)))
   AND (:session = '' OR session = :session)
   AND created_at_epoch BETWEEN :since AND :until

-- name: derived
-- Observations that rest on evidence of their own session that goes.
SELECT DISTINCT e.observation_id FROM observation_evidence e
  JOIN tool_uses t ON t.id = e.tool_use_id JOIN observations o ON o.id = e.observation_id
 WHERE e.tool_use_id IN (SELECT value FROM json_each(:uses)) AND t.session_id = o.session_id

-- name: bereft
-- Observations all of whose evidence goes.
SELECT DISTINCT e.observation_id FROM observation_evidence e
 WHERE e.tool_use_id IN (SELECT value FROM json_each(:uses)) AND NOT EXISTS (
   SELECT 1 FROM observation_evidence other WHERE other.observation_id = e.observation_id
      AND other.tool_use_id NOT IN (SELECT value FROM json_each(:uses)))

-- name: taught_in_turns_of
-- Observations of the turns in which these replies were given.
SELECT DISTINCT o.id FROM replies r JOIN turns t ON t.id = r.turn_id
  JOIN observations o ON o.session_id = t.session_id AND o.at_ms >= t.started_at_ms
   AND o.at_ms < coalesce((SELECT min(later.started_at_ms) FROM turns later
         WHERE later.session_id = t.session_id AND later.started_at_ms > t.started_at_ms),
       9223372036854775807)
 WHERE r.id IN (SELECT value FROM json_each(:replies))

-- name: touched_sessions
-- Sessions that lose something.
SELECT session_id FROM tool_uses WHERE id IN (SELECT value FROM json_each(:tool_uses))
UNION SELECT session_id FROM prompts WHERE id IN (SELECT value FROM json_each(:prompts))
UNION SELECT session_id FROM replies WHERE id IN (SELECT value FROM json_each(:replies))
UNION SELECT session_id FROM observations WHERE id IN (SELECT value FROM json_each(:observations))
UNION SELECT session_id FROM summaries WHERE id IN (SELECT value FROM json_each(:summaries))

-- name: summaries_of
SELECT id FROM summaries WHERE session_id IN (SELECT value FROM json_each(:sessions))

-- name: existing
-- Those of the given ids that are there.
SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(:ids))

-- name: keys
-- How a tool use is known again.
SELECT s.host, s.host_session, t.key FROM tool_uses t JOIN sessions s ON s.id = t.session_id
 WHERE t.id IN (SELECT value FROM json_each(:ids))

-- name: prompt_keys
SELECT s.host, s.host_session, p.prompt_key, p.text_hash
  FROM prompts p JOIN sessions s ON s.id = p.session_id
 WHERE p.id IN (SELECT value FROM json_each(:ids))

-- name: reply_keys
SELECT s.host, s.host_session, r.text_hash FROM replies r JOIN sessions s ON s.id = r.session_id
 WHERE r.id IN (SELECT value FROM json_each(:ids))

-- name: uids
SELECT uid FROM {table} WHERE id IN (SELECT value FROM json_each(:ids))

-- name: every_tool_use
SELECT t.id, t.session_id, s.host, s.host_session, t.key, t.at_ms
  FROM tool_uses t JOIN sessions s ON s.id = t.session_id

-- name: every_prompt
SELECT p.id, p.session_id, s.host, s.host_session, p.text_hash, p.prompt_key, p.at_ms
  FROM prompts p JOIN sessions s ON s.id = p.session_id

-- name: every_reply
SELECT r.id, r.session_id, s.host, s.host_session, r.text_hash, r.at_ms
  FROM replies r JOIN sessions s ON s.id = r.session_id

-- name: every_session
SELECT id, host, host_session, project_id FROM sessions

-- name: every_project
SELECT id FROM projects

-- name: in_spans_of
-- Rows of a session in a span of time.
SELECT id FROM {table} WHERE session_id = ? AND at_ms BETWEEN ? AND ?

-- name: work_in_span
SELECT id FROM work_state_entries WHERE project_id = ? AND created_at_epoch BETWEEN ? AND ?

-- name: remember_item
INSERT INTO forgotten_items VALUES (?, ?)
ON CONFLICT (item) DO UPDATE SET until_ms = max(until_ms, excluded.until_ms)

-- name: remember_span
INSERT INTO forgotten_spans VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: any
-- Whether anything was ever forgotten.
SELECT EXISTS (SELECT 1 FROM forgotten_items) OR EXISTS (SELECT 1 FROM forgotten_spans)

-- name: in_span
-- Whether a moment lies in a forgotten span of one of these scopes (16 bytes each, end to end).
SELECT 1 FROM forgotten_spans WHERE scope = ? AND ? BETWEEN since_ms AND until_ms LIMIT 1

-- name: item
SELECT until_ms FROM forgotten_items WHERE item = ?

-- name: traces
-- By what a project, with those merged into it, is known again; a name is not enough.
SELECT kind, value FROM project_aliases
 WHERE project_id IN (SELECT value FROM json_each(:projects)) AND kind <> 'name'

-- name: unlink
-- An observation that stays must not say that evidence it lost this way was retired by age.
UPDATE observations SET evidence_made = evidence_made -
       (SELECT count(*) FROM observation_evidence e WHERE e.observation_id = observations.id
           AND e.tool_use_id IN (SELECT value FROM json_each(:uses)))
 WHERE id IN (SELECT observation_id FROM observation_evidence
               WHERE tool_use_id IN (SELECT value FROM json_each(:uses)))

-- name: drop
DELETE FROM {table} WHERE id IN (SELECT value FROM json_each(:ids))

-- name: lists_of
-- Lists that lose rows of their log.
SELECT DISTINCT project_id, list_name FROM work_state_entries
 WHERE id IN (SELECT value FROM json_each(:ids))

-- name: empty_turns
-- Turns of these sessions with nothing left in them.
DELETE FROM turns WHERE session_id IN (SELECT value FROM json_each(:sessions))
   AND NOT EXISTS (SELECT 1 FROM prompts WHERE turn_id = turns.id)
   AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE turn_id = turns.id)
   AND NOT EXISTS (SELECT 1 FROM replies WHERE turn_id = turns.id)

-- name: empty_sessions
-- Sessions with nothing left in them; one that a note is filed under stays.
SELECT id, host_session, transcript FROM sessions
 WHERE id IN (SELECT value FROM json_each(:sessions))
   AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM observations WHERE session_id = sessions.id)
   AND NOT EXISTS (SELECT 1 FROM summaries WHERE session_id = sessions.id)

-- name: drop_retired
DELETE FROM retired_tool_uses WHERE session_id = ?

-- name: drop_offsets
-- Its transcripts, those of its subagents too, are read from the start where they are read again.
DELETE FROM import_offsets WHERE path = :transcript OR instr(path, :session) > 0

-- name: project_family
-- A project with those merged into it.
WITH RECURSIVE family(id) AS (
  SELECT value FROM json_each(:projects)
  UNION SELECT p.id FROM projects p JOIN family f ON p.merged_into = f.id)
SELECT id FROM family

-- name: count_again
-- Running totals after a removal.
UPDATE projects SET version = version + 1,
  observations = (SELECT count(*) FROM observations o WHERE o.project_id = projects.id),
  read_tokens = (SELECT coalesce(sum(read_tokens), 0) FROM observations o
                  WHERE o.project_id = projects.id),
  work_tokens = (SELECT coalesce(sum(work_tokens), 0) FROM observations o
                  WHERE o.project_id = projects.id)
 WHERE merged_into IS NULL

-- name: plans_looked_at
-- Ids of tool uses may be given again: what is looked at for plans must not lie ahead of them.
UPDATE work_state_progress SET value = min(value, (SELECT coalesce(max(id), 0) FROM tool_uses))
 WHERE name = 'mirrored'

-- name: commit_subjects
-- First lines of commits of these projects.
SELECT commit_id, project_id, subject FROM commits WHERE subject <> ''
   AND (:projects = '[]' OR project_id IN (SELECT value FROM json_each(:projects)))

-- name: gate_decisions
-- What the gate decided in these sessions or projects.
SELECT id, path FROM gate_decisions
 WHERE (:projects = '[]' OR project_id IN (SELECT value FROM json_each(:projects)))
   AND (:session = '' OR session = :session) AND at_ms BETWEEN :since AND :until

-- name: empty_commits_of
-- What these observations were learned from stays known, without a word of it.
UPDATE commits SET subject = '', checkout = '', observation_id = NULL, reason = 'forgotten'
 WHERE observation_id IN (SELECT value FROM json_each(:ids))

-- name: empty_commit
UPDATE commits SET subject = '', checkout = '', observation_id = NULL, reason = 'forgotten'
 WHERE commit_id = ? AND project_id = ?

-- name: empty_aliases
-- Entries of another memory stay known as taken in.
UPDATE entry_aliases SET entry_id = 0
 WHERE kind = :kind AND entry_id IN (SELECT value FROM json_each(:ids))

-- name: empty_troubles
-- A provider's answer may have quoted what it was sent. The codes of what went wrong stay.
UPDATE model_calls SET detail = '' WHERE detail <> ''

-- name: empty_turn_troubles
UPDATE model_turns SET trouble = '' WHERE trouble <> ''

-- name: forgettings
SELECT runs FROM forgettings

-- name: one_more
UPDATE forgettings SET runs = runs + 1

-- name: swept
UPDATE forgettings SET swept = runs

-- name: is_unswept
SELECT swept < runs FROM forgettings
