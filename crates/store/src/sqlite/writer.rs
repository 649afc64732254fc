//! The writer thread. It takes what arrived during the last commit and commits it as one transaction: a busy log pays
//! for one sync of the disk per group, an idle one adds no wait. Every job stands alone: one that fails takes nothing
//! else with it.

mod heads;
mod job;

use crate::error::StoreError;
pub(super) use heads::{SessionHead, SessionHeads};
use job::{ReadJob, WriteJob, WriterJob};
use rusqlite::{Connection, TransactionBehavior};
use std::thread::{self, JoinHandle};
use tokio::sync::{mpsc, oneshot};

/// The most jobs that may wait; more wait with their callers.
const QUEUE: usize = 1024;

/// The most jobs in one transaction.
const GROUP_JOBS: usize = 256;

/// The bytes after which a transaction takes no further job.
const GROUP_BYTES: usize = 256 * 1024;

/// The thread that owns the writing connection.
pub(super) struct LogWriter {
    jobs: Option<mpsc::Sender<Box<dyn WriterJob>>>,
    thread: Option<JoinHandle<()>>,
}

impl LogWriter {
    /// Give `connection` to a thread of its own.
    pub(super) fn start(connection: Connection) -> Result<LogWriter, StoreError> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let thread = thread::Builder::new()
            .name("pollux-log".into())
            .spawn(move || run(connection, queue))
            .map_err(|error| StoreError::Io(format!("no thread for the log's writer: {error}")))?;
        Ok(LogWriter { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Do `work` in the next transaction; its result comes when that is durable. `bytes` is about what it writes.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl Fn(&Connection, &mut SessionHeads) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Box::new(WriteJob::new(bytes, work, reply)), answer).await
    }

    /// Run `query` between two transactions.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Box::new(ReadJob::new(query, reply)), answer).await
    }

    async fn send<T>(
        &self,
        job: Box<dyn WriterJob>,
        answer: oneshot::Receiver<Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let stopped = || StoreError::Io("its writer has stopped: restart pollux".into());
        self.jobs.as_ref().ok_or_else(stopped)?.send(job).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Drop for LogWriter {
    fn drop(&mut self) {
        // The queue has to end before the thread can.
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the log's writer had stopped with a panic");
        }
    }
}

fn run(mut connection: Connection, mut queue: mpsc::Receiver<Box<dyn WriterJob>>) {
    let mut heads = SessionHeads::default();
    while let Some(first) = queue.blocking_recv() {
        let mut group = gather(first, &mut queue);
        let committed = commit(&mut connection, &mut heads, &mut group)
            .map_err(|error| error.in_file(connection.path().unwrap_or_default()));
        if let Err(error) = &committed {
            // Whoever wanted it is told, and says so.
            tracing::debug!(%error, jobs = group.len(), "a commit failed");
            heads.forget();
        }
        for job in group {
            job.answer(&connection, &committed);
        }
    }
}

fn gather(first: Box<dyn WriterJob>, queue: &mut mpsc::Receiver<Box<dyn WriterJob>>) -> Vec<Box<dyn WriterJob>> {
    let mut bytes = first.bytes();
    let mut group = vec![first];
    while group.len() < GROUP_JOBS
        && bytes < GROUP_BYTES
        && let Ok(job) = queue.try_recv()
    {
        bytes += job.bytes();
        group.push(job);
    }
    group
}

/// Commit a group. Jobs hardly ever fail, so they share the transaction bare; when one does, all of it is undone and done
/// again with each job guarded, which costs a copy of every page it touches.
fn commit(
    connection: &mut Connection,
    heads: &mut SessionHeads,
    group: &mut [Box<dyn WriterJob>],
) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if group.iter_mut().all(|job| job.run_bare(&transaction, heads)) {
        return Ok(transaction.commit()?);
    }
    transaction.finish()?;
    heads.forget();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in group {
        job.run(&transaction, heads)?;
    }
    Ok(transaction.commit()?)
}
