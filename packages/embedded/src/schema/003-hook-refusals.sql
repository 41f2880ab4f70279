-- The newest refusals of each integration. `requestId` is also part of `refusal`, which is JSON.
CREATE TABLE hook_refusals (
  integration_id TEXT NOT NULL,
  refused_at INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  refusal TEXT NOT NULL,
  PRIMARY KEY (integration_id, refused_at, request_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX hook_refusals_by_time ON hook_refusals (refused_at);
