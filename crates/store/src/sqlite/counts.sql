-- Store version 3: counts of tasks that stay cheap when one hour, or one label, has a great many of them.

-- The same as standing_count, by ten seconds: what is left of an hour is summed up from here.
CREATE TABLE standing_count_fine (
    owner TEXT    NOT NULL,
    tens  INTEGER NOT NULL,
    mark  INTEGER NOT NULL,
    tasks INTEGER NOT NULL,
    PRIMARY KEY (owner, tens, mark)
) STRICT, WITHOUT ROWID;
INSERT INTO standing_count_fine SELECT owner, since / 10000, mark, count(*) FROM standing GROUP BY 1, 2, 3;

-- How many tasks with a label stand how. Only labels with many tasks are in here: most have a few, which are counted
-- faster than they are kept count of. A label is looked at when a task is added whose id ends with a zero byte, which one
-- in 256 does.
CREATE TABLE context_count (
    owner   TEXT    NOT NULL,
    context TEXT    NOT NULL,
    mark    INTEGER NOT NULL,
    tasks   INTEGER NOT NULL,
    PRIMARY KEY (owner, context, mark)
) STRICT, WITHOUT ROWID;
INSERT INTO context_count
SELECT owner, context, mark, count(*) FROM standing
WHERE (owner, context) IN (SELECT owner, context FROM standing GROUP BY owner, context HAVING count(*) >= 1000)
GROUP BY 1, 2, 3;

DROP TRIGGER standing_added;
CREATE TRIGGER standing_added AFTER INSERT ON standing BEGIN
    INSERT INTO standing_count VALUES (new.owner, new.mark, new.since / 3600000, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    INSERT INTO standing_count_fine VALUES (new.owner, new.since / 10000, new.mark, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    INSERT INTO context_count SELECT new.owner, new.context, new.mark, 1
        WHERE EXISTS (SELECT 1 FROM context_count WHERE owner = new.owner AND context = new.context)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    -- After the line above, or the new task would be counted twice.
    INSERT INTO context_count
    SELECT owner, context, mark, count(*) FROM standing
    WHERE substr(new.task, 16, 1) = x'00' AND owner = new.owner AND context = new.context
        AND NOT EXISTS (SELECT 1 FROM context_count WHERE owner = new.owner AND context = new.context)
        AND (
            SELECT count(*) FROM (
                SELECT 1 FROM standing WHERE owner = new.owner AND context = new.context LIMIT 1000
            )
        ) = 1000
    GROUP BY 1, 2, 3;
END;
DROP TRIGGER standing_changed;
CREATE TRIGGER standing_changed AFTER UPDATE ON standing BEGIN
    UPDATE standing_count SET tasks = tasks - 1
        WHERE owner = old.owner AND mark = old.mark AND hour = old.since / 3600000;
    INSERT INTO standing_count VALUES (new.owner, new.mark, new.since / 3600000, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    UPDATE standing_count_fine SET tasks = tasks - 1
        WHERE owner = old.owner AND tens = old.since / 10000 AND mark = old.mark;
    INSERT INTO standing_count_fine VALUES (new.owner, new.since / 10000, new.mark, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    UPDATE context_count SET tasks = tasks - 1
        WHERE owner = old.owner AND context = old.context AND mark = old.mark;
    INSERT INTO context_count SELECT new.owner, new.context, new.mark, 1
        WHERE EXISTS (SELECT 1 FROM context_count WHERE owner = new.owner AND context = new.context)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
END;
