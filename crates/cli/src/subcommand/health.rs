//! `pollux health`: whether a server answers, for containers that have neither a shell nor curl. Exit code 0: it does;
//! 1: it does not; 2: what was given names no server.

use crate::flags::{BasicFlags, DebugFlags};
use crate::program_environment::ProgramEnvironment;
use crate::server_address::server_url;
use crate::settings::UsageError;
use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use http_body_util::{BodyExt, Limited};
use reqwest::header::HOST;
use reqwest::{Body, Client, StatusCode, Url, redirect};
use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::timeout;

/// The time limit of a server.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most that is read of an answer.
const MOST_READ: usize = 64 * 1024;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux health                            check the server on this machine
  pollux health 8080                       check the server on port 8080";

/// Which server is asked.
#[derive(Debug, Args)]
pub(crate) struct HealthFlags {
    /// The server: a port on this machine, HOST:PORT, or a URL such as http://127.0.0.1:41242 [default: the port that
    /// `pollux serve` would use]
    #[arg(value_name = "PORT|URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

impl HealthFlags {
    /// Ask the server, and print the answer.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let global_settings = environment.settings(BasicFlags::from(self.debug))?;
        let own = || format!("http://127.0.0.1:{}", global_settings.config.preferences.port);
        let url = self.url.unwrap_or_else(own);
        let answer = timeout(TIMEOUT, request_health(&url)).await;
        let (status, body) =
            answer.with_context(|| format!("{url} did not answer within {} seconds", TIMEOUT.as_secs()))??;
        if status != StatusCode::OK {
            bail!("{url} answered {status}: {body}");
        }
        writeln!(std::io::stdout(), "{body}")?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The status and the body of `GET /health` at the server that `url` names.
async fn request_health(url: &str) -> anyhow::Result<(StatusCode, String)> {
    let parsed = server_url(url).and_then(|url| Url::parse(&url).ok()).ok_or_else(|| {
        UsageError(format!(
            "{url:?} names no server: give a port, HOST:PORT or an address such as http://127.0.0.1:41242"
        ))
    })?;
    if parsed.scheme() != "http" {
        let why = "`pollux health` checks a server on its own machine, which speaks plain HTTP";
        return Err(UsageError(format!("{url:?} must begin with http://: {why}")).into());
    }
    let server = format!("{}:{}", parsed.host_str().unwrap_or_default(), parsed.port().unwrap_or(80));
    let request = client()?.get(format!("http://{server}/health")).header(HOST, &server);
    let response = request.send().await.map_err(|error| match error.is_connect() {
        true => anyhow!(
            "no server answers at {server}: {}. Start one with `pollux serve`, or give its port",
            first_cause(&error)
        ),
        false => anyhow!(first_cause(&error)),
    })?;
    let status = response.status();
    let body = Limited::new(Body::from(response), MOST_READ).collect().await.map_err(anyhow::Error::from_boxed)?;
    Ok((status, String::from_utf8_lossy(&body.to_bytes()).into_owned()))
}

/// Talks plain HTTP to the machine that is named, and to none that a proxy or a redirect would lead to.
fn client() -> reqwest::Result<Client> {
    // Nothing is encrypted, but a client is not made without somebody who could. Where one is installed already, that is
    // an error and does no harm.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // An empty root has no certificates to load.
    Client::builder().no_proxy().redirect(redirect::Policy::none()).no_gzip().http1_only().tls_certs_only([]).build()
}

/// The root cause.
fn first_cause(error: &reqwest::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}
