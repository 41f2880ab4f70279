-- When the job was enqueued, in milliseconds since the Unix epoch. Jobs of an earlier version count as enqueued now.
ALTER TABLE hook_jobs ADD COLUMN enqueued_at INTEGER NOT NULL DEFAULT 0;
UPDATE hook_jobs SET enqueued_at = unixepoch() * 1000;
