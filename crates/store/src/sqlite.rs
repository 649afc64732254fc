//! The embedded log: one SQLite file, one writer thread with group commit, a few reading connections.

mod connect;
mod incarnation;
mod marks;
mod push;
mod query;
mod reads;
mod schema;
mod write;
mod writer;

use crate::error::StoreError;
use crate::log::{
    CreateOutcome, EntryBatch, Epoch, LocatedTask, Log, NewSession, PushTargetStore, TaskIndex, TaskUpdate,
};
use crate::rows::EntryRows;
use pollux_session::{
    BoxFuture, CheckpointLocation, ContextId, Entry, Owner, PushTarget, Seq, SessionId, SessionSummary, TaskMark,
    TaskPage, TaskQuery, UnixMillis,
};
use reads::ReadPool;
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use uuid::Uuid;
use writer::LogWriter;

/// The most entries that are read at once from a database that another process may have open.
const PEEKED_ENTRIES: usize = 1024;

/// A log in one SQLite database. Dropping it waits until the database is closed.
pub struct SqliteLog {
    incarnation: u32,
    // Before the writer: the connection that is closed last tidies the write-ahead log away, and only it may.
    reads: Reads,
    writer: LogWriter,
}

/// Where queries run.
enum Reads {
    /// Beside the writer, on connections of their own.
    Pool(ReadPool),
    /// On the writer's thread, after its commits: a database in memory belongs to its one connection.
    Writer,
}

impl SqliteLog {
    /// Open the log in the file `path`, made when it is not there; its directory must be.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let (connection, incarnation) = connect::writer(path)?;
        let writer = LogWriter::start(connection)?;
        Ok(SqliteLog { incarnation, reads: Reads::Pool(ReadPool::new(path)), writer })
    }

    /// A log that is gone when it is dropped and never touches a disk.
    pub fn in_memory() -> Result<Self, StoreError> {
        let (connection, incarnation) = connect::memory()?;
        Ok(SqliteLog { incarnation, reads: Reads::Writer, writer: LogWriter::start(connection)? })
    }

    /// The sessions in the database at `path`, newest change first and for every owner, without taking part in it:
    /// another process may be writing to it.
    pub fn peek(path: &Path) -> Result<Vec<SessionSummary>, StoreError> {
        connect::peek(path)?.map_or(Ok(Vec::new()), |conn| query::list_all(&conn))
    }

    /// The next entries of a session in that database.
    pub fn peek_entries(path: &Path, session: SessionId, after: Seq) -> Result<Vec<Arc<Entry>>, StoreError> {
        connect::peek(path)?.map_or(Ok(Vec::new()), |conn| query::read(&conn, session, after, PEEKED_ENTRIES))
    }

    /// The sessions of that database whose turn has not ended: it runs, or it waits for a person.
    pub fn peek_running_turns(path: &Path) -> Result<HashMap<SessionId, TaskMark>, StoreError> {
        connect::peek(path)?.map_or(Ok(HashMap::new()), |conn| marks::running_turns(&conn))
    }

    fn look<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, StoreError>> {
        match &self.reads {
            Reads::Pool(pool) => Box::pin(pool.run(query)),
            Reads::Writer => Box::pin(self.writer.look(query)),
        }
    }
}

impl Log for SqliteLog {
    fn incarnation(&self) -> u32 {
        self.incarnation
    }

