-- Conventions: every time is an INTEGER, in milliseconds since the Unix epoch, unless the column says otherwise.
-- Booleans are 0 or 1. Ids and texts are stored verbatim. docs/data-path.md explains outboxes and watermarks.

-- Widgets ------------------------------------------------------------------------------------------------------------

CREATE TABLE widgets (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  -- A JSON array of strings.
  labels TEXT NOT NULL,
  -- The owner: all three columns are NULL, or none is.
  owner_user_id TEXT,
  owner_email TEXT,
  owner_notify INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  retired_at INTEGER,
  last_event_at INTEGER,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX widgets_by_creation ON widgets (created_at, id);
CREATE INDEX widgets_by_state ON widgets (state, created_at, id);

CREATE TABLE idempotency_keys (
  -- Whose key it is. A key is unique within its scope.
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  -- Identifies the body of the first request.
  fingerprint TEXT NOT NULL,
  -- The body of the first response.
  body TEXT NOT NULL,
  widget_id TEXT NOT NULL REFERENCES widgets (id),
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

-- Events that are decided but not yet known to be in the event log.
CREATE TABLE outbox_entries (
  widget_id TEXT NOT NULL,
  -- The widget's version after the event. The columns after `payload` also hold the widget's values after the event.
  version INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- NULL for a creation.
  integration_id TEXT,
  -- A text: as the sender wrote it. For a creation, the time of the creation.
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

-- Hooks --------------------------------------------------------------------------------------------------------------

CREATE TABLE hook_jobs (
  seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL UNIQUE,
  partition INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL,
  -- How many items the body has.
  items INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- How often a consumer started a job. A job without a row was only coalesced with others, or not started.
-- A table of its own: SQLite rewrites the whole row when a column changes, and the bodies of jobs are large.
CREATE TABLE hook_job_starts (
  seq INTEGER PRIMARY KEY,
  starts INTEGER NOT NULL
) STRICT;

-- The ledger: one row per distinct delivery.
-- It has rowids, because event ids are random: only the writes to the index of ids are scattered, not those of the
-- rows.
CREATE TABLE deliveries (
  event_id TEXT NOT NULL UNIQUE,
  integration_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- A text: as the sender wrote it.
  occurred_at TEXT NOT NULL,
  widget_id TEXT,
  received_at INTEGER NOT NULL,
  -- 'received', 'published', 'dead' or 'discarded'.
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  duplicates INTEGER NOT NULL,
  -- Why the delivery is dead.
  reason TEXT,
  published_at INTEGER,
  -- Where the event is in the event log. NULL if it is not published, or if an earlier run had appended it.
  position_epoch TEXT,
  position_ms INTEGER,
  position_seq INTEGER,
  -- NULL if the hook had none, and once the delivery is discarded.
  payload TEXT,
  -- What a published delivery changed in its widget. NULL if it named no known widget.
  effect_version INTEGER,
  effect_state TEXT,
  effect_state_changed INTEGER,
  effect_late INTEGER,
  discarded_at INTEGER
) STRICT;

CREATE INDEX deliveries_by_publication ON deliveries (published_at) WHERE published_at IS NOT NULL;
CREATE INDEX deliveries_by_discard ON deliveries (discarded_at) WHERE discarded_at IS NOT NULL;
-- Hooks of one moment name many widgets, so each changes another page of this index. Short entries make for few pages:
-- without `event_id`, a list sorts the rows of one millisecond itself.
CREATE INDEX deliveries_by_widget ON deliveries (widget_id, received_at) WHERE widget_id IS NOT NULL;
CREATE INDEX deliveries_by_receipt ON deliveries (integration_id, received_at, event_id);
-- Nearly all rows are published. This index finds the few others without reading all rows of an integration.
CREATE INDEX deliveries_unpublished ON deliveries (integration_id, state, received_at, event_id)
  WHERE state <> 'published';

-- For lists over all integrations. Rows arrive in about the order of `received_at`, so a hook adds to the end of the
-- index.
CREATE INDEX deliveries_by_time ON deliveries (received_at, event_id);
-- As deliveries_unpublished: it finds the few rows that are not published.
CREATE INDEX deliveries_unpublished_by_time ON deliveries (state, received_at, event_id) WHERE state <> 'published';

-- How many hooks each integration sent, by hour.
CREATE TABLE hook_counts (
  -- When the hour begins.
  hour INTEGER NOT NULL,
  integration_id TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  PRIMARY KEY (hour, integration_id)
) STRICT, WITHOUT ROWID;

-- The event log ------------------------------------------------------------------------------------------------------

-- One row: the number of the last run, and the last recorded position of the event log (NULL before the first).
-- Every schema version must keep this table: the service recognizes its own files by it (database-file.ts).
CREATE TABLE run_registry (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_run INTEGER NOT NULL,
  epoch TEXT,
  epoch_run INTEGER,
  ms INTEGER,
  seq INTEGER
) STRICT;

INSERT INTO run_registry (id, last_run) VALUES (1, 0);

-- `seq` comes from event_log_state and not from this table, because trimming can empty the table.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  ms INTEGER NOT NULL,
  -- The `ms` of the predecessor.
  previous_ms INTEGER NOT NULL,
  -- What the event counts toward the limit on bytes.
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

-- One row. The first append inserts it.
CREATE TABLE event_log_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch TEXT NOT NULL,
  -- The number of the run that started the epoch.
  epoch_run INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  -- The sum of `events.bytes`.
  bytes INTEGER NOT NULL
) STRICT;

-- Dedupe marks of widgets: the highest version of each widget that was appended. They never expire.
CREATE TABLE watermarks (
  widget_id TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Dedupe marks of events without a widget.
CREATE TABLE appended_events (
  event_id TEXT NOT NULL PRIMARY KEY,
  -- NULL while a run can still append the event again.
  expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX appended_events_by_expiry ON appended_events (expires_at) WHERE expires_at IS NOT NULL;
