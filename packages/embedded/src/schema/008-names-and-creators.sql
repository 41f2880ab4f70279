-- A name for people. NULL: none.
ALTER TABLE users ADD COLUMN name TEXT;
-- The id of the user or provision token that created the grant. NULL: unknown.
ALTER TABLE subscriptions ADD COLUMN created_by TEXT;
ALTER TABLE integrations ADD COLUMN created_by TEXT;
ALTER TABLE provision_tokens ADD COLUMN created_by TEXT;
