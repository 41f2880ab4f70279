-- When the password ends that an admin has set. NULL: never. It counts only while must_change_password is 1.
ALTER TABLE users ADD COLUMN password_expires_at INTEGER;
