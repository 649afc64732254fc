//! `pollux health`, which a container's health check runs.

use crate::deploy::home;
use anyhow::Result;
use pretty_assertions::assert_eq;
use serde_json::Value;

#[tokio::test]
async fn a_server_that_answers_is_well() -> Result<()> {
    let home = home()?;
    let server = home.serve(&[]).await?;
    let output = home.run(&["health", &server.url("")]).await?;
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout)?;
    assert!(said["uptime"].is_u64(), "{said}");
    let port = server.address.rsplit(':').next().unwrap_or_default();
    let mut command = home.command(&["health"]);
    // A proxy for the model would ask its own machine.
    let by_port = command.env("CODER_AGENT_PORT", port).env("http_proxy", "http://127.0.0.1:9").output().await?;
    assert_eq!(by_port.status.code(), Some(0), "{}", String::from_utf8_lossy(&by_port.stderr));
    Ok(())
}

#[tokio::test]
async fn a_server_that_does_not_is_not() -> Result<()> {
    let home = home()?;
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    for (url, code, why) in [
        (format!("http://{free}"), 1, format!("no server answers at {free}")),
        (free.to_string(), 1, format!("no server answers at {free}")),
        (free.port().to_string(), 1, format!("no server answers at {free}")),
        ("https://127.0.0.1:1".to_owned(), 2, "must begin with http://".to_owned()),
        ("where".to_owned(), 2, "names no server: give a port, HOST:PORT".to_owned()),
    ] {
        let output = home.run(&["health", &url]).await?;
        let said = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(code), "{url}: {said}");
        assert!(said.contains(&why), "{url}: {said}");
    }
    Ok(())
}
