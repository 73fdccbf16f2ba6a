-- name: put
INSERT INTO gate_decisions (host, session, project_id, path, size, kind, reason, newest,
                            saved_tokens, at_ms)
VALUES (:host, :session, :project_id, :path, :size, :kind, :reason, :newest, :saved_tokens, :at_ms)

-- name: trim
-- The newest stay.
DELETE FROM gate_decisions WHERE id <= (SELECT max(id) FROM gate_decisions) - ?

-- name: last_told
SELECT host, session, project_id, path, size, kind, reason, newest, saved_tokens, at_ms
  FROM gate_decisions WHERE session = ? AND path = ? AND kind <> 'allow' AND host = ?
 ORDER BY id DESC LIMIT 1

-- name: newest
SELECT host, session, project_id, path, size, kind, reason, newest, saved_tokens, at_ms
  FROM gate_decisions ORDER BY id DESC LIMIT ?

-- name: counts
-- By kind and reason.
SELECT kind, reason, count(*), sum(saved_tokens) FROM gate_decisions WHERE at_ms >= ?
 GROUP BY kind, reason ORDER BY count(*) DESC, kind, reason

-- name: naming
-- The newest observations of a project that name a file of that name. The inner select is one walk
-- along observations_by_project that ends after :newest rows.
SELECT 'observation', o.id, o.project_id, p.name, s.host_session, s.host,
       o.title, o.type, o.at_ms, o.read_tokens, o.work_tokens, o.seen_count, o.files_changed, s.cwd,
       o.superseded_by, o.files_read
  FROM (SELECT * FROM observations WHERE project_id = :project
         ORDER BY at_ms DESC, id DESC LIMIT :newest) o
  JOIN projects p ON p.id = o.project_id
  JOIN sessions s ON s.id = o.session_id
 WHERE instr(o.files_changed, :name) > 0 OR instr(o.files_read, :name) > 0
 ORDER BY o.at_ms DESC, o.id DESC LIMIT :limit
