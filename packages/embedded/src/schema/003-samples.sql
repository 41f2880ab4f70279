-- Until when refused requests of an integration's sender are kept, in milliseconds of Unix time.
CREATE TABLE hook_sampling (
  integration_id TEXT NOT NULL PRIMARY KEY,
  kept_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The newest of them. `request_id` is also part of `sample`, which is JSON.
CREATE TABLE hook_samples (
  integration_id TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  sample TEXT NOT NULL,
  PRIMARY KEY (integration_id, received_at, request_id)
) STRICT;
