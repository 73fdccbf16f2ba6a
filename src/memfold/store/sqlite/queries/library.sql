-- name: touched
-- The newest observations of a project that name files. The inner select is one walk along
-- observations_by_project that ends after :newest rows, whatever the filters leave of them.
SELECT 'observation', o.id, o.project_id, p.name, s.host_session, s.host,
       o.title, o.type, o.at_ms, o.read_tokens, o.work_tokens, o.seen_count, o.files_changed, s.cwd,
       o.superseded_by, o.files_read
  FROM (SELECT * FROM observations WHERE project_id = :project
         ORDER BY at_ms DESC, id DESC LIMIT :newest) o
  JOIN projects p ON p.id = o.project_id
  JOIN sessions s ON s.id = o.session_id
 WHERE (o.files_changed <> '[]' OR o.files_read <> '[]')
   AND (:types = '[]' OR o.type IN (SELECT value FROM json_each(:types)))
   AND (:concepts = '[]' OR EXISTS (
         SELECT 1 FROM json_each(o.concepts) c, json_each(:concepts) w WHERE c.value = w.value))
 ORDER BY o.at_ms DESC, o.id DESC

-- name: last_reply
-- The last words of the newest session that has any, but for the one that asks. The inner select
-- is a walk along sessions_by_project, bounded for projects whose sessions keep no replies.
SELECT s.last_at_ms, r.at_ms, r.id, substr(r.text, 1, :most)
  FROM (SELECT id, last_at_ms FROM sessions WHERE project_id = :project
           AND NOT (host = :host AND host_session = :session)
         ORDER BY last_at_ms DESC, id DESC LIMIT 50) s
  JOIN replies r ON r.session_id = s.id AND r.agent = ''
 ORDER BY s.last_at_ms DESC, r.at_ms DESC, r.id DESC LIMIT 1
