-- How an integration understands a foreign sender: JSON (HookSource). NULL: its hooks are those of the interface.
ALTER TABLE integrations ADD COLUMN source TEXT;
