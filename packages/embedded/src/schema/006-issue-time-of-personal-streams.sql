-- 0 for a stream that an older version inserted.
ALTER TABLE personal_streams ADD COLUMN issued_at INTEGER NOT NULL DEFAULT 0;

CREATE INDEX personal_streams_by_user ON personal_streams (user_id, issued_at);
