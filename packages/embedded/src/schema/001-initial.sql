-- Times are milliseconds since the Unix epoch. Ids and texts are kept verbatim.

CREATE TABLE widgets (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  -- A JSON array of strings.
  labels TEXT NOT NULL,
  owner_user_id TEXT,
  owner_email TEXT,
  owner_notify INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  retired_at INTEGER,
  last_event_at INTEGER,
  version INTEGER NOT NULL,
  -- The number of the run that may write the widget; 0 before the first.
  fence INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX widgets_by_creation ON widgets (created_at, id);
CREATE INDEX widgets_by_state ON widgets (state, created_at, id);

CREATE TABLE idempotency_keys (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  body TEXT NOT NULL,
  widget_id TEXT NOT NULL REFERENCES widgets (id),
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox_entries (
  widget_id TEXT NOT NULL,
  -- The widget's version right after the event; so are the columns behind the payload.
  version INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  integration_id TEXT,
  occurred_at TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  late INTEGER NOT NULL,
  state_before TEXT,
  payload TEXT,
  state TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  retired_at INTEGER,
  last_event_at INTEGER,
  PRIMARY KEY (widget_id, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_entries_by_receipt ON outbox_entries (received_at);

-- Event ids are random: with rowids they are scattered over a small index only, not over the bodies.
CREATE TABLE deliveries (
  event_id TEXT NOT NULL UNIQUE,
  integration_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  widget_id TEXT,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  duplicates INTEGER NOT NULL,
  reason TEXT,
  published_at INTEGER,
  position_epoch TEXT,
  position_ms INTEGER,
  position_seq INTEGER,
  payload TEXT
) STRICT;

CREATE INDEX deliveries_by_publication ON deliveries (published_at) WHERE published_at IS NOT NULL;

CREATE TABLE run_register (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_run INTEGER NOT NULL,
  epoch TEXT,
  epoch_run INTEGER,
  ms INTEGER,
  seq INTEGER
) STRICT;

INSERT INTO run_register (id, last_run) VALUES (1, 0);

-- Numbers come from event_log_state, not from the table, which trimming may empty.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  widget_id TEXT,
  state TEXT,
  state_before TEXT,
  -- A JSON array of strings.
  labels TEXT,
  json TEXT NOT NULL
) STRICT;

-- One row, from the first append on.
CREATE TABLE event_log_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch TEXT NOT NULL,
  epoch_run INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  -- Of all kept events.
  bytes INTEGER NOT NULL
) STRICT;

-- The highest version of each widget that was appended to the log. Versions only rise, so a row may stay for good.
CREATE TABLE watermarks (
  widget_id TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Events without a known widget that were appended to the log, until some time after they are settled.
CREATE TABLE appended_events (
  event_id TEXT NOT NULL PRIMARY KEY,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX appended_events_by_expiry ON appended_events (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE hook_jobs (
  seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL UNIQUE,
  partition INTEGER NOT NULL,
  starts INTEGER NOT NULL
) STRICT;

-- Apart from the jobs, because counting a start writes the whole row again.
CREATE TABLE hook_job_bodies (
  seq INTEGER PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE users (
  id TEXT NOT NULL PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  disabled INTEGER NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_sign_in_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  digest TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE subscriptions (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  token_digest TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE integrations (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  token_digest TEXT NOT NULL UNIQUE,
  deduplicate_by_content INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
