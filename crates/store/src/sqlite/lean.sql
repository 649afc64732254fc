-- Store version 5: nothing is looked up by a task's own numbers, so no index is kept of them.

DROP INDEX IF EXISTS entry_by_task;
