-- Observations that a person wants at the top of the startup index, whatever their age.

ALTER TABLE observations ADD COLUMN pinned_at_ms INTEGER;  -- NULL: not pinned
CREATE INDEX observations_pinned ON observations(project_id, at_ms DESC, id DESC)
 WHERE pinned_at_ms IS NOT NULL;
