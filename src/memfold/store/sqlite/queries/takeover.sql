-- name: memory
SELECT id FROM other_memories WHERE fingerprint = ?

-- name: new_memory
INSERT INTO other_memories (fingerprint) VALUES (?) ON CONFLICT DO NOTHING

-- name: known
-- Which of these were taken in.
SELECT other_id FROM entry_aliases
 WHERE memory_id = :memory AND kind = :kind
   AND other_id IN (SELECT value FROM json_each(:ids))

-- name: put
INSERT INTO entry_aliases VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING

-- name: entry
-- What an entry of another memory is called here.
SELECT entry_id FROM entry_aliases
 WHERE memory_id = ? AND kind = ? AND other_id = ? AND entry_id > 0

-- name: tool_use
-- A tool use by the host's id.
SELECT id FROM tool_uses WHERE session_id = ? AND key = ?

-- name: prompt
-- The prompt with that text, nearest to that moment.
SELECT id FROM prompts WHERE session_id = ? AND text_hash = ? ORDER BY abs(at_ms - ?) LIMIT 1

-- name: settle_tool_use
-- It was observed where it came from.
UPDATE tool_uses SET observed_at_ms = ? WHERE id = ? AND observed_at_ms IS NULL

-- name: settle_turns
-- So were turns of which nothing else is known.
UPDATE turns SET looked_at_ms = :at WHERE session_id = :session AND looked_at_ms IS NULL
   AND NOT EXISTS (SELECT 1 FROM replies WHERE turn_id = turns.id)
   AND NOT EXISTS (SELECT 1 FROM tool_uses WHERE turn_id = turns.id AND observed_at_ms IS NULL)

-- name: summary
SELECT id FROM summaries WHERE session_id = ?
