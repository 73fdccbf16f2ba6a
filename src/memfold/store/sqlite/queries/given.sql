-- name: get
-- What a session was given, if that is still what memory is.
SELECT text FROM given_contexts
 WHERE host = :host AND host_session = :session AND project_ids = :projects AND version = :version

-- name: put
-- The latest that a session was given.
INSERT OR REPLACE INTO given_contexts (host, host_session, project_ids, version, text)
VALUES (:host, :session, :projects, :version, :text)

-- name: drop_old
-- A version never comes back: what was given under an earlier one is of no more use.
DELETE FROM given_contexts WHERE project_ids = :projects AND version < :version

-- name: drop_oldest
-- So many sessions are enough.
DELETE FROM given_contexts
 WHERE id <= (SELECT id FROM given_contexts ORDER BY id DESC LIMIT 1 OFFSET :most)
