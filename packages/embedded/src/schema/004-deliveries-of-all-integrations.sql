-- For lists over all integrations. Rows arrive in about the order of `received_at`, so a hook adds to the end of the
-- index.
CREATE INDEX deliveries_by_time ON deliveries (received_at, event_id);
-- As deliveries_unpublished: it finds the few rows that are not published.
CREATE INDEX deliveries_unpublished_by_time ON deliveries (state, received_at, event_id) WHERE state <> 'published';
