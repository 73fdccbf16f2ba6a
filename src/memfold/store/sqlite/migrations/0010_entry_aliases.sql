-- What entries were called in another memory that was taken over.

CREATE TABLE other_memories (
  id INTEGER PRIMARY KEY,              -- 1: aliases begin with cm; 2: with cm2. and so on
  fingerprint TEXT NOT NULL UNIQUE     -- of the first rows in it: a copy is the same memory
) STRICT;

CREATE TABLE entry_aliases (
  memory_id INTEGER NOT NULL REFERENCES other_memories(id),
  kind TEXT NOT NULL,                  -- observation, summary, prompt, tool_use or work
  other_id INTEGER NOT NULL,           -- its id there
  entry_id INTEGER NOT NULL,           -- its id here; 0: it was taken in and has no entry
  PRIMARY KEY (memory_id, kind, other_id)
) STRICT, WITHOUT ROWID;
