-- What an embedder made of entries: float32 little endian, the mean over an entry's passages, each
-- of length 1. Empty without the `semantic` extra. An entry that is indexed anew gets another.

CREATE TABLE entry_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order they were made
  entry INTEGER NOT NULL UNIQUE,         -- the entry's id * 4 + its kind, as in entries_fts
  project_id INTEGER NOT NULL,
  model TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT;
