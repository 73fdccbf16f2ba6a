-- name: owner
-- Whose an observation is, and whether it is pinned.
SELECT project_id, pinned_at_ms IS NOT NULL FROM observations WHERE id = ?

-- name: count
-- How many a project has.
SELECT count(*) FROM observations WHERE project_id = ? AND pinned_at_ms IS NOT NULL

-- name: set
-- Pinned since then; not pinned with NULL.
UPDATE observations SET pinned_at_ms = :at WHERE id = :id

-- name: pinned
-- A project's pins, newest observation first: one walk along observations_pinned.
SELECT 'observation', o.id, o.project_id, p.name, s.host_session, s.host,
       o.title, o.type, o.at_ms, o.read_tokens, o.work_tokens, o.seen_count, o.files_changed, s.cwd,
       o.superseded_by
  FROM observations o
  JOIN projects p ON p.id = o.project_id
  JOIN sessions s ON s.id = o.session_id
 WHERE o.project_id = :project AND o.pinned_at_ms IS NOT NULL
 ORDER BY o.at_ms DESC, o.id DESC LIMIT :limit
