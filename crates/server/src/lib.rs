//! Admits others: the gate, the agent card, A2A 0.3 at `/`, and the endpoint guide's `/ws` and `/tasks`.
//!
//! A request passes the gate and becomes a `Who`; [`rooms`](Rooms) find its seat; commands go to the seat, and what
//! comes back is read from the log through a shared feed in the dialect of the route.

pub mod discovery;
pub mod gate;
pub mod listen;

mod cancel;
mod card;
mod cursor;
mod dialect;
mod errors;
mod feed;
mod inbound;
mod rooms;
mod router;
mod rpc;
mod scene;
mod snapshot;
mod stream;
mod tasks;
mod workspace;
mod ws;

pub use card::Face;
pub use rooms::Rooms;
pub use router::{ROUTES, router};
