//! The types of the wire: JSON-RPC 2.0, A2A 0.3 and 1.0, the `development-tool` extension and the flat frames of the
//! endpoint guide. Types and their spelling only: no IO, no clock, no opinion on what may happen.
//!
//! Everything written is strict; what is read ignores fields it does not know. Requests are read by [`read`].

pub mod a2a;
pub mod coder;
pub mod commands;
pub mod descriptors;
pub mod devtool;
pub mod flat;
mod flaw;
pub mod jsonrpc;
pub mod named;
pub mod page;
mod proto;
mod strict;
pub mod timestamp;
pub mod v03_proto;
pub mod v1;

pub use flaw::Flaw;
pub use strict::read;
