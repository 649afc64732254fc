//! The running calls of one server, so that its questions find the call they belong to.

use super::{Elicitation, Elicited};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// How many questions of one call may wait behind the one that is asked. More are declined.
const WAITING: usize = 3;

/// The running calls of one server. The protocol does not say which call a question belongs to: it goes to the oldest.
/// Cloning is cheap.
#[derive(Clone, Default)]
pub(in crate::mcp) struct Running(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    next: u64,
    by_age: BTreeMap<u64, mpsc::Sender<Question>>,
}

/// A question on its way to the call that puts it.
pub(in crate::mcp) struct Question {
    pub(in crate::mcp) elicitation: Elicitation,
    /// Closed when the server takes its question back.
    pub(in crate::mcp) reply: oneshot::Sender<Elicited>,
}

/// One running call. It leaves when this is dropped; questions it was given are cancelled.
pub(in crate::mcp) struct RunningCall {
    running: Running,
    number: u64,
    questions: mpsc::Receiver<Question>,
}

impl Running {
    /// A call begins.
    pub(in crate::mcp) fn begin(&self) -> RunningCall {
        let (sender, questions) = mpsc::channel(WAITING);
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = calls.next;
        calls.next += 1;
        calls.by_age.insert(number, sender);
        RunningCall { running: self.clone(), number, questions }
    }

    /// Have the oldest call put a question.
    pub(in crate::mcp) async fn ask(&self, elicitation: Elicitation) -> Elicited {
        let oldest = {
            let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            calls.by_age.first_key_value().map(|(_, call)| call.clone())
        };
        let declined = |why: &str| Elicited::Declined(Some(why.into()));
        let Some(call) = oldest else { return declined("none of the server's calls is running") };
        let (reply, answer) = oneshot::channel();
        if call.try_send(Question { elicitation, reply }).is_err() {
            return declined("too many questions are open already");
        }
        // The sender must not keep the queue of a call that ends.
        drop(call);
        answer.await.unwrap_or(Elicited::Cancelled)
    }
}

impl RunningCall {
    /// The next question.
    pub(in crate::mcp) async fn question(&mut self) -> Question {
        match self.questions.recv().await {
            Some(question) => question,
            // The sender leaves with us.
            None => std::future::pending().await,
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.running.0.lock().unwrap_or_else(PoisonError::into_inner).by_age.remove(&self.number);
    }
}
