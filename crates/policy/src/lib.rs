//! May a call run? Allow, ask or deny, and why. Pure: everything it knows is handed to it.

mod judge;

pub use judge::{Judgement, judge, options};
