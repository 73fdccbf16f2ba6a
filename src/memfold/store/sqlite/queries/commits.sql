-- name: known
-- Which of these commits were looked at.
SELECT commit_id FROM commits
 WHERE project_id = :project AND commit_id IN (SELECT value FROM json_each(:ids))

-- name: head
-- What was looked at up to where.
SELECT commit_id FROM git_heads WHERE project_id = ?

-- name: set_head
INSERT INTO git_heads VALUES (?, ?)
ON CONFLICT (project_id) DO UPDATE SET commit_id = excluded.commit_id

-- name: rewritten
-- The same commit under another id: written at the same moment with the same first line, or with
-- the same change.
SELECT observation_id, reason FROM commits
 WHERE project_id = :project AND (trace = :trace OR change_trace = :change)
 ORDER BY seen DESC LIMIT 1

-- name: by_id
-- The observation of a commit, by its id or the beginning of it.
SELECT observation_id FROM commits
 WHERE project_id = :project AND observation_id IS NOT NULL
   AND commit_id >= :from AND commit_id < :until
 ORDER BY seen DESC LIMIT 1

-- name: by_subject
-- The observation of the newest commit with that first line.
SELECT observation_id FROM commits
 WHERE project_id = ? AND subject = ? AND observation_id IS NOT NULL ORDER BY seen DESC LIMIT 1

-- name: is_of_a_commit
SELECT 1 FROM commits WHERE observation_id = ? LIMIT 1

-- name: same_title
-- An observation that says the same, whatever made it.
SELECT id FROM observations WHERE project_id = ? AND title_key = ? ORDER BY id DESC LIMIT 1

-- name: next_seen
SELECT coalesce(max(seen), 0) + 1 FROM commits WHERE project_id = ?

-- name: put
INSERT INTO commits VALUES (:commit, :project, :observation, :reason, :subject, :trace, :change,
                            :checkout, :seen)
ON CONFLICT DO NOTHING

-- name: of_observation
-- Where the evidence of an observation lies, newest id first.
SELECT commit_id, subject, checkout FROM commits WHERE observation_id = ? ORDER BY seen DESC LIMIT 20

-- name: widen_session
-- The session of a history is as wide as what is in it.
UPDATE sessions SET cwd = :cwd, started_at_ms = min(started_at_ms, :at),
       last_at_ms = max(last_at_ms, :at) WHERE id = :id

-- name: move
-- Two projects become one; a commit that both looked at stays as the remaining one has it.
UPDATE OR IGNORE commits SET project_id = ? WHERE project_id = ?
