//! Where notices are pinned up: process-wide or for one session. Lossy by contract.

use pollux_session::{BoxFuture, Notice, NoticeFeed, SessionId};
use tokio::sync::broadcast;

/// The most notices that a slow reader may be behind before it misses some.
const KEPT: usize = 256;

/// Notices of one process. Cheap to clone.
#[derive(Clone)]
pub struct NoticeBoard {
    sender: broadcast::Sender<(Option<SessionId>, Notice)>,
}

impl Default for NoticeBoard {
    fn default() -> Self {
        NoticeBoard { sender: broadcast::Sender::new(KEPT) }
    }
}

impl NoticeBoard {
    /// Tell everybody at `session`, or at every session when it is `None`. Nobody may be listening.
    pub fn post(&self, session: Option<SessionId>, notice: Notice) {
        // An error only says that nobody listens, which is the normal case.
        let _ = self.sender.send((session, notice));
    }

    /// Notices about `session`, from now on.
    pub fn read(&self, session: SessionId) -> Box<dyn NoticeFeed> {
        Box::new(Reader { session, receiver: self.sender.subscribe() })
    }
}

struct Reader {
    session: SessionId,
    receiver: broadcast::Receiver<(Option<SessionId>, Notice)>,
}

impl NoticeFeed for Reader {
    fn next(&mut self) -> BoxFuture<'_, Option<Notice>> {
        Box::pin(async {
            loop {
                match self.receiver.recv().await {
                    Ok((to, notice)) if to.is_none_or(|session| session == self.session) => return Some(notice),
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            }
        })
    }
}
