-- What a published delivery changed in its widget. NULL: it named no known widget, or it is older than these columns.
ALTER TABLE deliveries ADD COLUMN effect_version INTEGER;
ALTER TABLE deliveries ADD COLUMN effect_state TEXT;
ALTER TABLE deliveries ADD COLUMN effect_state_changed INTEGER;
ALTER TABLE deliveries ADD COLUMN effect_late INTEGER;
CREATE INDEX deliveries_by_widget ON deliveries (widget_id, received_at, event_id) WHERE widget_id IS NOT NULL;
