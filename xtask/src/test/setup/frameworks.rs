//! Agent frameworks with a client for A2A that only a thorough run installs: together they take two gigabytes and ten minutes.

use super::{node_clients, python_peers};
use crate::{process, say};
use anyhow::Result;
use std::path::Path;

/// Frameworks from PyPI, each in an environment of its own, since they want different versions of the A2A SDK.
const PYTHON_FRAMEWORKS: &[(&str, (&str, &str))] = &[
    ("ag2", ("ag2[a2a]", "1.2.1")),
    ("beeai", ("beeai-framework[a2a]", "0.1.85")),
    ("crewai", ("crewai[a2a]", "1.15.30")),
    ("microsoft", ("agent-framework-a2a", "1.0.0b261022")),
    ("strands", ("strands-agents[a2a]", "1.62.0")),
];

/// Vercel's AI SDK and the provider that makes a model of an A2A agent.
const VERCEL: &[(&str, &str)] = &[("a2a-ai-provider", "0.5.0-alpha.1"), ("ai", "6.0.326")];

/// The manifest of the client on the Rust SDK; its source is beside the other scripts.
const RUST_SDK: &str = r#"[package]
name = "rust-sdk"
version = "0.0.0"
edition = "2024"

[workspace]

[[bin]]
name = "rust-sdk"
path = "SOURCE"

[dependencies]
a2a = { package = "a2a-lf", version = "=0.4.2" }
a2a-client = { package = "a2a-client-lf", version = "=0.2.9" }
futures = "0.3"
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
"#;

/// Install those that are missing below `home`.
pub(super) fn install(root: &Path, home: &Path) -> Result<()> {
    for (name, package) in PYTHON_FRAMEWORKS {
        python_peers(root, &home.join(name), &[*package])?;
    }
    node_clients(root, &home.join("vercel"), VERCEL)?;
    rust_sdk(root, &home.join("rust-sdk"))
}

/// A client on the Rust SDK, built in a workspace of its own so that nothing of it reaches our lock file.
fn rust_sdk(root: &Path, home: &Path) -> Result<()> {
    let source = root.join("crates/cli/tests/frameworks/with_rust_sdk.rs");
    say("   building a client on the Rust SDK of A2A, below the target directory");
    std::fs::create_dir_all(home)?;
    std::fs::write(home.join("Cargo.toml"), RUST_SDK.replace("SOURCE", &source.to_string_lossy()))?;
    process::run(process::cargo(home).args(["build", "--quiet", "--target-dir"]).arg(home.join("target")))
}
