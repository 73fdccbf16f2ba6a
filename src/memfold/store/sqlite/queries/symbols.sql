-- name: schema
CREATE TABLE IF NOT EXISTS roots (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY,
  root_id INTEGER NOT NULL REFERENCES roots(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  digest BLOB NOT NULL,
  language TEXT NOT NULL,
  words BLOB NOT NULL,
  UNIQUE (root_id, path)
) STRICT;
CREATE TABLE IF NOT EXISTS folders (
  root_id INTEGER NOT NULL REFERENCES roots(id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  mtime_ns INTEGER NOT NULL,
  PRIMARY KEY (root_id, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS symbols (
  id INTEGER PRIMARY KEY,
  root_id INTEGER NOT NULL,
  file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  key TEXT NOT NULL,                   -- the name in lower case
  parts TEXT NOT NULL,                 -- what it is made of, each after a blank
  kind TEXT NOT NULL,
  line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  parent TEXT NOT NULL,
  signature TEXT NOT NULL,
  doc TEXT NOT NULL,
  exported INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS symbols_by_key ON symbols(root_id, key, parts);
CREATE INDEX IF NOT EXISTS symbols_by_file ON symbols(file_id);

-- name: new_root
INSERT INTO roots (path) VALUES (?) ON CONFLICT DO NOTHING

-- name: root
SELECT id FROM roots WHERE path = ?

-- name: files
SELECT path, size, mtime_ns, digest FROM files WHERE root_id = ?

-- name: folders
SELECT path, mtime_ns FROM folders WHERE root_id = ?

-- name: drop_file
DELETE FROM files WHERE root_id = ? AND path = ?

-- name: put_file
INSERT INTO files (root_id, path, size, mtime_ns, digest, language, words)
VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: put_symbol
INSERT INTO symbols (root_id, file_id, name, key, parts, kind, line, end_line, parent, signature,
                     doc, exported)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: drop_folders
DELETE FROM folders WHERE root_id = ?

-- name: put_folder
INSERT INTO folders VALUES (?, ?, ?)

-- name: restamp
UPDATE files SET size = ?, mtime_ns = ?, digest = ? WHERE root_id = ? AND path = ?

-- name: named
-- Symbols that fit in one way, the nearest to the root first.
SELECT f.path, s.name, s.kind, s.line, s.end_line, s.parent, s.signature, s.doc, s.exported, s.id
  FROM symbols s JOIN files f ON f.id = s.file_id
 WHERE s.root_id = :root AND {fits}
   AND (:under = '' OR f.path = :under OR substr(f.path, 1, length(:under) + 1) = :under || '/')
   AND (:pattern = '' OR f.path GLOB :pattern OR f.path GLOB '*/' || :pattern)
 ORDER BY s.exported DESC, length(s.name), f.path, s.line LIMIT :most

-- name: told_of
-- Symbols of some files by what is said of them. CROSS: files first, or all symbols are walked.
SELECT f.path, s.name, s.kind, s.line, s.end_line, s.parent, s.signature, s.doc, s.exported, s.id
  FROM files f CROSS JOIN symbols s ON s.file_id = f.id
 WHERE f.root_id = :root AND f.path IN (SELECT value FROM json_each(:paths))
   AND (s.signature LIKE :text ESCAPE '\' OR s.doc LIKE :text ESCAPE '\')
 ORDER BY f.path, s.line LIMIT :most

-- name: likely
-- Names that hold the text, or a part that begins so, or begin with its first letter and hold the
-- others in that order, the shortest first: one walk along an index that holds both columns.
SELECT DISTINCT key, parts FROM symbols
 WHERE root_id = :root AND (instr(key, :key) > 0 OR instr(parts, :part) > 0
    OR (substr(key, 1, 1) = :first AND key LIKE :letters ESCAPE '\'))
 ORDER BY length(key), key

-- name: words
-- The words of each file.
SELECT f.path, f.words FROM files f JOIN roots r ON r.id = f.root_id
 WHERE r.path = :root AND f.words <> x''
   AND (:under = '' OR f.path = :under OR substr(f.path, 1, length(:under) + 1) = :under || '/')
   AND (:pattern = '' OR f.path GLOB :pattern OR f.path GLOB '*/' || :pattern)
 ORDER BY f.path

-- name: size
SELECT (SELECT count(*) FROM files WHERE root_id = :root),
       (SELECT count(*) FROM symbols WHERE root_id = :root)
