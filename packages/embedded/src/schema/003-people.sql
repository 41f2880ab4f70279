-- The list of users, ending all sessions of one, and the stream tokens of signed-in people.

CREATE INDEX users_by_creation ON users (created_at, id);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE personal_streams (
  token_digest TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  session_digest TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX personal_streams_by_expiry ON personal_streams (expires_at);
