//! Everything about servers that can be shown without a process or a socket: each is a script at the other end of a
//! pipe in memory, and time is not real.

mod asking;
mod calls;
pub(super) mod fake;
mod lies;
mod life;
