//! The client at a seat: fixed when the seat is made, checked in one table for every command.

use crate::refusal::Right;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Whose sessions these are. Nothing is looked up without it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Owner(pub String);

/// The rights of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights(BTreeSet<Right>);

impl Rights {
    /// Observe, prompt and approve.
    pub fn all() -> Self {
        Rights(BTreeSet::from([Right::Observe, Right::Prompt, Right::Approve]))
    }

    /// Exactly these.
    pub fn of(rights: impl IntoIterator<Item = Right>) -> Self {
        Rights(rights.into_iter().collect())
    }

    /// True if `right` is among them.
    pub fn allow(&self, right: Right) -> bool {
        self.0.contains(&right)
    }
}

/// The person or program at a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// Whose sessions it sees.
    pub owner: Owner,
    /// Proven by the gate (`local`, a token's name).
    pub principal: String,
    /// The name that it gives itself (`terminal`, `A2A zed`): shown, never trusted.
    pub label: String,
    pub rights: Rights,
}
