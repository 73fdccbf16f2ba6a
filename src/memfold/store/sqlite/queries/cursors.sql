-- name: schema
-- A record whose time is over leaves its key for a while, so that a late caller hears "expired".
CREATE TABLE IF NOT EXISTS cursors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order they were made
  key BLOB NOT NULL UNIQUE,
  record BLOB,                           -- NULL: its time is over
  size INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS cursors_alive ON cursors(id, size) WHERE record IS NOT NULL;
CREATE INDEX IF NOT EXISTS cursors_due ON cursors(expires_at_ms) WHERE record IS NOT NULL;
CREATE INDEX IF NOT EXISTS cursors_over ON cursors(expires_at_ms, id) WHERE record IS NULL;

-- name: forget
DELETE FROM cursors WHERE key = ?

-- name: expire
UPDATE cursors SET record = NULL WHERE record IS NOT NULL AND expires_at_ms <= ?

-- name: forget_old
DELETE FROM cursors WHERE id IN (SELECT id FROM cursors WHERE record IS NULL
  ORDER BY expires_at_ms DESC, id DESC LIMIT -1 OFFSET ?)

-- name: put
INSERT INTO cursors (key, record, size, expires_at_ms) VALUES (?, ?, ?, ?)

-- name: make_room
-- The oldest go until the number and the bytes of those that are left are within the limits.
DELETE FROM cursors WHERE id IN (SELECT id FROM (
  SELECT id, row_number() OVER newest_first AS number, sum(size) OVER newest_first AS bytes
    FROM cursors WHERE record IS NOT NULL WINDOW newest_first AS (ORDER BY id DESC))
  WHERE number > ? OR bytes > ?)

-- name: get
SELECT record, expires_at_ms FROM cursors WHERE key = ?
