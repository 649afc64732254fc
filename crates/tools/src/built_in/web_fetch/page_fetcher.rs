//! Fetches one page: every name is resolved by us, every address it leads to is vetted, and only those are used.

use super::address::is_allowed;
use super::page;
use super::vetted_url::VettedUrl;
use crate::toolbox_settings::FetchReach;
use futures_util::StreamExt;
use pollux_session::describe_error_chain;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Response, redirect};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::timeout;

/// The time limit of connecting.
const CONNECT: Duration = Duration::from_secs(5);
/// The time limit of one page, redirects and all.
const TOTAL: Duration = Duration::from_secs(20);
/// The most bytes that are read of a page.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most redirects.
const MAX_HOPS: usize = 5;
/// The `Accept` header of requests for pages.
const WANTED: &str = "text/html, application/xhtml+xml, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1";

/// Fetches pages within its reach.
pub(super) struct PageFetcher {
    /// Made when it is first needed: reading the system's certificates takes time, and most sessions fetch nothing.
    http: OnceLock<Result<reqwest::Client, String>>,
    reach: FetchReach,
}

impl PageFetcher {
    pub(super) fn new(reach: FetchReach) -> PageFetcher {
        PageFetcher { http: OnceLock::new(), reach }
    }

    fn http(&self) -> Result<&reqwest::Client, String> {
        let http = self.http.get_or_init(|| self.connect());
        http.as_ref().map_err(|error| format!("fetching does not work here: {error}"))
    }

    fn connect(&self) -> Result<reqwest::Client, String> {
        // An error means that one is installed already, which is what is wanted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .user_agent(concat!("pollux/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .timeout(TOTAL)
            // A proxy would resolve names by itself, out of our sight.
            .no_proxy()
            .redirect(redirect::Policy::none())
            .dns_resolver(Arc::new(FetchResolver { reach: self.reach }))
            .build();
        http.map_err(|error| describe_error_chain(&error))
    }

    /// Check that the host of `link` is within reach: every address its name leads to must be.
    pub(super) async fn vet(&self, link: &VettedUrl) -> Result<(), String> {
        let host = link.host().trim_start_matches('[').trim_end_matches(']');
        if host.parse::<IpAddr>().is_ok() {
            // An address that is written out was vetted when the link was made.
            return Ok(());
        }
        let found = timeout(CONNECT, resolve(host, self.reach)).await;
        found.map_err(|_| format!("`{host}` is not found in time"))?.map(drop).map_err(|error| error.to_string())
    }

    /// The text of the page at `link`; an error is a sentence for the model.
    pub(super) async fn fetch(&self, link: &VettedUrl) -> Result<String, String> {
        match timeout(TOTAL, self.follow(link)).await {
            Ok(fetched) => fetched,
            Err(_) => Err(format!("{} took longer than {} seconds", link.url, TOTAL.as_secs())),
        }
    }

    async fn follow(&self, first: &VettedUrl) -> Result<String, String> {
        let http = self.http()?;
        let mut link = first.clone();
        for _ in 0..=MAX_HOPS {
            let request = http.get(link.url.clone()).header(ACCEPT, WANTED);
            let response = request.send().await;
            let response =
                response.map_err(|error| format!("{}: {}", link.host(), describe_error_chain(&error.without_url())))?;
            if response.status().is_redirection() {
                link = self.next(&link, &response)?;
                continue;
            }
            if !response.status().is_success() {
                return Err(format!("{} answered {}", link.url, response.status()));
            }
            return read(&link, response).await;
        }
        Err(format!("{} sends on more than {MAX_HOPS} times", first.url))
    }

    /// Where a redirect leads, if that is within what the person was shown.
    fn next(&self, link: &VettedUrl, response: &Response) -> Result<VettedUrl, String> {
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let location = location.ok_or_else(|| format!("{} sends on to nowhere", link.url))?;
        let url = link.url.join(location).map_err(|_| format!("{} sends on to no address", link.url))?;
        let next = VettedUrl::vet(url, self.reach)?;
        if link.same_site(&next) {
            return Ok(next);
        }
        Err(format!("{} sends on to another site; if that is what you want, fetch {}", link.url, next.url))
    }
}

async fn read(link: &VettedUrl, response: Response) -> Result<String, String> {
    let media = response.headers().get(CONTENT_TYPE).and_then(|media| media.to_str().ok());
    let media = media.unwrap_or("text/plain").to_ascii_lowercase();
    let form = page::page_format(&media).ok_or_else(|| format!("{} is {media}, not text", link.url))?;
    let mut bytes = Vec::new();
    let mut pieces = response.bytes_stream();
    let mut whole = true;
    while let Some(piece) = pieces.next().await {
        let piece =
            piece.map_err(|error| format!("{}: {}", link.host(), describe_error_chain(&error.without_url())))?;
        let room = MAX_BYTES - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            whole = false;
            break;
        }
    }
    let mut text = page::page_text(form, &bytes);
    if !whole {
        text.push_str(&format!("\n[Only the first {MAX_BYTES} bytes of the page were read.]"));
    }
    Ok(text)
}

/// Resolves names and refuses those of which any address is not allowed: what is returned is what is connected to.
struct FetchResolver {
    reach: FetchReach,
}

impl Resolve for FetchResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        Box::pin(async move {
            let found = resolve(name.as_str(), reach).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// The addresses of `name`, if all of them are within `reach`.
async fn resolve(name: &str, reach: FetchReach) -> io::Result<Vec<SocketAddr>> {
    let found: Vec<SocketAddr> = tokio::net::lookup_host((name, 0)).await?.collect();
    if found.is_empty() || found.iter().any(|address| !is_allowed(address.ip(), reach)) {
        return Err(io::Error::other(format!("`{name}` leads to an address that is not on the public internet")));
    }
    Ok(found)
}
