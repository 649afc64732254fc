//! Jobs of the writer thread, in two steps: the job's part of a transaction, and the answer once that is durable.

use super::heads::SessionHeads;
use crate::error::StoreError;
use rusqlite::Connection;
use tokio::sync::oneshot;

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// One request to the writer.
pub(super) trait WriterJob: Send {
    /// About how much it writes.
    fn bytes(&self) -> usize;

    /// Do its part of the open transaction; `false` when it failed and may have left something half done.
    fn run_bare(&mut self, conn: &Connection, heads: &mut SessionHeads) -> bool;

    /// Run the job so that its failure harms no other. The job's own failure is kept for its answer; an error from here
    /// says that the whole transaction is lost.
    fn run(&mut self, conn: &Connection, heads: &mut SessionHeads) -> Result<(), StoreError>;

    /// Tell the caller, who may have gone away.
    fn answer(self: Box<Self>, conn: &Connection, committed: &Result<(), StoreError>);
}

/// A job that writes.
pub(super) struct WriteJob<T, W> {
    bytes: usize,
    work: W,
    outcome: Option<Result<T, StoreError>>,
    reply: Reply<T>,
}

impl<T, W> WriteJob<T, W>
where
    W: Fn(&Connection, &mut SessionHeads) -> Result<T, StoreError>,
{
    pub(super) fn new(bytes: usize, work: W, reply: Reply<T>) -> Self {
        WriteJob { bytes, work, outcome: None, reply }
    }
}

impl<T, W> WriterJob for WriteJob<T, W>
where
    T: Send,
    W: Fn(&Connection, &mut SessionHeads) -> Result<T, StoreError> + Send,
{
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn run_bare(&mut self, conn: &Connection, heads: &mut SessionHeads) -> bool {
        let outcome = (self.work)(conn, heads);
        self.outcome.insert(outcome).is_ok()
    }

    fn run(&mut self, conn: &Connection, heads: &mut SessionHeads) -> Result<(), StoreError> {
        self.outcome = Some(alone(conn, || (self.work)(conn, heads))?);
        Ok(())
    }

    fn answer(self: Box<Self>, _: &Connection, committed: &Result<(), StoreError>) {
        let WriteJob { outcome, reply, .. } = *self;
        let not_run = || Err(StoreError::Io("the write was never tried".into()));
        reply.send(committed.clone().and_then(|()| outcome.unwrap_or_else(not_run))).ok();
    }
}

/// A job that reads, after the transaction it came with.
pub(super) struct ReadJob<T, Q> {
    query: Q,
    reply: Reply<T>,
}

impl<T, Q> ReadJob<T, Q>
where
    Q: FnOnce(&Connection) -> Result<T, StoreError>,
{
    pub(super) fn new(query: Q, reply: Reply<T>) -> Self {
        ReadJob { query, reply }
    }
}

impl<T, Q> WriterJob for ReadJob<T, Q>
where
    T: Send,
    Q: FnOnce(&Connection) -> Result<T, StoreError> + Send,
{
    fn bytes(&self) -> usize {
        0
    }

    fn run_bare(&mut self, _: &Connection, _: &mut SessionHeads) -> bool {
        true
    }

    fn run(&mut self, _: &Connection, _: &mut SessionHeads) -> Result<(), StoreError> {
        Ok(())
    }

    fn answer(self: Box<Self>, conn: &Connection, _: &Result<(), StoreError>) {
        self.reply.send((self.query)(conn)).ok();
    }
}

/// Do `work` so that its failure undoes its own writes and no others. The outer error says that this was not possible:
/// SQLite gives up the whole transaction when the disk is full or fails.
fn alone<T>(
    conn: &Connection,
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<Result<T, StoreError>, StoreError> {
    conn.prepare_cached("SAVEPOINT job")?.execute([])?;
    let outcome = work();
    if let Err(error) = &outcome {
        if conn.is_autocommit() {
            return Err(error.clone());
        }
        conn.prepare_cached("ROLLBACK TO job")?.execute([])?;
    }
    conn.prepare_cached("RELEASE job")?.execute([])?;
    Ok(outcome)
}
