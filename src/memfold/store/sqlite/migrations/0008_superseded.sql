-- What a later observation took back or overtook. The older one stays, and says by which.
ALTER TABLE observations ADD COLUMN superseded_by INTEGER
  REFERENCES observations(id) ON DELETE SET NULL;
-- Also what finds them when the newer one is forgotten.
CREATE INDEX observations_superseded ON observations(superseded_by)
 WHERE superseded_by IS NOT NULL;
