-- name: newest
-- The newest rows that hold any of the words. No rank: cheap however many match.
SELECT rowid FROM entries_fts WHERE entries_fts MATCH ? {filters} ORDER BY rowid DESC LIMIT ?

-- name: ranked
-- The best of the rows from one on, by BM25 with the title and the split identifiers weighted.
SELECT rowid, bm25(entries_fts, 4.0, 1.0, 1.5, 0.0) AS score FROM entries_fts
 WHERE entries_fts MATCH ? AND rowid >= ? {filters} ORDER BY score LIMIT ?
