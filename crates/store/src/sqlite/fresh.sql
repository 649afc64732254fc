-- Store version 7: sessions that nobody has prompted yet are found among the tasks.

-- 1 while no task of the session has stood anywhere, which is noted in `standing`.
ALTER TABLE session ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0;
UPDATE session SET fresh = 1 WHERE id NOT IN (SELECT session FROM standing);
CREATE INDEX session_fresh ON session (owner, opened, id) WHERE fresh = 1;
CREATE INDEX session_fresh_by_context ON session (owner, context, opened, id) WHERE fresh = 1;
