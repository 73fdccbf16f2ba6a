-- What an embedder made of passages: float32 little endian, length 1. Empty without the `semantic`
-- extra. An entry that is indexed anew loses its vectors and gets others.

CREATE TABLE passage_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order they were made
  passage INTEGER NOT NULL UNIQUE,       -- numbered as the rows of entries_fts
  project_id INTEGER NOT NULL,
  model TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT;
