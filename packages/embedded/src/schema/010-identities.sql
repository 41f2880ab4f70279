-- Who a user is at an identity provider. NULL for a user with a password. A user with an identity has an empty
-- `password_hash`: SQLite cannot remove its NOT NULL without building the table again.
ALTER TABLE users ADD COLUMN identity_issuer TEXT;
ALTER TABLE users ADD COLUMN identity_subject TEXT;
CREATE UNIQUE INDEX users_by_identity ON users (identity_issuer, identity_subject) WHERE identity_issuer IS NOT NULL;
