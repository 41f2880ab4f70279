-- When the current token was issued. Tokens of an earlier version count as issued when their grant was created.
ALTER TABLE subscriptions ADD COLUMN token_issued_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN token_issued_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE provision_tokens ADD COLUMN token_issued_at INTEGER NOT NULL DEFAULT 0;
UPDATE subscriptions SET token_issued_at = created_at;
UPDATE integrations SET token_issued_at = created_at;
UPDATE provision_tokens SET token_issued_at = created_at;
