-- name: waiting
-- Newest entries of a kind that have no vector by this model.
SELECT o.id FROM {table} o WHERE {shown} AND NOT EXISTS (
   SELECT 1 FROM entry_vectors v WHERE v.entry = o.id * 4 + {kind} AND v.model = :model)
 ORDER BY o.id DESC LIMIT :limit

-- name: put
INSERT OR REPLACE INTO entry_vectors (entry, project_id, model, vector) VALUES (?, ?, ?, ?)

-- name: state
SELECT count(*), coalesce(max(id), 0) FROM entry_vectors WHERE model = ?

-- name: newer
SELECT id, entry, project_id, vector FROM entry_vectors
 WHERE model = ? AND id > ? ORDER BY id DESC LIMIT ?

-- name: passing
-- Those of the given rows that pass the filters.
SELECT rowid FROM entries_fts WHERE rowid IN ({rows}) {filters}
