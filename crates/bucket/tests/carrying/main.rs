//! Two machines and one bucket: what one has told its clients, the other goes on with.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod disaster;
mod gcs;
mod grounds;
mod lost_workspace;
mod machine;
mod two_machines;
