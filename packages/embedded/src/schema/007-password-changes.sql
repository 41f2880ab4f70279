-- Whether an admin has set the password, so that the user must change it.
ALTER TABLE users ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0;
