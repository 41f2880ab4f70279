-- How many hooks each integration sent, by hour.
CREATE TABLE hook_counts (
  -- When the hour begins.
  hour INTEGER NOT NULL,
  integration_id TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  PRIMARY KEY (hour, integration_id)
) STRICT, WITHOUT ROWID;
