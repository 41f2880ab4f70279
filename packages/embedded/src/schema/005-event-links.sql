-- The time of the event before; null in rows that are older than this column.
ALTER TABLE events ADD COLUMN after_ms INTEGER;
