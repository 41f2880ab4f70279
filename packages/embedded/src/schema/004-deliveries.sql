-- What became of the hooks of an integration. Nearly all rows are published, and are found among all rows.

CREATE INDEX deliveries_by_receipt ON deliveries (integration_id, received_at, event_id);
CREATE INDEX deliveries_unpublished ON deliveries (integration_id, state, received_at, event_id)
  WHERE state <> 'published';

-- Texts from the queue that nothing can be done with; for a person to look at and remove.
CREATE TABLE quarantine (
  id TEXT NOT NULL PRIMARY KEY,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
