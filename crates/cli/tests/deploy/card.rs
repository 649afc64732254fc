//! Where the card says that gRPC is.

use crate::home;
use anyhow::Result;
use pollux_testkit::http;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

async fn grpc_targets(args: &[&str]) -> Result<Vec<Value>> {
    let home = home()?;
    let server = home.serve(args).await?;
    let headers = [("Host", "pollux.example.com")];
    let answer = http::request(&server.address, "GET", "/.well-known/agent-card.json?A2A-Version=1.0", &headers, &[]);
    let card = answer.await?.json().await?;
    let interfaces = card["supportedInterfaces"].as_array().cloned().unwrap_or_default();
    assert_eq!(interfaces[0]["url"], "https://pollux.example.com/");
    let of_grpc = interfaces.into_iter().filter(|interface| interface["protocolBinding"] == "GRPC");
    Ok(of_grpc.map(|interface| interface["url"].clone()).collect())
}

#[tokio::test]
async fn behind_a_proxy_it_is_where_the_operator_says() -> Result<()> {
    let behind = ["--tls-in-front", "--allow-host", "pollux.example.com", "--grpc-port", "0"];
    assert_eq!(grpc_targets(&behind).await?, Vec::<Value>::new());
    let outside = [&behind[..], &["--grpc-outside", "grpc.example.com:443"]].concat();
    assert_eq!(grpc_targets(&outside).await?, [json!("grpc.example.com:443"), json!("grpc.example.com:443")]);
    Ok(())
}
