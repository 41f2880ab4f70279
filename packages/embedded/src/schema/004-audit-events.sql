-- The audit trail. `event` is the whole event as JSON; the other columns repeat what a list filters by.
CREATE TABLE audit_events (
  occurred_at INTEGER NOT NULL,
  id TEXT NOT NULL,
  action TEXT NOT NULL,
  actor_id TEXT,
  target_id TEXT,
  event TEXT NOT NULL,
  PRIMARY KEY (occurred_at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_events_by_action ON audit_events (action, occurred_at, id);
CREATE INDEX audit_events_by_actor ON audit_events (actor_id, occurred_at, id) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_events_by_target ON audit_events (target_id, occurred_at, id) WHERE target_id IS NOT NULL;

-- The trail is append-only: a mistake in the service must not change it either.
CREATE TRIGGER audit_events_never_change BEFORE UPDATE ON audit_events
BEGIN
  SELECT RAISE(ABORT, 'audit events never change');
END;

-- Random keys that the service generates once, by the name of their purpose.
CREATE TABLE service_keys (
  name TEXT PRIMARY KEY,
  secret TEXT NOT NULL
) STRICT, WITHOUT ROWID;
