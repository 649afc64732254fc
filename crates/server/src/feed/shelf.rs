//! Scenes of sessions that were watched lately, so that the next stream does not fold the log from its start.

use super::lock;
use crate::scene::Scene;
use pollux_session::SessionId;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// How many sessions are kept.
const KEPT: usize = 64;

/// The newest scenes, most recently used last.
#[derive(Default)]
pub(super) struct Shelf {
    scenes: Mutex<VecDeque<(Life, Arc<Scene>)>>,
}

/// A session, and which life of its log.
type Life = (SessionId, u32);

impl Shelf {
    /// A copy of the newest scene of a session.
    pub(super) fn newest(&self, session: SessionId, incarnation: u32) -> Option<Scene> {
        let scenes = lock(&self.scenes);
        let (_, scene) = scenes.iter().find(|(key, _)| *key == (session, incarnation))?;
        let scene = Arc::clone(scene);
        drop(scenes);
        Some(Scene::clone(&scene))
    }

    /// Keep a scene, unless a newer one is there.
    pub(super) fn keep(&self, session: SessionId, incarnation: u32, scene: &Scene) {
        let key = (session, incarnation);
        let mut scenes = lock(&self.scenes);
        if let Some(place) = scenes.iter().position(|(known, _)| *known == key)
            && let Some((_, known)) = scenes.remove(place)
            && known.state.head >= scene.state.head
        {
            scenes.push_back((key, known));
            return;
        }
        scenes.push_back((key, Arc::new(scene.clone())));
        if scenes.len() > KEPT {
            scenes.pop_front();
        }
    }
}
