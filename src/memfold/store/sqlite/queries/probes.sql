-- name: put
-- One that arrived; the same one twice is one.
INSERT INTO probes (nonce, host, at_ms) VALUES (:nonce, :host, :at) ON CONFLICT DO NOTHING

-- name: drop_old
-- All but the newest.
DELETE FROM probes WHERE id <= (SELECT max(id) FROM probes) - :most

-- name: get
-- The host it came from.
SELECT host FROM probes WHERE nonce = ?
