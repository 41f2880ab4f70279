-- When a dead delivery was discarded: its state is then 'discarded', and its payload is NULL. NULL for every other row.
ALTER TABLE deliveries ADD COLUMN discarded_at INTEGER;
CREATE INDEX deliveries_by_discard ON deliveries (discarded_at) WHERE discarded_at IS NOT NULL;
