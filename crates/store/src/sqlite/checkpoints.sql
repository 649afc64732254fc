-- Store version 4: the checkpoints of a workspace by name, whichever session made them.

CREATE TABLE checkpoint (
    owner     TEXT    NOT NULL,
    workspace TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    task      BLOB    NOT NULL,
    name      TEXT    NOT NULL,
    PRIMARY KEY (owner, workspace, at, task, name)
) STRICT, WITHOUT ROWID;

INSERT OR IGNORE INTO checkpoint (owner, workspace, at, task, name)
SELECT session.owner, session.workspace, entry.at, coalesce(entry.task, entry.session),
    json_extract(CAST(entry.body AS TEXT), '$.event.name')
FROM entry JOIN session ON session.id = entry.session
WHERE json_extract(CAST(entry.body AS TEXT), '$.event.type') = 'checkpointed'
    AND json_extract(CAST(entry.body AS TEXT), '$.event.saved.Ok') IS NOT NULL;
