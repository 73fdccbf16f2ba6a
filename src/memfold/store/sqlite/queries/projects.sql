-- name: by_alias
-- The project that owns a trace, merged ones followed to the one that remains.
WITH RECURSIVE owner(id, merged_into) AS (
  SELECT p.id, p.merged_into FROM project_aliases a JOIN projects p ON p.id = a.project_id
   WHERE a.kind = ? AND a.value = ?
  UNION ALL
  SELECT p.id, p.merged_into FROM owner JOIN projects p ON p.id = owner.merged_into
)
SELECT p.id, p.uid, p.name FROM owner JOIN projects p ON p.id = owner.id
 WHERE owner.merged_into IS NULL

-- name: by_name
-- A living project by its display name, case ignored.
SELECT id, uid, name FROM projects WHERE name = ? AND merged_into IS NULL

-- name: aliases
-- Every trace of a project.
SELECT kind, value FROM project_aliases WHERE project_id = ? ORDER BY kind, value

-- name: insert
-- A new project.
INSERT INTO projects (uid, name) VALUES (?, ?)

-- name: name_taken
-- Whether any project, merged ones included, has this name.
SELECT 1 FROM projects WHERE name = ?

-- name: add_alias
-- Remember a trace; one that is owned stays where it is.
INSERT INTO project_aliases (kind, value, project_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: move_alias
-- Give a trace to a project, whoever had it.
INSERT INTO project_aliases (kind, value, project_id) VALUES (?, ?, ?)
ON CONFLICT (kind, value) DO UPDATE SET project_id = excluded.project_id

-- name: counts
-- Living projects with their counts, most recently used first.
SELECT p.id, p.uid, p.name,
       (SELECT count(*) FROM sessions s WHERE s.project_id = p.id),
       (SELECT count(*) FROM tool_uses t JOIN sessions s ON s.id = t.session_id
         WHERE s.project_id = p.id),
       (SELECT count(*) FROM observations o WHERE o.project_id = p.id),
       coalesce((SELECT max(last_at_ms) FROM sessions s WHERE s.project_id = p.id), 0) AS last
  FROM projects p WHERE p.merged_into IS NULL ORDER BY last DESC, p.id

-- name: rename
-- Another display name.
UPDATE projects SET name = ?, version = version + 1 WHERE id = ?

-- name: bump
-- What this project shows has changed.
UPDATE projects SET version = version + 1 WHERE id = ?

-- name: mark_merged
-- The source lives on only as a pointer; its name is freed for use as an alias.
UPDATE projects SET merged_into = ?, name = name || ' (merged ' || id || ')' WHERE id = ?

-- name: add_totals
-- A merged project's running totals are added to the one that remains.
UPDATE projects SET (observations, read_tokens, work_tokens) = (
  SELECT projects.observations + s.observations, projects.read_tokens + s.read_tokens,
         projects.work_tokens + s.work_tokens FROM projects s WHERE s.id = ?)
 WHERE id = ?
