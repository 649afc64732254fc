//! Two machines and one bucket: what one has told its clients, the other goes on with.

mod disaster;
mod gcs;
mod grounds;
mod lost_workspace;
pub(crate) mod machine;
mod two_machines;
