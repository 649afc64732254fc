//! A deployment by environment variables alone: the token and the host names need no file and no flag.

use crate::deploy::home;
use anyhow::Result;
use pollux_testkit::http;
use pollux_testkit::program::ServerProcess;
use pretty_assertions::assert_eq;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test]
async fn a_token_and_host_names_in_variables_are_enough() -> Result<()> {
    let home = home()?;
    let mut command = home.command(&["serve", "--port", "0", "--host", "0.0.0.0", "--tls-in-front"]);
    command.env("CODER_AGENT_TOKEN", TOKEN).env("CODER_AGENT_ALLOWED_HOSTS", "pollux.example.com, b.example.com");
    let server = ServerProcess::start(command).await?;
    let address = server.address.replace("0.0.0.0", "127.0.0.1");
    let status = async |host: &str, token: &str| -> Result<u16> {
        let bearer = format!("Bearer {token}");
        let headers = [("Host", host), ("Authorization", bearer.as_str())];
        Ok(http::request(&address, "GET", "/tasks", &headers, &[]).await?.status)
    };
    assert_eq!(status("pollux.example.com", TOKEN).await?, 200);
    assert_eq!(status("b.example.com", TOKEN).await?, 200);
    assert_eq!(status("c.example.com", TOKEN).await?, 421);
    assert_eq!(status("pollux.example.com", "fedcba9876543210fedcba9876543210").await?, 401);
    // No other process finds it where processes of the same user look.
    let block = std::fs::read(format!("/proc/{}/environ", server.pid()))?;
    assert!(!String::from_utf8_lossy(&block).contains(TOKEN), "the token is in the environment block");
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_with_a_token_is_said_without_it() -> Result<()> {
    let home = home()?;
    let run = async |token: &str, args: &[&str]| -> Result<(Option<i32>, String)> {
        let mut command = home.command(&[&["serve", "--port", "0"], args].concat());
        let output = command.env("CODER_AGENT_TOKEN", token).output().await?;
        Ok((output.status.code(), String::from_utf8(output.stderr)?))
    };
    let (code, said) = run("short-secret", &[]).await?;
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("CODER_AGENT_TOKEN: a token is 32 or more letters") && !said.contains("short-secret"),
        "{said}"
    );
    // The flag counts, and a file that is not there says how to make one.
    let missing = home.path("token");
    let missing = missing.to_str().unwrap_or_default();
    let (code, said) = run(TOKEN, &["--token-file", missing]).await?;
    assert_eq!(code, Some(2), "{said}");
    let way_out = format!("openssl rand -hex 32 > {missing} && chmod 600 {missing}");
    assert!(said.contains(&way_out) && said.contains("CODER_AGENT_TOKEN"), "{said}");
    let (code, said) = run("", &["--host", "0.0.0.0", "--tls-in-front"]).await?;
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--token-file (or CODER_AGENT_TOKEN)"), "{said}");
    Ok(())
}
