//! `a2a-server-reference.md`, the server reference: what only the real program can answer.

use crate::seeds::home;
use anyhow::{Context as _, Result};
use pollux_testkit::http;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[tokio::test]
async fn built_in_commands_list_extensions() -> Result<()> {
    let home = home()?;
    let wanted = json!({ "command": "list-extensions", "args": [] });
    let list = async || -> Result<Value> {
        let server = home.serve(&[]).await?;
        let listed = http::post(&server.address, "/executeCommand", &wanted).await?.json().await?;
        server.stop().await?;
        Ok(listed)
    };
    assert_eq!(list().await?, json!({ "name": "list-extensions", "data": { "extensions": [] } }));

    let manifest = home.path(".gemini/extensions/my-extension/gemini-extension.json");
    std::fs::create_dir_all(manifest.parent().context("a manifest is in a folder")?)?;
    std::fs::write(&manifest, r#"{"name": "my-extension", "version": "1.0.0"}"#)?;
    let response = json!({
      "extensions": [
        {
          "name": "my-extension",
          "version": "1.0.0",
          "enabled": true
        }
      ]
    });
    assert_eq!(list().await?, json!({ "name": "list-extensions", "data": response }));
    Ok(())
}
