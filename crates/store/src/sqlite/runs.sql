-- Store version 6: less is written for each message.

-- A row of `entry` may hold several entries that were committed together: a line of `body` for each, `seq` is the number of
-- the last. `task` and `task_seq` are no longer filled in; every line has its own.

-- Most tasks are under way for a moment only. While they are (marks up to 1), two indexes know of them and nobody keeps
-- count; the other indexes and the counts are of tasks that have settled: they stay so until somebody does something. The
-- plus keeps the condition of those indexes, which every query has to repeat, from being taken for a range of one of them.
DROP INDEX standing_by_time;
DROP INDEX standing_by_mark;
DROP INDEX standing_by_context;
DROP INDEX standing_by_context_and_mark;
CREATE INDEX standing_by_time ON standing (owner, since, task, mark) WHERE +mark > 1;
CREATE INDEX standing_by_mark ON standing (owner, mark, since, task) WHERE +mark > 1;
CREATE INDEX standing_by_context ON standing (owner, context, since, task, mark) WHERE +mark > 1;
CREATE INDEX standing_by_context_and_mark ON standing (owner, context, mark, since, task) WHERE +mark > 1;
CREATE INDEX standing_under_way ON standing (owner, since, task, mark) WHERE mark <= 1;
CREATE INDEX standing_under_way_by_context ON standing (owner, context, since, task, mark) WHERE mark <= 1;

DELETE FROM standing_count WHERE mark <= 1;
DELETE FROM standing_count_fine WHERE mark <= 1;
DELETE FROM context_count WHERE mark <= 1;

-- The marks of tasks that have settled. A label that is kept count of has a row for each, so that counting is an update.
CREATE VIEW settled AS SELECT column1 AS mark FROM (VALUES (2), (3), (4), (5), (6), (7), (8));
INSERT OR IGNORE INTO context_count
SELECT owner, context, settled.mark, 0 FROM (SELECT DISTINCT owner, context FROM context_count), settled;

DROP TRIGGER standing_added;
DROP TRIGGER standing_changed;
CREATE TRIGGER standing_added AFTER INSERT ON standing WHEN new.mark > 1 BEGIN
    INSERT INTO standing_count VALUES (new.owner, new.mark, new.since / 3600000, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    INSERT INTO standing_count_fine VALUES (new.owner, new.since / 10000, new.mark, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    UPDATE context_count SET tasks = tasks + 1
        WHERE owner = new.owner AND context = new.context AND mark = new.mark;
END;
CREATE TRIGGER standing_settled AFTER UPDATE ON standing WHEN new.mark > 1 BEGIN
    INSERT INTO standing_count VALUES (new.owner, new.mark, new.since / 3600000, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    INSERT INTO standing_count_fine VALUES (new.owner, new.since / 10000, new.mark, 1)
        ON CONFLICT DO UPDATE SET tasks = tasks + 1;
    UPDATE context_count SET tasks = tasks + 1
        WHERE owner = new.owner AND context = new.context AND mark = new.mark;
END;
CREATE TRIGGER standing_left AFTER UPDATE ON standing WHEN old.mark > 1 BEGIN
    UPDATE standing_count SET tasks = tasks - 1
        WHERE owner = old.owner AND mark = old.mark AND hour = old.since / 3600000;
    UPDATE standing_count_fine SET tasks = tasks - 1
        WHERE owner = old.owner AND tens = old.since / 10000 AND mark = old.mark;
    UPDATE context_count SET tasks = tasks - 1
        WHERE owner = old.owner AND context = old.context AND mark = old.mark;
END;

-- A label is looked at before a task is added whose id ends with a zero byte, which one in 256 does: from a thousand
-- settled tasks on it is kept count of.
CREATE TRIGGER standing_label BEFORE INSERT ON standing WHEN substr(new.task, 16, 1) = x'00' BEGIN
    INSERT INTO context_count
    SELECT new.owner, new.context, settled.mark, (
        SELECT count(*) FROM standing
        WHERE owner = new.owner AND context = new.context AND +mark > 1 AND mark = settled.mark
    )
    FROM settled
    WHERE NOT EXISTS (SELECT 1 FROM context_count WHERE owner = new.owner AND context = new.context)
        AND (
            SELECT count(*) FROM (
                SELECT 1 FROM standing WHERE owner = new.owner AND context = new.context AND +mark > 1 LIMIT 1000
            )
        ) = 1000;
END;
