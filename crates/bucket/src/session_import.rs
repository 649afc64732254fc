//! Takes sessions from a bucket into the local log: those that it lacks, whole, and the rest of those that it has the
//! beginning of.

use crate::bucket::Bucket;
use crate::error::BucketError;
use crate::fold::ReplicationFold;
use crate::restore_roots::RestoreRoots;
use crate::status::ReplicationStatus;
use crate::{keys, segment, workspace};
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use pollux_session::{Entry, Seq, SessionId};
use pollux_store::{BlobStore, EntryBatch, Log, NewSession};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most objects that are fetched at once.
const AT_ONCE: usize = 8;

/// The sessions of a bucket, each with the first entries of its segments.
pub(crate) type BucketSessions = BTreeMap<SessionId, Vec<Seq>>;

/// Where sessions come from and go to.
pub(crate) struct SessionImport<'a> {
    pub(crate) bucket: &'a Bucket,
    pub(crate) log: &'a dyn Log,
    pub(crate) blobs: &'a BlobStore,
    pub(crate) status: &'a ReplicationStatus,
    pub(crate) grounds: &'a RestoreRoots,
}

/// The sessions that a bucket has.
pub(crate) async fn kept(bucket: &Bucket) -> Result<BucketSessions, BucketError> {
    let mut kept = BucketSessions::new();
    for (session, first) in bucket.list(keys::SESSIONS).await?.iter().filter_map(|key| keys::segment_of(key)) {
        kept.entry(session).or_default().push(first);
    }
    Ok(kept)
}

impl SessionImport<'_> {
    /// Take in a session that the local log lacks; its newest entry. Its files are back already.
    pub(crate) async fn take_in(&self, session: SessionId, firsts: &[Seq]) -> Result<Seq, BucketError> {
        let entries = self.entries(session, firsts, Seq::START).await?;
        let mut fold = ReplicationFold::default();
        entries.iter().for_each(|entry| fold.apply(entry));
        let damaged = || BucketError::Damaged {
            key: keys::segment(session, Seq(1)),
            what: "its first entry does not open this session".into(),
        };
        let opened = fold.opened.take().filter(|opened| opened.main_task == session.main_task()).ok_or_else(damaged)?;
        let head = fold.state.head;
        let at = entries.first().map_or(fold.state.at, |first| first.at);
        let new = NewSession {
            id: session,
            owner: opened.owner,
            context: opened.context,
            workspace: opened.workspace,
            opened: at,
            once: None,
            entries: entries.into_iter().map(Arc::new).collect(),
            marks: Vec::new(),
        };
        self.log.adopt(new, fold.marks.into_values().collect()).await?;
        Ok(head)
    }

    /// Append what the bucket has beyond `head`, the newest entry here.
    pub(crate) async fn catch_up(&self, session: SessionId, firsts: &[Seq], head: Seq) -> Result<Seq, BucketError> {
        let entries = self.entries(session, firsts, head).await?;
        let Some(at_head) = entries.iter().find(|entry| entry.seq == head) else {
            return Err(BucketError::Diverged(session));
        };
        if !self.has_entry(session, at_head).await? {
            return Err(BucketError::Diverged(session));
        }
        let Some(epoch) = self.log.claim(session).await? else { return Err(BucketError::Diverged(session)) };
        let mut fold = ReplicationFold::default();
        fold.catch_up(self.log, session, head).await?;
        let rest: Vec<Arc<Entry>> = entries.into_iter().filter(|entry| entry.seq > head).map(Arc::new).collect();
        rest.iter().for_each(|entry| fold.apply(entry));
        let marks = fold.marks.into_values().map(|(_, marked)| marked).collect();
        self.log.append(EntryBatch { session, epoch, entries: rest, marks }).await?;
        Ok(fold.state.head)
    }

    /// True if the local log has this very entry.
    pub(crate) async fn has_entry(&self, session: SessionId, entry: &Entry) -> Result<bool, BucketError> {
        let before = Seq(entry.seq.0.saturating_sub(1));
        Ok(self.log.read(session, before, 1).await?.first().is_some_and(|local| **local == *entry))
    }

    /// The entries of a session from the segment that holds `from` on, with the blobs they name brought here.
    async fn entries(&self, session: SessionId, firsts: &[Seq], from: Seq) -> Result<Vec<Entry>, BucketError> {
        let start = firsts.partition_point(|first| *first <= from).saturating_sub(1);
        let wanted = firsts.get(start..).unwrap_or_default();
        let parts: Vec<Vec<Entry>> =
            stream::iter(wanted.iter().copied().map(|first| self.segment(session, first).boxed()))
                .buffered(AT_ONCE)
                .try_collect()
                .await?;
        let entries: Vec<Entry> = parts.into_iter().flatten().collect();
        for pair in entries.windows(2) {
            if let [one, next] = pair
                && next.seq != one.seq.next()
            {
                let what = format!("it does not follow entry {}", one.seq);
                return Err(BucketError::Damaged { key: keys::segment(session, next.seq), what });
            }
        }
        let blobs: Vec<_> = entries.iter().flat_map(segment::blobs).collect();
        stream::iter(blobs.into_iter().map(|blob| workspace::fetch_blob(self.bucket, self.blobs, blob).boxed()))
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await?;
        Ok(entries)
    }

    /// One segment.
    pub(crate) async fn segment(&self, session: SessionId, first: Seq) -> Result<Vec<Entry>, BucketError> {
        let key = keys::segment(session, first);
        let gone = || BucketError::Damaged { key: key.clone(), what: "it is not there any more".into() };
        segment::read(&key, first, &self.bucket.get(&key).await?.ok_or_else(gone)?)
    }
}
