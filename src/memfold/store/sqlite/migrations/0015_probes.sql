-- Probes that came all the way into the store; only the newest are kept.
CREATE TABLE probes (
  id INTEGER PRIMARY KEY,
  nonce TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
