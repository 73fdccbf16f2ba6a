-- Why an observation was made: the rules, a line each, and the sentence its title came from.
ALTER TABLE observations ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE observations ADD COLUMN said TEXT NOT NULL DEFAULT '';
