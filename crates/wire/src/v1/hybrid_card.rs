//! One card that clients of both versions read without naming one.

use super::AgentCard;
use crate::a2a;
use serde::{Serialize, Serializer, ser};
use serde_json::Value;
use serde_json::map::Entry;

/// Every member that either version knows, in one object: a reader of 1.0 finds the card of 1.0 in it, one of 0.3 that of
/// 0.3, and what the other version calls otherwise is to both a member that they do not know. So a way to sign in has its
/// `type` (0.3) and its `httpAuthSecurityScheme` (1.0) side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridCard {
    v10: AgentCard,
    v03: a2a::AgentCard,
}

impl HybridCard {
    /// The card for both; `None` when 0.3 is spoken at none of the card's interfaces. The signatures are kept: what they
    /// vouch for is the card of 1.0, which is what a verifier reads here.
    pub fn new(card: AgentCard) -> Option<HybridCard> {
        let v03 = a2a::AgentCard { signatures: card.signatures.clone(), ..card.to_v03()? };
        Some(HybridCard { v10: card, v03 })
    }

    /// The card of 0.3 alone.
    pub fn into_v03(self) -> a2a::AgentCard {
        self.v03
    }
}

impl Serialize for HybridCard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut card = serde_json::to_value(&self.v03).map_err(ser::Error::custom)?;
        merge(&mut card, serde_json::to_value(&self.v10).map_err(ser::Error::custom)?);
        card.serialize(serializer)
    }
}

/// Add what `other` has and `card` has not. What both have is the same thing twice, or objects and lists of such.
fn merge(card: &mut Value, other: Value) {
    match (card, other) {
        (Value::Object(members), Value::Object(others)) => {
            for (name, value) in others {
                match members.entry(name) {
                    Entry::Vacant(entry) => {
                        entry.insert(value);
                    }
                    Entry::Occupied(mut entry) => merge(entry.get_mut(), value),
                }
            }
        }
        (Value::Array(items), Value::Array(others)) => {
            for (item, other) in items.iter_mut().zip(others) {
                merge(item, other);
            }
        }
        (_, _) => {}
    }
}
