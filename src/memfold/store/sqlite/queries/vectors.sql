-- name: waiting
-- Newest entries of a kind whose first passage has no vector by this model; all passages of an
-- entry get theirs together.
SELECT o.id FROM {table} o WHERE {shown} AND NOT EXISTS (
   SELECT 1 FROM passage_vectors v
    WHERE v.passage = (o.id * 4 + {kind}) * :span AND v.model = :model)
 ORDER BY o.id DESC LIMIT :limit

-- name: put
INSERT OR REPLACE INTO passage_vectors (passage, project_id, model, vector) VALUES (?, ?, ?, ?)

-- name: state
SELECT count(*), coalesce(max(id), 0) FROM passage_vectors WHERE model = ?

-- name: newer
SELECT id, passage, project_id, vector FROM passage_vectors
 WHERE model = ? AND id > ? ORDER BY id DESC LIMIT ?

-- name: passing
-- Those of the given rows that pass the filters.
SELECT rowid FROM entries_fts WHERE rowid IN ({rows}) {filters}
