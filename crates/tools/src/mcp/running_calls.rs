//! The running calls of one server: its questions and its progress find the call they belong to.
//!
//! Over streamable HTTP, a question comes on the stream of the request that it belongs to. Over pipes and on a stream of
//! its own nothing says so: with one running call it is that call's. With several of one session it is put by the oldest
//! that puts no other, so that every call that waits for a person has a question open, and the person is told that it may
//! be another's. With calls of several sessions it is declined: nobody may be shown what another session's call asks.

use super::questions::{QuestionOutcome, ServerQuestion};
use parking_lot::{Mutex, MutexGuard};
use pollux_session::SessionId;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam, ProgressToken,
    RequestId, ServerResult,
};
use rmcp::service::{InboundStreamOrigin, PeerRequestOptions, RequestHandle};
use rmcp::{Peer, RoleClient, ServiceError};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// The most questions of one call that may wait behind the one that is asked. More are declined.
const WAITING_QUESTIONS: usize = 3;
/// The most questions of one call in all. A server that asks and takes back without end would fill the log.
const MOST_QUESTIONS: usize = 50;
/// The most progress of one call that waits to be shown. More is not shown.
const WAITING_PROGRESS: usize = 64;

/// The running calls of one server. Cloning is cheap.
#[derive(Clone, Default)]
pub(super) struct RunningCalls {
    calls: Arc<Mutex<CallsByAge>>,
    /// Held while a call is sent: whatever the server says of it must find it.
    sending: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Default)]
struct CallsByAge {
    next: u64,
    by_age: BTreeMap<u64, CallEntry>,
}

struct CallEntry {
    session: SessionId,
    request: RequestId,
    progress_token: ProgressToken,
    questions: mpsc::Sender<PendingQuestion>,
    /// Shared by every question that it puts or that waits for it.
    asking: Arc<()>,
    /// The number of questions so far.
    asked: usize,
    progress: mpsc::Sender<ProgressNotificationParam>,
}

/// A question on its way to the call that puts it.
pub(super) struct PendingQuestion {
    pub(super) question: ServerQuestion,
    /// Closed when the server takes its question back.
    pub(super) reply: oneshot::Sender<QuestionOutcome>,
}

/// A call that is to put a question. It counts as asking until this is dropped.
struct CallToAsk {
    call: mpsc::Sender<PendingQuestion>,
    /// The number of questions so far, this one included.
    number: usize,
    _asking: Arc<()>,
}

/// One running call. It leaves when this is dropped: the server is told to stop unless it has answered, and questions it
/// was given are cancelled.
pub(super) struct RunningCall {
    running: RunningCalls,
    number: u64,
    /// Until the server has answered.
    request: Option<RequestHandle<RoleClient>>,
    questions: mpsc::Receiver<PendingQuestion>,
    progress: mpsc::Receiver<ProgressNotificationParam>,
}

impl RunningCalls {
    /// Send a call of `session`.
    pub(super) async fn send(
        &self,
        peer: &Peer<RoleClient>,
        session: SessionId,
        params: CallToolRequestParams,
    ) -> Result<RunningCall, ServiceError> {
        let _sending = self.sending.lock().await;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let request = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        let (ask, questions) = mpsc::channel(WAITING_QUESTIONS);
        let (tell, progress) = mpsc::channel(WAITING_PROGRESS);
        let entry = CallEntry {
            session,
            request: request.id.clone(),
            progress_token: request.progress_token.clone(),
            questions: ask,
            asking: Arc::default(),
            asked: 0,
            progress: tell,
        };
        let mut calls = self.lock();
        let number = calls.next;
        calls.next += 1;
        calls.by_age.insert(number, entry);
        Ok(RunningCall { running: self.clone(), number, request: Some(request), questions, progress })
    }

    /// Have the call that a question belongs to put it.
    pub(super) async fn ask(&self, question: ServerQuestion, origin: Option<&InboundStreamOrigin>) -> QuestionOutcome {
        drop(self.sending.lock().await);
        let mut candidates = match self.candidates(origin) {
            Ok(candidates) => candidates,
            Err(why) => return QuestionOutcome::declined(why),
        };
        let question = question.with_candidates(candidates.len());
        while let Some(CallToAsk { call, number, _asking }) = self.take_least_asking(&mut candidates) {
            if number > MOST_QUESTIONS {
                return QuestionOutcome::declined(format!("the call has put {MOST_QUESTIONS} questions already"));
            }
            let (reply, answer) = oneshot::channel();
            if call.try_send(PendingQuestion { question: question.clone(), reply }).is_err() {
                return QuestionOutcome::declined("too many questions are open already");
            }
            // The sender must not keep the queue of a call that ends.
            drop(call);
            if let Ok(outcome) = answer.await {
                return outcome;
            }
        }
        QuestionOutcome::Cancelled
    }

