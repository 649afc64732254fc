//! Counters of the running turn, besides its items.

use super::turn_clock::TurnClock;
use crate::event::ModelUsage;
use crate::ids::UnixMillis;

/// The running turn, for the line that says what goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TurnProgress {
    pub(super) clock: Option<TurnClock>,
    /// Tokens so far, sub-agents included.
    pub(super) usage: ModelUsage,
    pub(super) retry: Option<PendingRetry>,
    pub(super) compacting_since: Option<UnixMillis>,
    pub(super) way_back: WayBack,
}

/// The note that files can be restored. Once in a session is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum WayBack {
    /// There is none yet.
    #[default]
    Nothing,
    /// It is said at the end of the turn.
    Owed,
    Told,
}

/// The model call failed and will be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PendingRetry {
    pub(super) attempt: u32,
    /// When.
    pub(super) at: UnixMillis,
}

impl TurnProgress {
    /// A turn begins.
    pub(super) fn begin(&mut self, at: UnixMillis) {
        let TurnProgress { compacting_since, way_back, .. } = *self;
        *self =
            TurnProgress { clock: Some(TurnClock::start(at)), compacting_since, way_back, ..TurnProgress::default() };
    }

    /// Count what a model call took.
    pub(super) fn add_usage(&mut self, usage: &ModelUsage) {
        self.usage.prompt += usage.prompt;
        self.usage.cached += usage.cached;
        self.usage.output += usage.output;
        self.usage.thoughts += usage.thoughts;
    }

    /// The turn is over: what it took, and how long it worked.
    pub(super) fn end(&mut self, at: UnixMillis) -> (ModelUsage, Option<u64>) {
        self.retry = None;
        (std::mem::take(&mut self.usage), self.clock.take().map(|clock| clock.worked_ms(at)))
    }
}
