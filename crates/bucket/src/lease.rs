//! The lease of a bucket. Claims are numbered objects, each created by one process only, and the process with the
//! highest number replicates: whoever starts last. No clock is asked and nothing expires, so a crashed machine is
//! replaced at once, and the one that was replaced learns it before it writes again.

use crate::bucket::{Bucket, json};
use crate::error::BucketError;
use crate::keys;
use serde::{Deserialize, Serialize};

/// The most processes that may claim at the same moment before one gives up and tries later.
const ATTEMPTS: usize = 8;

/// A claim.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    number: u64,
}

/// The content of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeaseClaim {
    /// Another one for each process.
    pub(crate) process: String,
    pub(crate) pid: u32,
    pub(crate) since: String,
}

impl LeaseClaim {
    fn of_this_process() -> LeaseClaim {
        LeaseClaim {
            process: uuid::Uuid::now_v7().to_string(),
            pid: std::process::id(),
            since: jiff::Timestamp::now().to_string(),
        }
    }
}

impl Lease {
    /// Claim the bucket: from now on nobody who came earlier carries.
    pub(crate) async fn take(bucket: &Bucket) -> Result<Lease, BucketError> {
        let claim = json(&LeaseClaim::of_this_process());
        for _ in 0..ATTEMPTS {
            let numbers = numbers(bucket).await?;
            let number = numbers.last().map_or(1, |highest| highest + 1);
            if bucket.create(&keys::lease(number), claim.clone()).await? {
                // The one before stays, so that whoever held it can read who followed.
                for old in numbers.into_iter().filter(|old| old + 1 < number) {
                    bucket.delete(&keys::lease(old)).await?;
                }
                return Ok(Lease { number });
            }
        }
        Err(BucketError::Failed { doing: "be claimed".into(), why: "others claim it at the same moment".into() })
    }

    /// Check that this process still has the lease; an error says who does.
    pub(crate) async fn check(&self, bucket: &Bucket) -> Result<(), BucketError> {
        let highest = numbers(bucket).await?.last().copied().unwrap_or(self.number);
        if highest <= self.number {
            return Ok(());
        }
        let claim: Option<LeaseClaim> = bucket.get_json(&keys::lease(highest)).await?;
        let who = claim.map_or_else(
            || "another server".to_owned(),
            |claim| format!("another server (pid {}, since {})", claim.pid, claim.since),
        );
        Err(BucketError::TakenOver(who))
    }
}

async fn numbers(bucket: &Bucket) -> Result<Vec<u64>, BucketError> {
    Ok(bucket.list(keys::LEASES).await?.iter().filter_map(|key| keys::lease_of(key)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::memory::InMemory;
    use std::sync::Arc;

    #[tokio::test]
    async fn the_newest_claim_carries_and_the_older_ones_are_told_so() {
        let bucket = Bucket::over(Arc::new(InMemory::new()), "");
        let first = Lease::take(&bucket).await.unwrap();
        first.check(&bucket).await.unwrap();
        let second = Lease::take(&bucket).await.unwrap();
        let third = Lease::take(&bucket).await.unwrap();
        for replaced in [first, second] {
            let told = replaced.check(&bucket).await.unwrap_err().to_string();
            assert!(told.contains(&format!("pid {}", std::process::id())), "{told}");
        }
        third.check(&bucket).await.unwrap();
        assert_eq!(numbers(&bucket).await.unwrap(), [2, 3]);
    }

    #[tokio::test]
    async fn of_many_who_claim_at_once_each_gets_a_number_of_its_own() {
        let bucket = Bucket::over(Arc::new(InMemory::new()), "");
        let claims = (0..6).map(|_| Lease::take(&bucket));
        let taken = futures_util::future::join_all(claims).await;
        let mut numbers: Vec<u64> = taken.into_iter().filter_map(Result::ok).map(|lease| lease.number).collect();
        numbers.sort_unstable();
        let distinct = numbers.len();
        numbers.dedup();
        assert_eq!(numbers.len(), distinct);
    }
}
