-- Store version 1. Ids are the 16 bytes of a UUID, times are milliseconds since the Unix epoch.

-- One row: which life of the log this is, and the file it was when that was decided.
CREATE TABLE life (
    incarnation INTEGER NOT NULL,
    device      INTEGER NOT NULL,
    inode       INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
    number    INTEGER PRIMARY KEY,
    id        BLOB    NOT NULL UNIQUE,
    owner     TEXT    NOT NULL,
    context   TEXT    NOT NULL,
    workspace TEXT    NOT NULL,
    title     TEXT    NOT NULL,
    opened    INTEGER NOT NULL,
    changed   INTEGER NOT NULL,
    in_turn   INTEGER NOT NULL,
    epoch     INTEGER NOT NULL,
    once      TEXT
) STRICT;
CREATE INDEX session_by_change ON session (owner, changed);
CREATE INDEX session_by_context ON session (owner, context, opened);
CREATE INDEX session_in_turn ON session (number) WHERE in_turn = 1;
CREATE INDEX session_by_once ON session (owner, once, opened) WHERE once IS NOT NULL;

CREATE TABLE task (
    id      BLOB NOT NULL PRIMARY KEY,
    session BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Rows lie in the order they were committed, so a group of batches from many sessions fills the same few pages.
CREATE TABLE entry (
    pos      INTEGER PRIMARY KEY,
    session  BLOB    NOT NULL,
    seq      INTEGER NOT NULL,
    task     BLOB,
    task_seq INTEGER,
    at       INTEGER NOT NULL,
    body     BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX entry_by_session ON entry (session, seq);
CREATE UNIQUE INDEX entry_by_task ON entry (task, task_seq) WHERE task IS NOT NULL;
