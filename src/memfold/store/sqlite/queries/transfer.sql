-- name: columns
SELECT name, type FROM pragma_table_info(?) ORDER BY cid

-- name: projects
-- Those first that others were merged into.
WITH RECURSIVE depth(id, n) AS (
  SELECT id, 0 FROM projects WHERE merged_into IS NULL
  UNION ALL SELECT p.id, d.n + 1 FROM projects p JOIN depth d ON p.merged_into = d.id)
SELECT {columns} FROM projects p JOIN depth d ON d.id = p.id ORDER BY d.n, p.id

-- name: aliases
SELECT kind, value FROM project_aliases WHERE project_id = ? ORDER BY kind, value

-- name: evidence
SELECT tool_use_id FROM observation_evidence WHERE observation_id = ? ORDER BY tool_use_id

-- name: superseded
SELECT id, superseded_by FROM observations WHERE superseded_by IS NOT NULL ORDER BY id

-- name: mirrored
SELECT value FROM work_state_progress WHERE name = 'mirrored'

-- name: set_mirrored
UPDATE work_state_progress SET value = max(value, ?) WHERE name = 'mirrored'

-- name: lower_mirrored
UPDATE work_state_progress SET value = min(value, ?) WHERE name = 'mirrored'

-- name: set_superseded
UPDATE observations SET superseded_by = ? WHERE id = ? AND superseded_by IS NULL

-- name: known_by_alias
SELECT project_id FROM project_aliases WHERE kind = ? AND value = ? AND kind <> 'name'

-- name: known_project
SELECT id FROM projects WHERE uid = ?

-- name: merged_root
-- What a project was merged into, in the end.
WITH RECURSIVE up(id) AS (
  SELECT ? UNION ALL SELECT p.merged_into FROM projects p JOIN up ON p.id = up.id
   WHERE p.merged_into IS NOT NULL)
SELECT u.id FROM up u JOIN projects p ON p.id = u.id WHERE p.merged_into IS NULL

-- name: add_alias
INSERT INTO project_aliases VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: known_session
SELECT id FROM sessions WHERE host = :host AND host_session = :host_session

-- name: known_turns
SELECT id FROM turns WHERE session_id = :session_id AND started_at_ms = :started_at_ms ORDER BY id

-- name: known_prompt
SELECT id FROM prompts WHERE uid = :uid

-- name: same_prompts
SELECT id FROM prompts WHERE session_id = :session_id AND text_hash = :text_hash
   AND (at_ms = :at_ms OR (prompt_key <> '' AND prompt_key = :prompt_key)) ORDER BY id

-- name: known_reply
SELECT id FROM replies
 WHERE session_id = :session_id AND agent = :agent AND text_hash = :text_hash

-- name: known_tool_use
SELECT id FROM tool_uses WHERE uid = :uid OR (session_id = :session_id AND key = :key)

-- name: known_observation
SELECT id FROM observations WHERE uid = :uid

-- name: same_observations
SELECT id FROM observations WHERE project_id = :project_id AND title_key = :title_key
   AND session_id = :session_id AND type = :type AND narrative = :narrative AND at_ms = :at_ms
 ORDER BY id

-- name: known_summary
SELECT id FROM summaries WHERE session_id = :session_id

-- name: known_entry
SELECT id, list_name FROM work_state_entries WHERE uid = :uid

-- name: has_list
SELECT EXISTS (SELECT 1 FROM work_state_entries WHERE project_id = ? AND list_name = ?)

-- name: known_memory
SELECT id FROM other_memories WHERE fingerprint = :fingerprint

-- name: known_calls
SELECT id FROM model_calls WHERE at_ms = :at_ms AND model = :model AND purpose = :purpose
   AND tokens_in = :tokens_in AND tokens_out = :tokens_out
   AND cost_micro_usd = :cost_micro_usd ORDER BY id

-- name: is_retired
SELECT 1 FROM retired_tool_uses WHERE session_id = ? AND key_hash = ?

-- name: link
INSERT INTO observation_evidence VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: traces_of
SELECT kind, value FROM project_aliases WHERE project_id = ? AND kind <> 'name'

-- name: whose
SELECT host, host_session, project_id FROM sessions WHERE id = ?

-- name: empty_projects
-- Projects with nothing of their own.
SELECT id FROM projects p WHERE id IN (SELECT value FROM json_each(:ids))
   AND NOT EXISTS (SELECT 1 FROM sessions WHERE project_id = p.id)
   AND NOT EXISTS (SELECT 1 FROM observations WHERE project_id = p.id)
   AND NOT EXISTS (SELECT 1 FROM work_state_entries WHERE project_id = p.id)
   AND NOT EXISTS (SELECT 1 FROM projects m WHERE m.merged_into = p.id)
