//! Questions of servers to the person while their calls run, and the calls that put it to them.
//!
//! Each question is a call of its own, made for the server's running call and never by a model: only a question that is
//! open right now can be asked.

use super::elicitation::{self, McpElicitationRequest};
use super::sampling::{self, McpSamplingRequest};
use crate::output::ToolCallContext;
use parking_lot::Mutex;
use pollux_session::{CallError, CallOutcome, NewCall};
use serde_json::Value;
use std::sync::Arc;

/// The number of times that a person is asked the same when their answers do not fit.
const ATTEMPTS: usize = 3;

/// A question of a server.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ServerQuestion {
    /// Something that the person knows.
    Elicitation(McpElicitationRequest),
    /// A text of the person's model.
    Sampling(McpSamplingRequest),
}

impl ServerQuestion {
    /// The question, where this many calls may be the one that asks.
    pub(super) fn with_candidates(mut self, calls: usize) -> ServerQuestion {
        let (ServerQuestion::Elicitation(McpElicitationRequest { calls: among, .. })
        | ServerQuestion::Sampling(McpSamplingRequest { calls: among, .. })) = &mut self;
        *among = calls;
        self
    }

    fn call(&self) -> NewCall {
        let (tool, args) = match self {
            ServerQuestion::Elicitation(question) => (elicitation::NAME, serde_json::to_value(question)),
            ServerQuestion::Sampling(question) => (sampling::NAME, serde_json::to_value(question)),
        };
        NewCall { tool: tool.into(), args: args.unwrap_or_default(), meta: Value::Null }
    }
}

/// The number of calls that may have asked, where the connection says it.
pub(super) fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it like this")]
pub(super) fn is_one(calls: &usize) -> bool {
    *calls == 1
}

/// The outcome of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum QuestionOutcome {
    /// Here is the answer; `Null` where a page was to be visited.
    Accepted(Value),
    /// No, for this reason if there is one to tell.
    Declined(Option<String>),
    /// They did not choose.
    Cancelled,
}

impl QuestionOutcome {
    pub(super) fn declined(why: impl Into<String>) -> QuestionOutcome {
        QuestionOutcome::Declined(Some(why.into()))
    }
}

/// The questions that are open now, as the calls that put them. Cloning is cheap.
#[derive(Clone, Default)]
pub(super) struct OpenQuestions(Arc<Mutex<Vec<NewCall>>>);

impl OpenQuestions {
    /// True if a server asks just this, with a call of `tool`.
    pub(super) fn is_open(&self, tool: &str, args: &Value) -> bool {
        let open = self.0.lock();
        open.iter().any(|call| call.tool == tool && call.args == *args)
    }

    fn open<'a>(&'a self, question: &'a NewCall) -> impl Drop + use<'a> {
        struct QuestionGuard<'a>(&'a OpenQuestions, &'a NewCall);
        impl Drop for QuestionGuard<'_> {
            fn drop(&mut self) {
                let mut open = self.0.0.lock();
                if let Some(at) = open.iter().position(|one| one == self.1) {
                    open.swap_remove(at);
                }
            }
        }
        self.0.lock().push(question.clone());
        QuestionGuard(self, question)
    }

    /// Put `question` to the person through the call that runs at `out`.
    pub(super) async fn ask_person(
        &self,
        mut question: ServerQuestion,
        out: &mut dyn ToolCallContext,
    ) -> QuestionOutcome {
        for _ in 0..ATTEMPTS {
            let call = question.call();
            let open = self.open(&call);
            let outcome = out.call(call.clone()).await;
            drop(open);
            let problem = match outcome {
                CallOutcome::Succeeded { result } => {
                    return QuestionOutcome::Accepted(serde_json::from_str(&result.text).unwrap_or_default());
                }
                CallOutcome::Failed { error: CallError { kind, message }, .. } if kind == elicitation::MISFIT => {
                    message
                }
                CallOutcome::Failed { error, .. } => return QuestionOutcome::declined(error.message),
                CallOutcome::Denied { why } => return QuestionOutcome::declined(why),
                CallOutcome::Declined | CallOutcome::Superseded => return QuestionOutcome::Declined(None),
                CallOutcome::Cancelled | CallOutcome::Interrupted => return QuestionOutcome::Cancelled,
            };
            if let ServerQuestion::Elicitation(question) = &mut question {
                question.problem = Some(problem);
            }
        }
        QuestionOutcome::declined("the answers did not fit the question")
    }
}
