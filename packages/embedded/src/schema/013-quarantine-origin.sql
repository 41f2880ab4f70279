-- Why, when and from which job and integration a text was quarantined. NULL for a text that an earlier version stored.
-- `integration_id` is also NULL if it cannot be read from the text.
ALTER TABLE quarantine ADD COLUMN reason TEXT;
ALTER TABLE quarantine ADD COLUMN job_id TEXT;
ALTER TABLE quarantine ADD COLUMN integration_id TEXT;
ALTER TABLE quarantine ADD COLUMN quarantined_at INTEGER;
CREATE INDEX quarantine_by_time ON quarantine (quarantined_at, id);
