-- name: wait
-- A turn waits for a model; one that waits already keeps its place.
INSERT INTO model_turns (turn_id, state, due_ms) VALUES (:turn, 'waiting', :due)
ON CONFLICT (turn_id) DO UPDATE SET attempts = CASE WHEN state = 'waiting' THEN attempts ELSE 0 END,
  due_ms = CASE WHEN state = 'waiting' THEN min(due_ms, excluded.due_ms) ELSE excluded.due_ms END,
  state = 'waiting', trouble = '' WHERE state <> 'leased'

-- name: expire
-- Leases that ran out: whoever held them is gone. One attempt too many ends it.
UPDATE model_turns SET due_ms = :now,
  state = CASE WHEN attempts >= :most THEN 'failed' ELSE 'waiting' END,
  trouble = CASE WHEN attempts >= :most THEN 'The process ended in each request.' ELSE trouble END
 WHERE state = 'leased' AND (:all OR due_ms <= :now)

-- name: due
-- Turns that wait, of the session whose turn was due first; only such as were observed.
SELECT m.turn_id FROM model_turns m JOIN turns t ON t.id = m.turn_id
 WHERE m.state = 'waiting' AND t.private = 0
   AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE turn_id = t.id AND observed_at_ms IS NULL)
   AND t.session_id = (
     SELECT due.session_id FROM model_turns d JOIN turns due ON due.id = d.turn_id
      WHERE d.state = 'waiting' AND d.due_ms <= :now AND due.private = 0
        AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE turn_id = due.id AND observed_at_ms IS NULL)
      ORDER BY d.due_ms, d.turn_id LIMIT 1)
 ORDER BY t.started_at_ms, t.id LIMIT :limit

-- name: next_due
-- When the next turn is due.
SELECT min(due_ms) FROM model_turns WHERE state IN ('waiting', 'leased')

-- name: lease
-- A request is about to be made for it.
UPDATE model_turns SET state = 'leased', due_ms = ?, attempts = attempts + 1
 WHERE turn_id = ? AND state = 'waiting'

-- name: later
-- The request was not answered for a reason that is not the turn's: the attempt does not count.
UPDATE model_turns SET state = 'waiting', due_ms = :due, attempts = attempts - :uncounted,
  trouble = :trouble WHERE turn_id = :turn AND state = 'leased'

-- name: end
-- Nothing more is asked about it.
UPDATE model_turns SET state = ?, trouble = ? WHERE turn_id = ?

-- name: attempts
SELECT attempts FROM model_turns WHERE turn_id = ?

-- name: queue
-- How many turns are in which state.
SELECT state, count(*) FROM model_turns GROUP BY state

-- name: open_call
-- A call is about to be made; it may cost so much.
INSERT INTO model_calls (at_ms, model, purpose, tokens_in, tokens_out, cost_micro_usd)
VALUES (?, ?, ?, ?, ?, ?)

-- name: settle_call
-- What it came to.
UPDATE model_calls SET tokens_in = ?, tokens_out = ?, cost_micro_usd = ?, outcome = ?, detail = ?,
       quiet_until_ms = ? WHERE id = ?

-- name: spent
-- Since a moment; calls that never settled count as estimated.
SELECT coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(cost_micro_usd), 0), count(*)
  FROM model_calls WHERE at_ms >= ?

-- name: calls
-- The newest first.
SELECT id, at_ms, model, purpose, tokens_in, tokens_out, cost_micro_usd, outcome, detail,
       quiet_until_ms FROM model_calls ORDER BY id DESC LIMIT ?

-- name: turn
-- A turn's session and beginning.
SELECT session_id, started_at_ms FROM turns WHERE id = ? AND private = 0

-- name: tool_uses
-- All tool uses of a turn that are kept.
SELECT {columns} FROM tool_uses t JOIN sessions s ON s.id = t.session_id
 WHERE t.turn_id = ? ORDER BY t.at_ms, t.id

-- name: made_from
-- Observations that stand on a turn's tool uses, and on those alone where `outside` is 0.
SELECT {columns},
       (SELECT json_group_array(tool_use_id) FROM observation_evidence WHERE observation_id = o.id),
       (SELECT count(*) FROM observation_evidence e JOIN tool_uses u ON u.id = e.tool_use_id
         WHERE e.observation_id = o.id AND u.turn_id <> :turn) AS outside
  FROM observations o WHERE o.id IN (
    SELECT e.observation_id FROM observation_evidence e JOIN tool_uses u ON u.id = e.tool_use_id
     WHERE u.turn_id = :turn) ORDER BY o.id

-- name: said_in
-- Observations of a session without evidence of their own, made of words between two moments.
SELECT {columns} FROM observations o
 WHERE o.session_id = :session AND o.evidence_made = 0 AND o.observer LIKE 'builtin/%'
   AND o.at_ms IN (SELECT at_ms FROM replies WHERE turn_id = :turn) ORDER BY o.id

-- name: rewrite
-- The same observation, better said: its id, uid, count and pins stay.
UPDATE observations SET type = ?, title = ?, title_key = ?, subtitle = ?, narrative = ?, facts = ?,
       concepts = ?, files_read = ?, files_changed = ?, observer = ?, read_tokens = ?,
       reason = ?, said = ?
 WHERE id = ?

-- name: reprice
-- The project's totals follow.
UPDATE projects SET read_tokens = read_tokens + ?, version = version + 1 WHERE id = ?

-- name: to_reobserve
-- Closed and observed turns of a span, whose session still has all its evidence, oldest first.
SELECT t.id FROM turns t JOIN sessions s ON s.id = t.session_id
 WHERE t.private = 0 AND t.started_at_ms >= :since AND (:project IS NULL OR s.project_id = :project)
   AND (t.started_at_ms, t.id) > (:after_ms, :after_id)
   AND t.looked_at_ms IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE turn_id = t.id AND observed_at_ms IS NULL)
   AND NOT EXISTS (SELECT 1 FROM retired_tool_uses WHERE session_id = t.session_id)
   AND NOT EXISTS (SELECT 1 FROM reobserved_turns WHERE turn_id = t.id AND observer = :observer)
 ORDER BY t.started_at_ms, t.id LIMIT :limit

-- name: count_to_reobserve
SELECT count(*) FROM turns t JOIN sessions s ON s.id = t.session_id
 WHERE t.private = 0 AND t.started_at_ms >= :since AND (:project IS NULL OR s.project_id = :project)
   AND t.looked_at_ms IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE turn_id = t.id AND observed_at_ms IS NULL)
   AND NOT EXISTS (SELECT 1 FROM retired_tool_uses WHERE session_id = t.session_id)
   AND NOT EXISTS (SELECT 1 FROM reobserved_turns WHERE turn_id = t.id AND observer = :observer)

-- name: reobserved
INSERT INTO reobserved_turns VALUES (?, ?) ON CONFLICT (turn_id) DO UPDATE
   SET observer = excluded.observer

-- name: forget_reobserved
-- Every turn is to be looked at again.
DELETE FROM reobserved_turns
