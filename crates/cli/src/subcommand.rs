//! The commands of the program, a file each.

pub(crate) mod attach;
pub(crate) mod doctor;
pub(crate) mod extensions;
pub(crate) mod health;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod policy;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod trust;
