//! Checks that a page of entries can be what was asked for. A server that is broken, or wants to be, is not read for
//! ever.

use pollux_session::{Entry, Seq};
use std::sync::Arc;

/// Refuse a page that is not what follows `after`, of at most `limit` entries, where `announced` is there. The error is a
/// sentence for the person.
pub(super) fn check_page(entries: &[Arc<Entry>], after: Seq, limit: usize, announced: Seq) -> Result<(), String> {
    if entries.len() > limit {
        let count = entries.len();
        return Err(invalid_page(&format!("{count} entries where {limit} were asked for")));
    }
    if entries.is_empty() && limit > 0 && after < announced {
        return Err(invalid_page(&format!("nothing after entry {}, and says that there are {}", after.0, announced.0)));
    }
    let mut before = after;
    for entry in entries {
        if entry.seq <= before {
            return Err(invalid_page(&format!("entry {} after entry {}", entry.seq.0, before.0)));
        }
        before = entry.seq;
    }
    Ok(())
}

fn invalid_page(what: &str) -> String {
    format!("the server sends {what}: it is broken, or it is not a pollux; nothing more is read from it")
}

#[cfg(test)]
mod tests {
    use super::check_page;
    use pollux_session::{Entry, EntryAuthor, Event, Seq, UnixMillis};
    use pretty_assertions::assert_eq;
    use std::sync::Arc;

    fn page(numbers: &[u64]) -> Vec<Arc<Entry>> {
        let entry = |seq: &u64| Entry {
            seq: Seq(*seq),
            at: UnixMillis(0),
            by: EntryAuthor::Agent,
            task: None,
            event: Event::CompactWanted,
        };
        numbers.iter().map(|seq| Arc::new(entry(seq))).collect()
    }

    #[test]
    fn what_follows_is_taken_and_the_rest_is_refused() {
        let told = |numbers: &[u64], announced: u64| check_page(&page(numbers), Seq(4), 3, Seq(announced));
        for (numbers, announced) in [(&[5, 6, 7][..], 9), (&[5], 9), (&[6, 9], 5), (&[], 4), (&[], 0)] {
            assert_eq!(told(numbers, announced), Ok(()), "{numbers:?} of {announced}");
        }
        for (numbers, announced, what) in [
            (&[5, 6, 7, 8][..], 9, "4 entries where 3 were asked for"),
            (&[], 5, "nothing after entry 4, and says that there are 5"),
            (&[4], 9, "entry 4 after entry 4"),
            (&[5, 5], 9, "entry 5 after entry 5"),
            (&[7, 6], 9, "entry 6 after entry 7"),
        ] {
            let why = told(numbers, announced).unwrap_err();
            assert!(why.contains(what), "{why}");
        }
    }
}
