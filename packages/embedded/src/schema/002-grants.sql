-- What all grants have: a token that may be replaced, an end, the last use. Times are milliseconds since the epoch.

ALTER TABLE subscriptions ADD COLUMN sealed_secret TEXT;
ALTER TABLE subscriptions ADD COLUMN previous_digest TEXT;
ALTER TABLE subscriptions ADD COLUMN previous_sealed_secret TEXT;
ALTER TABLE subscriptions ADD COLUMN previous_expires_at INTEGER;
ALTER TABLE subscriptions ADD COLUMN expires_at INTEGER;
ALTER TABLE subscriptions ADD COLUMN last_used_at INTEGER;
-- A JSON object; an absent member lets everything through.
ALTER TABLE subscriptions ADD COLUMN filter TEXT NOT NULL DEFAULT '{}';

CREATE INDEX subscriptions_by_previous_digest ON subscriptions (previous_digest) WHERE previous_digest IS NOT NULL;
CREATE INDEX subscriptions_by_creation ON subscriptions (created_at, id);

ALTER TABLE integrations ADD COLUMN sealed_secret TEXT;
ALTER TABLE integrations ADD COLUMN previous_digest TEXT;
ALTER TABLE integrations ADD COLUMN previous_sealed_secret TEXT;
ALTER TABLE integrations ADD COLUMN previous_expires_at INTEGER;
ALTER TABLE integrations ADD COLUMN expires_at INTEGER;
ALTER TABLE integrations ADD COLUMN last_used_at INTEGER;
-- Hooks per second; NULL: as the service is set.
ALTER TABLE integrations ADD COLUMN rate INTEGER;

CREATE INDEX integrations_by_previous_digest ON integrations (previous_digest) WHERE previous_digest IS NOT NULL;
CREATE INDEX integrations_by_creation ON integrations (created_at, id);

CREATE TABLE provision_tokens (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  token_digest TEXT NOT NULL UNIQUE,
  sealed_secret TEXT,
  previous_digest TEXT,
  previous_sealed_secret TEXT,
  previous_expires_at INTEGER,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  -- A JSON array of strings.
  permissions TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX provision_tokens_by_previous_digest ON provision_tokens (previous_digest)
  WHERE previous_digest IS NOT NULL;
CREATE INDEX provision_tokens_by_creation ON provision_tokens (created_at, id);
