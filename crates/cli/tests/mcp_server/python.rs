//! The public Python SDK as the client. Skipped unless POLLUX_PEERS names a directory with a virtual environment `py`
//! that has the package `mcp`.

use super::POLLUX;
use anyhow::Result;
use pollux_testkit::program::TestHome;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::path::Path;

#[tokio::test]
async fn the_python_sdk_calls_asks_and_has_a_task_done() -> Result<()> {
    let Some(peers) = std::env::var_os("POLLUX_PEERS") else {
        eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
        return Ok(());
    };
    let python = Path::new(&peers).join("py/bin/python");
    assert!(python.exists(), "POLLUX_PEERS is set, but {} is not there", python.display());
    let home = TestHome::new(POLLUX)?;
    std::fs::write(home.workspace().join("a.txt"), "one\n")?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp_server/client.py");
    let output = home.run_program(&python, &[script, POLLUX]).await?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let told: Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!(
        told,
        json!({
            "server": "pollux",
            "tools": true,
            "read": { "error": false, "holds": true },
            "accepted": { "error": false, "holds": true },
            "declined": { "error": true, "holds": true },
            "asked": ["Pollux wants to change b.txt:", "Pollux wants to change c.txt:"],
            "task": { "error": false, "outcome": "done", "changed": ["d.txt"], "progress": true },
            "without": { "error": true, "holds": true },
            "probing": { "error": false, "holds": true },
        }),
        "{errors}"
    );
    assert_eq!(std::fs::read_to_string(home.workspace().join("b.txt"))?, "x");
    assert!(!home.workspace().join("c.txt").exists());
    Ok(())
}
