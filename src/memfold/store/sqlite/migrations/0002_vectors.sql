-- What an embedder made of passages: numbered like rows of entries_fts, float32 little endian, length 1.
-- Empty without the `semantic` extra. A passage that is indexed anew loses its vector and gets another.

CREATE TABLE passage_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order they were made
  passage INTEGER NOT NULL UNIQUE,
  model TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT;
