//! Scenes of sessions that were watched lately, so that the next stream does not fold the log from its start.

use crate::wire_state::WireState;
use parking_lot::Mutex;
use pollux_session::SessionId;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many sessions are kept.
const KEPT: usize = 64;

/// The newest scenes, most recently used last.
#[derive(Default)]
pub(super) struct ViewCache {
    states: Mutex<VecDeque<(LogIncarnation, Arc<WireState>)>>,
}

/// A session, and which life of its log.
type LogIncarnation = (SessionId, u32);

impl ViewCache {
    /// A copy of the newest scene of a session.
    pub(super) fn newest(&self, session: SessionId, incarnation: u32) -> Option<WireState> {
        let scenes = self.states.lock();
        let (_, wire_state) = scenes.iter().find(|(key, _)| *key == (session, incarnation))?;
        let wire_state = Arc::clone(wire_state);
        drop(scenes);
        Some(WireState::clone(&wire_state))
    }

    /// Keep a scene, unless a newer one is there.
    pub(super) fn store(&self, session: SessionId, incarnation: u32, wire_state: &WireState) {
        let key = (session, incarnation);
        let mut scenes = self.states.lock();
        if let Some(place) = scenes.iter().position(|(known, _)| *known == key)
            && let Some((_, known)) = scenes.remove(place)
            && known.state.head >= wire_state.state.head
        {
            scenes.push_back((key, known));
            return;
        }
        scenes.push_back((key, Arc::new(wire_state.clone())));
        if scenes.len() > KEPT {
            scenes.pop_front();
        }
    }
}
