-- What waits for a model, and what each call to one cost. Empty where no model is set.

CREATE TABLE model_turns (
  turn_id INTEGER PRIMARY KEY REFERENCES turns(id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'leased', 'done', 'failed')),
  due_ms INTEGER NOT NULL,               -- waiting: not before; leased: until
  attempts INTEGER NOT NULL DEFAULT 0,   -- requests that were made for it and taught nothing
  trouble TEXT NOT NULL DEFAULT ''       -- why the last one did
) STRICT;
CREATE INDEX model_turns_open ON model_turns(state, due_ms) WHERE state IN ('waiting', 'leased');

-- The ledger. A row is written before a call is made, with the estimate; the outcome settles it.
CREATE TABLE model_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_micro_usd INTEGER NOT NULL,
  outcome TEXT NOT NULL DEFAULT 'open',  -- open: under way, or the process ended in it
  detail TEXT NOT NULL DEFAULT '',
  quiet_until_ms INTEGER NOT NULL DEFAULT 0  -- the provider asked for silence until then
) STRICT;
CREATE INDEX model_calls_by_time ON model_calls(at_ms);

-- Turns that `memfold reobserve` has been through, so that a run that was broken off goes on.
CREATE TABLE reobserved_turns (
  turn_id INTEGER PRIMARY KEY REFERENCES turns(id) ON DELETE CASCADE,
  observer TEXT NOT NULL
) STRICT;
