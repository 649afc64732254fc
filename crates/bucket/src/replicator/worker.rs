//! The worker's rounds.

use super::{PendingSessions, ReplicationTarget};
use crate::bucket::Bucket;
use crate::error::BucketError;
use crate::fold::{PAGE, ReplicationFold};
use crate::lease::Lease;
use crate::restore_roots::RestoreRoots;
use crate::session_import::{self, SessionImport};
use crate::session_index::{SessionIndex, digest};
use crate::status::ReplicationStatus;
use crate::workspace::{ReplicatedWorkspaces, ScanOutcome, carry_blob};
use crate::{foreign, keys, segment, task_documents};
use lru::LruCache;
use pollux_session::{Seq, SessionId};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The wait for more entries before a segment is written.
const GATHER: Duration = Duration::from_millis(300);
/// The wait after the first failure; twice as long each time after.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// And how long at the most.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The interval at which an idle process makes sure that nobody has taken the bucket over.
const LOOK_AFTER: Duration = Duration::from_secs(15);
/// The most folds that are kept between two rounds.
const FOLDS: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Carries.
pub(super) struct ReplicationWorker {
    carried: ReplicationTarget,
    grounds: RestoreRoots,
    status: ReplicationStatus,
    wanted: Arc<PendingSessions>,
    tried: watch::Sender<bool>,
    /// The bucket, once it and the local log were brought together.
    open: Option<Bucket>,
    /// Kept over failures: a process that was replaced does not claim again.
    lease: Option<Lease>,
    /// The newest entry of each session that is in the bucket.
    cursors: HashMap<SessionId, Seq>,
    folds: LruCache<SessionId, ReplicationFold>,
    workspaces: ReplicatedWorkspaces,
    /// Sessions that are left as they are.
    set_aside: HashSet<SessionId>,
}

impl ReplicationWorker {
    pub(super) fn new(
        carried: ReplicationTarget,
        status: ReplicationStatus,
        wanted: Arc<PendingSessions>,
        tried: watch::Sender<bool>,
    ) -> ReplicationWorker {
        let ReplicationTarget { workspace, home, own, restoring, .. } = &carried;
        let grounds = RestoreRoots::new(workspace, home.as_deref(), own, restoring);
        ReplicationWorker {
            carried,
            grounds,
            status,
            wanted,
            tried,
            open: None,
            lease: None,
            cursors: HashMap::new(),
            folds: LruCache::sparse(FOLDS),
            workspaces: ReplicatedWorkspaces::default(),
            set_aside: HashSet::new(),
        }
    }

