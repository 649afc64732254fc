//! Subjects of events, for matches that pass over most of them.

/// The events about one or several subjects, as a pattern: `events_about!(queue, context) => {}`.
///
/// A match that has nothing to do with a subject names the subject; where it treats one of its events on its own, it writes out
/// the others too (`cargo xtask tidy` checks that). So a new event is met by the compiler wherever its subject matters, and
/// nowhere else. A match that asks what is in an event, whatever it is about (how large it is, which blobs it names), writes
/// them all out.
#[macro_export]
macro_rules! events_about {
    // The session itself: how it began, what it works with, what holds until somebody changes it.
    (session) => {
        $crate::Event::Opened(_) | $crate::Event::Equipped(_) | $crate::Event::Set { .. } | $crate::Event::Kept { .. }
    };
    // Tasks, whatever their turns do.
    (tasks) => {
        $crate::Event::TaskOpened { .. } | $crate::Event::TaskClosed { .. }
    };
    // Prompts that wait.
    (queue) => {
        $crate::Event::Prompted { .. }
            | $crate::Event::Unqueued { .. }
            | $crate::Event::Requeued { .. }
            | $crate::Event::Released
    };
    // The turn as a whole: its begin and end, who answers it, what its prompt brought along.
    (turn) => {
        $crate::Event::TurnStarted { .. }
            | $crate::Event::Commanded { .. }
            | $crate::Event::Attached { .. }
            | $crate::Event::TurnEnded { .. }
    };
    // Texts and thoughts.
    (text) => {
        $crate::Event::Said { .. } | $crate::Event::Piece { .. } | $crate::Event::ItemEnded { .. }
    };
    // How the calls of the model go.
    (model) => {
        $crate::Event::Retrying { .. } | $crate::Event::FellBack { .. } | $crate::Event::StepEnded { .. }
    };
    // Whether a tool call may run.
    (approval) => {
        $crate::Event::Allowed { .. }
            | $crate::Event::Asked { .. }
            | $crate::Event::AskKept { .. }
            | $crate::Event::Deferred { .. }
            | $crate::Event::Answered { .. }
    };
    // Tool calls: that they are wanted, run and end.
    (calls) => {
        $crate::Event::Called { .. }
            | $crate::Event::Checkpointed(_)
            | $crate::Event::CallStarted { .. }
            | $crate::Event::Output { .. }
            | $crate::Event::Spent { .. }
            | $crate::Event::CallEnded { .. }
    };
    // What the model still knows of the conversation.
    (context) => {
        $crate::Event::Rewound { .. }
            | $crate::Event::CompactWanted
            | $crate::Event::Compacted { .. }
            | $crate::Event::NotCompacted { .. }
            | $crate::Event::Uncompacted
    };
    ($first:ident, $($more:ident),+) => {
        $crate::events_about!($first) | $crate::events_about!($($more),+)
    };
}

/// An event that is about nothing does not compile here, and neither does one that is about two subjects.
const _: fn(&crate::Event) = |event| match event {
    events_about!(session) => {}
    events_about!(tasks) => {}
    events_about!(queue) => {}
    events_about!(turn) => {}
    events_about!(text) => {}
    events_about!(model) => {}
    events_about!(approval) => {}
    events_about!(calls) => {}
    events_about!(context) => {}
};
