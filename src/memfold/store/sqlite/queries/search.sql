-- name: newest_of_all
SELECT rowid FROM entries_fts ORDER BY rowid DESC LIMIT ?

-- name: newest
-- The newest rows that match. No rank: cheap however many match.
SELECT rowid FROM entries_fts WHERE entries_fts MATCH ? {filters} ORDER BY rowid DESC LIMIT ?

-- name: ranked
-- The newest rows that match, each with its rank (ranking.py).
SELECT rowid, memfold_rank(entries_fts, {weights}) FROM entries_fts
 WHERE entries_fts MATCH ? {filters} ORDER BY rowid DESC LIMIT ?
