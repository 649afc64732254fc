//! `pollux health`: whether a server answers, for containers that have neither a shell nor curl. Exit code 0: it does;
//! 1: it does not.

use anyhow::{Context as _, bail};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::HOST;
use hyper::{Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a server may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most that is read of an answer.
const MOST_READ: usize = 64 * 1024;

/// Ask the server at `url`, and print the answer.
pub(crate) async fn run(url: &str) -> anyhow::Result<ExitCode> {
    let answer = timeout(TIMEOUT, request_health(url)).await;
    let (status, body) =
        answer.with_context(|| format!("{url} did not answer within {} seconds", TIMEOUT.as_secs()))??;
    if status != StatusCode::OK {
        bail!("{url} answered {status}: {body}");
    }
    writeln!(std::io::stdout(), "{body}")?;
    Ok(ExitCode::SUCCESS)
}

/// The status and the body of `GET /health` at the server that `url` names.
async fn request_health(url: &str) -> anyhow::Result<(StatusCode, String)> {
    let uri: Uri = url.parse().with_context(|| format!("{url:?} is no address such as http://127.0.0.1:41242"))?;
    if uri.scheme_str() != Some("http") {
        bail!("{url:?} must begin with http://: a server is asked on its own machine, where it speaks plain HTTP");
    }
    let host = uri.host().unwrap_or_default();
    let port = uri.port_u16().unwrap_or(80);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((bare, port)).await.with_context(|| format!("nobody answers at {host}:{port}"))?;
    let (mut send, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let request = Request::get("/health").header(HOST, format!("{host}:{port}")).body(Empty::<Bytes>::new())?;
    let exchange = async {
        let response = send.send_request(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MOST_READ).collect().await.map_err(anyhow::Error::from_boxed)?;
        Ok((status, String::from_utf8_lossy(&body.to_bytes()).into_owned()))
    };
    tokio::select! {
        answer = exchange => answer,
        Err(error) = connection => Err(error.into()),
    }
}