    /// Carry until there is nothing more to come, or somebody else does.
    pub(super) async fn run(mut self) {
        let mut pause = FIRST_PAUSE;
        loop {
            let round = self.round().await;
            match round {
                Ok(()) => {
                    pause = FIRST_PAUSE;
                    self.status.carrying(self.wanted.len());
                    self.tried.send_replace(true);
                    if self.wanted.is_closed() && self.wanted.len() == 0 {
                        return;
                    }
                    let idle = tokio::time::timeout(LOOK_AFTER, self.wanted.news()).await;
                    if idle.is_ok() {
                        // What follows at once goes into the same segment.
                        let _ = tokio::time::timeout(GATHER, self.wanted.closed()).await;
                    }
                }
                Err(BucketError::TakenOver(who)) => {
                    let why = BucketError::TakenOver(who).to_string();
                    tracing::error!("{why}");
                    self.status.read_only(&why);
                    self.tried.send_replace(true);
                    return;
                }
                Err(error) => {
                    let why = error.to_string();
                    tracing::warn!("{why}; trying again in {} s", pause.as_secs());
                    self.status.failing(&why, self.wanted.len());
                    self.tried.send_replace(true);
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    async fn round(&mut self) -> Result<(), BucketError> {
        let bucket = match self.open.clone() {
            Some(bucket) => self.claim(bucket).await?,
            None => self.begin().await?,
        };
        while let Some(session) = self.wanted.first() {
            self.wanted.remove(session);
            if self.set_aside.contains(&session) {
                continue;
            }
            match self.carry(&bucket, session).await {
                Ok(()) => {}
                Err(error @ (BucketError::Diverged(_) | BucketError::Damaged { .. })) => {
                    self.set_aside(session, &error);
                }
                Err(error) => {
                    self.wanted.add(session);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Open and claim the bucket, and bring it and the local log together.
    async fn begin(&mut self) -> Result<Bucket, BucketError> {
        let bucket = self.claim(Bucket::open(&self.carried.address, &self.carried.variables)?).await?;
        // Files are back before the sessions that speak of them.
        self.workspaces.put_back(&bucket, &self.grounds, &self.status).await?;
        let kept = session_import::kept(&bucket).await?;
        let log = self.carried.store.log.clone();
        let local = HashMap::<SessionId, Seq>::from_iter(
            self.carried.store.index.everyones().await?.into_iter().map(|summary| (summary.id, summary.head)),
        );
        let blobs = self.carried.blobs.clone();
        let (status, grounds) = (self.status.clone(), self.grounds.clone());
        let intake = SessionImport { bucket: &bucket, log: &*log, blobs: &blobs, status: &status, grounds: &grounds };
        for (session, firsts) in &kept {
            let placed = match local.get(session) {
                None => intake.take_in(*session, firsts).await,
                Some(head) => self.place(&intake, *session, firsts, *head).await,
            };
            match placed {
                Ok(cursor) => drop(self.cursors.insert(*session, cursor)),
                Err(error @ (BucketError::Diverged(_) | BucketError::Damaged { .. } | BucketError::Store(_))) => {
                    self.set_aside(*session, &error);
                }
                Err(error) => return Err(error),
            }
        }
        for session in local.keys().filter(|session| !kept.contains_key(session)) {
            self.wanted.add(*session);
        }
        for session in foreign::take_in(&intake, &self.carried.owner, &self.carried.release).await? {
            self.wanted.add(session);
        }
        self.open = Some(bucket.clone());
        Ok(bucket)
    }

    /// Claim the bucket, or make sure that it still is claimed.
    async fn claim(&mut self, bucket: Bucket) -> Result<Bucket, BucketError> {
        match &self.lease {
            Some(_) => self.check_claim(&bucket).await?,
            None => self.lease = Some(Lease::take(&bucket).await?),
        }
        Ok(bucket)
    }

    /// Make sure that nobody has claimed the bucket since.
    async fn check_claim(&self, bucket: &Bucket) -> Result<(), BucketError> {
        match &self.lease {
            Some(lease) => lease.check(bucket).await,
            None => Ok(()),
        }
    }

    /// The replicated position of a session that is here and there.
    async fn place(
        &self,
        intake: &SessionImport<'_>,
        session: SessionId,
        firsts: &[Seq],
        head: Seq,
    ) -> Result<Seq, BucketError> {
        let index: Option<SessionIndex> = intake.bucket.get_json(&keys::index(session)).await?;
        if let Some(index) = index.filter(|index| index.head == head) {
            let newest = intake.log.read(session, Seq(head.0.saturating_sub(1)), 1).await?;
            if newest.first().is_some_and(|entry| digest(entry) == index.digest) {
                return Ok(head);
            }
        }
        let Some(first) = firsts.last() else { return Ok(Seq::START) };
        let entries = intake.segment(session, *first).await?;
        let Some(last) = entries.last() else { return Ok(Seq::START) };
        self.wanted.add(session);
        if last.seq > head {
            return intake.catch_up(session, firsts, head).await;
        }
        if intake.has_entry(session, last).await? { Ok(last.seq) } else { Err(BucketError::Diverged(session)) }
    }

    /// Bring everything of one session: the log first, then what is made of it, then how far all of that goes.
    async fn carry(&mut self, bucket: &Bucket, session: SessionId) -> Result<(), BucketError> {
        let log = self.carried.store.log.clone();
        let cursor = self.carry_log(bucket, session).await?;
        self.check_claim(bucket).await?;
        let mut fold = self.folds.pop(&session).unwrap_or_default();
        fold.catch_up(&*log, session, cursor).await?;
        for task in std::mem::take(&mut fold.touched) {
            for (key, bytes) in task_documents::of_task(session, task, &fold) {
                if fold.is_news(&key, &bytes) {
                    bucket.put(&key, bytes.clone()).await?;
                    fold.note(key, &bytes);
                }
            }
        }
        let workspace = fold.opened.as_ref().map(|opened| opened.workspace.clone()).unwrap_or_default();
        // What can be written over is written only by whoever carries now: much time may have passed since the round began.
        self.check_claim(bucket).await?;
        if std::mem::take(&mut fold.worked) {
            match self.workspaces.carry(bucket, &workspace, &self.grounds).await? {
                ScanOutcome::LeftAlone { why } => self.status.left_alone(&workspace, why),
                ScanOutcome::Carried { left_out } => {
                    self.status.workspace_is_well(&workspace);
                    if let Some(first) = left_out.first() {
                        let more = left_out.len().saturating_sub(1);
                        self.status.note(format!("{workspace}: {first} stays out of the bucket, and {more} more"));
                    }
                }
            }
        }
        if let Some(newest) = log.read(session, Seq(cursor.0.saturating_sub(1)), 1).await?.first() {
            let index = SessionIndex { head: cursor, digest: digest(newest), workspace };
            bucket.put_json(&keys::index(session), &index).await?;
        }
        self.folds.put(session, fold);
        Ok(())
    }

    /// Bring what the log has beyond the cursor; the new cursor.
    async fn carry_log(&mut self, bucket: &Bucket, session: SessionId) -> Result<Seq, BucketError> {
        let log = self.carried.store.log.clone();
        let mut cursor = self.cursors.get(&session).copied().unwrap_or(Seq::START);
        loop {
            let page = log.read(session, cursor, PAGE).await?;
            let Some(last) = page.last() else { return Ok(cursor) };
            for blob in page.iter().flat_map(|entry| segment::blobs(entry)) {
                carry_blob(bucket, &self.carried.blobs, blob).await?;
            }
            let first = cursor.next();
            let key = keys::segment(session, first);
            cursor = if bucket.create(&key, segment::write(&page)).await? {
                last.seq
            } else {
                self.same_segment(bucket, session, first).await?
            };
            self.cursors.insert(session, cursor);
        }
    }

    /// The segment is there already: written by this process before it learned so, or by somebody else.
    async fn same_segment(&self, bucket: &Bucket, session: SessionId, first: Seq) -> Result<Seq, BucketError> {
        let (log, blobs) = (&*self.carried.store.log, &self.carried.blobs);
        let intake = SessionImport { bucket, log, blobs, status: &self.status, grounds: &self.grounds };
        let mut last = first;
        for entry in intake.segment(session, first).await? {
            if !intake.has_entry(session, &entry).await? {
                return Err(BucketError::Diverged(session));
            }
            last = entry.seq;
        }
        Ok(last)
    }

    fn set_aside(&mut self, session: SessionId, why: &BucketError) {
        if self.set_aside.insert(session) {
            self.status.set_aside(format!("session {session} is not carried: {why}"));
        }
        self.wanted.remove(session);
    }
}
