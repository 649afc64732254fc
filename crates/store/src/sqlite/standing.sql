-- Store version 2: where every task stands, to list tasks by; and where their news is pushed to.

-- One row for each task that was ever prompted. `mark` is the number of a standing, as marks.rs has it.
CREATE TABLE standing (
    task    BLOB    NOT NULL PRIMARY KEY,
    session BLOB    NOT NULL,
    owner   TEXT    NOT NULL,
    context TEXT    NOT NULL,
    once    INTEGER NOT NULL,
    mark    INTEGER NOT NULL,
    since   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX standing_by_time ON standing (owner, since, task);
CREATE INDEX standing_by_mark ON standing (owner, mark, since, task);
CREATE INDEX standing_by_context ON standing (owner, context, since, task);
CREATE INDEX standing_by_context_and_mark ON standing (owner, context, mark, since, task);

-- How many tasks of an owner stand how, by the hour since when: counting a million rows for each page would cost more
-- than the page.
CREATE TABLE standing_count (
    owner TEXT    NOT NULL,
    mark  INTEGER NOT NULL,
    hour  INTEGER NOT NULL,
    tasks INTEGER NOT NULL,
    PRIMARY KEY (owner, mark, hour)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER standing_added AFTER INSERT ON standing BEGIN
    INSERT INTO standing_count VALUES (new.owner, new.mark, new.since / 3600000, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER standing_changed AFTER UPDATE ON standing BEGIN
    UPDATE standing_count SET tasks = tasks - 1
        WHERE owner = old.owner AND mark = old.mark AND hour = old.since / 3600000;
    INSERT INTO standing_count VALUES (new.owner, new.mark, new.since / 3600000, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
END;

-- The tasks of older logs, by the newest entry that says how they stand. One that waits for an answer reads as working
-- until its session is woken.
INSERT INTO standing (task, session, owner, context, once, mark, since)
SELECT newest.task, newest.session, session.owner, session.context,
    EXISTS (
        SELECT 1 FROM entry AS prompt WHERE prompt.task = newest.task
            AND json_extract(CAST(prompt.body AS TEXT), '$.event.type') = 'prompted'
            AND json_extract(CAST(prompt.body AS TEXT), '$.event.kind') = 'once'
    ),
    CASE newest.type
        WHEN 'prompted' THEN 0
        WHEN 'turn_started' THEN 1
        WHEN 'turn_ended' THEN CASE newest.outcome WHEN 'rested' THEN 3 WHEN 'cancelled' THEN 4 ELSE 5 END
        ELSE CASE newest.closing WHEN 'completed' THEN 6 WHEN 'cancelled' THEN 7 ELSE 8 END
    END,
    newest.at
FROM (
    SELECT task, session, at, max(task_seq),
        json_extract(CAST(body AS TEXT), '$.event.type') AS type,
        json_extract(CAST(body AS TEXT), '$.event.outcome.type') AS outcome,
        json_extract(CAST(body AS TEXT), '$.event.closing') AS closing
    FROM entry
    WHERE task IS NOT NULL
        AND json_extract(CAST(body AS TEXT), '$.event.type') IN ('prompted', 'turn_started', 'turn_ended', 'task_closed')
    GROUP BY task
) AS newest JOIN session ON session.id = newest.session;

CREATE TABLE push_target (
    owner  TEXT    NOT NULL,
    task   BLOB    NOT NULL,
    id     TEXT    NOT NULL,
    form   TEXT    NOT NULL,
    cursor INTEGER NOT NULL,
    PRIMARY KEY (owner, task, id)
) STRICT, WITHOUT ROWID;