    /// Take the oldest of `candidates` with the fewest questions; `None` when all have ended, as they may while another one puts
    /// the question.
    fn take_least_asking(&self, candidates: &mut Vec<u64>) -> Option<CallToAsk> {
        let mut calls = self.lock();
        candidates.retain(|number| calls.by_age.contains_key(number));
        let running = candidates.iter().filter_map(|number| calls.by_age.get_key_value(number));
        let (&age, _) = running.min_by_key(|(_, call)| Arc::strong_count(&call.asking))?;
        candidates.retain(|other| *other != age);
        let call = calls.by_age.get_mut(&age)?;
        call.asked += 1;
        Some(CallToAsk { call: call.questions.clone(), number: call.asked, _asking: Arc::clone(&call.asking) })
    }

    /// The calls that may have asked, the oldest first; never none.
    fn candidates(&self, origin: Option<&InboundStreamOrigin>) -> Result<Vec<u64>, &'static str> {
        let calls = self.lock();
        if let Some(InboundStreamOrigin::OutboundRequest(id)) = origin {
            let asking = calls.by_age.iter().find(|(_, call)| call.request == *id);
            return asking.map(|(number, _)| vec![*number]).ok_or("the request it belongs to is no running call");
        }
        let mut sessions = calls.by_age.values().map(|call| call.session);
        let Some(session) = sessions.next() else { return Err("none of the server's calls is running") };
        match sessions.all(|other| other == session) {
            true => Ok(calls.by_age.keys().copied().collect()),
            false => Err("calls of several sessions are running, and the server does not say which of them asks"),
        }
    }

    /// Tell the call that it belongs to how far it is. What belongs to none is dropped, and so is what nobody keeps up with.
    pub(super) async fn forward_progress(&self, progress: ProgressNotificationParam) {
        drop(self.sending.lock().await);
        let calls = self.lock();
        if let Some(call) = calls.by_age.values().find(|call| call.progress_token == progress.progress_token) {
            let _ = call.progress.try_send(progress);
        }
    }

    fn lock(&self) -> MutexGuard<'_, CallsByAge> {
        self.calls.lock()
    }
}

/// An event of a running call.
pub(super) enum CallEvent {
    Answered(Result<CallToolResult, ServiceError>),
    Asked(PendingQuestion),
    Progressed(ProgressNotificationParam),
}

impl RunningCall {
    /// The next event. Nothing is lost when it is dropped before.
    pub(super) async fn next(&mut self) -> CallEvent {
        let RunningCall { request, questions, progress, .. } = self;
        tokio::select! {
            biased;
            Some(progress) = progress.recv() => CallEvent::Progressed(progress),
            answer = answered(request) => CallEvent::Answered(answer),
            Some(question) = questions.recv() => CallEvent::Asked(question),
        }
    }

    /// Progress that the server sent before its answer and that is heard only now: handlers of a connection run side by
    /// side.
    pub(super) async fn late_progress(&mut self) -> Vec<ProgressNotificationParam> {
        tokio::task::yield_now().await;
        std::iter::from_fn(|| self.progress.try_recv().ok()).collect()
    }

    /// The server's answer.
    pub(super) async fn answer(&mut self) -> Result<CallToolResult, ServiceError> {
        answered(&mut self.request).await
    }
}

async fn answered(request: &mut Option<RequestHandle<RoleClient>>) -> Result<CallToolResult, ServiceError> {
    let Some(sent) = request else { return std::future::pending().await };
    let answer = (&mut sent.rx).await;
    *request = None;
    match answer.map_err(|_| ServiceError::TransportClosed)?? {
        ServerResult::CallToolResult(result) => Ok(result),
        _ => Err(ServiceError::UnexpectedResponse),
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.running.lock().by_age.remove(&self.number);
        if let (Some(request), Ok(runtime)) = (self.request.take(), tokio::runtime::Handle::try_current()) {
            // A server that is gone need not be told.
            runtime.spawn(async move { request.cancel(Some("the call was cancelled".into())).await });
        }
    }
}