    fn create(&self, session: NewSession) -> BoxFuture<'_, Result<CreateOutcome, StoreError>> {
        Box::pin(async move {
            let rows = EntryRows::encode(session.id, &session.entries)?;
            self.writer.write(rows.bytes(), move |conn, heads| write::create(conn, heads, &session, &rows)).await
        })
    }

    fn adopt(
        &self,
        session: NewSession,
        marks: Vec<(UnixMillis, TaskUpdate)>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            // What it saved is on the machine that saved it.
            let rows = EntryRows { checkpoints: Vec::new(), ..EntryRows::encode(session.id, &session.entries)? };
            let session = NewSession { once: None, ..session };
            let adopt = move |conn: &Connection, heads: &mut writer::SessionHeads| {
                write::create(conn, heads, &session, &rows)?;
                marks.iter().try_for_each(|(since, mark)| marks::write(conn, session.id, &[*mark], *since))
            };
            self.writer.write(0, adopt).await
        })
    }

    fn claim(&self, session: SessionId) -> BoxFuture<'_, Result<Option<Epoch>, StoreError>> {
        Box::pin(self.writer.write(0, move |conn, heads| write::claim(conn, heads, session)))
    }

    fn append(&self, batch: EntryBatch) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let rows = EntryRows::encode(batch.session, &batch.entries)?;
            self.writer.write(rows.bytes(), move |conn, heads| write::append(conn, heads, &batch, &rows)).await
        })
    }

    fn read(&self, session: SessionId, after: Seq, limit: usize) -> BoxFuture<'_, Result<Vec<Arc<Entry>>, StoreError>> {
        self.look(move |conn| query::read(conn, session, after, limit))
    }

    fn head(&self, session: SessionId) -> BoxFuture<'_, Result<Option<Seq>, StoreError>> {
        self.look(move |conn| query::head(conn, session))
    }
}

impl TaskIndex for SqliteLog {
    fn locate(&self, owner: &Owner, id: Uuid) -> BoxFuture<'_, Result<Option<LocatedTask>, StoreError>> {
        let owner = owner.clone();
        self.look(move |conn| query::locate(conn, &owner, id))
    }

    fn newest(&self, owner: &Owner, context: &ContextId) -> BoxFuture<'_, Result<Option<SessionId>, StoreError>> {
        let (owner, context) = (owner.clone(), context.clone());
        self.look(move |conn| query::newest(conn, &owner, &context))
    }

    fn list(&self, owner: &Owner, limit: usize) -> BoxFuture<'_, Result<Vec<SessionSummary>, StoreError>> {
        let owner = owner.clone();
        self.look(move |conn| query::list(conn, &owner, limit))
    }

    fn everyones(&self) -> BoxFuture<'_, Result<Vec<SessionSummary>, StoreError>> {
        self.look(query::list_all)
    }

    fn tasks(&self, owner: &Owner, query: TaskQuery) -> BoxFuture<'_, Result<TaskPage, StoreError>> {
        let owner = owner.clone();
        self.look(move |conn| marks::list(conn, &owner, &query))
    }

    fn checkpoints(
        &self,
        owner: &Owner,
        workspace: &str,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<CheckpointLocation>, StoreError>> {
        let (owner, workspace) = (owner.clone(), workspace.to_owned());
        self.look(move |conn| query::checkpoints(conn, &owner, &workspace, limit))
    }

    fn unfinished(&self) -> BoxFuture<'_, Result<Vec<SessionId>, StoreError>> {
        self.look(query::unfinished)
    }
}

impl PushTargetStore for SqliteLog {
    fn put_target(&self, target: PushTarget) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.writer.write(0, move |conn, _| push::put(conn, &target)))
    }

    fn targets(&self, of: Option<(&Owner, Uuid)>) -> BoxFuture<'_, Result<Vec<PushTarget>, StoreError>> {
        let of = of.map(|(owner, task)| (owner.clone(), task));
        self.look(move |conn| push::list(conn, of.as_ref().map(|(owner, task)| (owner, *task))))
    }

    fn remove_target(&self, owner: &Owner, task: Uuid, id: &str) -> BoxFuture<'_, Result<bool, StoreError>> {
        let (owner, id) = (owner.clone(), id.to_owned());
        Box::pin(self.writer.write(0, move |conn, _| push::remove(conn, &owner, task, &id)))
    }

    fn move_target(&self, owner: &Owner, task: Uuid, id: &str, to: Seq) -> BoxFuture<'_, Result<bool, StoreError>> {
        let (owner, id) = (owner.clone(), id.to_owned());
        Box::pin(self.writer.write(0, move |conn, _| push::advance(conn, &owner, task, &id, to)))
    }
}
