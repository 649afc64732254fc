//! Addresses a model names, vetted before anything is asked or sent.

use super::address::is_allowed;
use crate::error::ToolError;
use crate::toolbox_settings::FetchReach;
use reqwest::Url;
use std::net::IpAddr;

#[cfg(test)]
mod tests;

/// The most addresses in one call.
const MAX_LINKS: usize = 20;

/// An address that may be fetched, as far as it can be told without asking for its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VettedUrl {
    pub(super) url: Url,
}

impl VettedUrl {
    /// The address `text`; an error is a sentence for the model.
    pub(super) fn parse(text: &str, reach: FetchReach) -> Result<VettedUrl, String> {
        let url = Url::parse(text).map_err(|error| format!("`{text}` is not an address: {error}"))?;
        let written = text.to_ascii_lowercase();
        VettedUrl::vet(url, reach).and_then(|link| match link.url.host_str() {
            // `http://2130706433/` is 127.0.0.1 in disguise, and nobody writes a public address like that.
            Some(host) if host.parse::<IpAddr>().is_ok() && !written.contains(host) => {
                Err(format!("`{text}` writes its network address in an unusual way; write it plainly"))
            }
            _ => Ok(link),
        })
    }

    /// The address `url` if it may be fetched.
    pub(super) fn vet(mut url: Url, reach: FetchReach) -> Result<VettedUrl, String> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{url}` is neither http nor https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(format!("`{}` holds a name or a password; leave them out", url.host_str().unwrap_or_default()));
        }
        let host = url.host_str().ok_or_else(|| format!("`{url}` names no host"))?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let refused = match bare.parse::<IpAddr>() {
            Ok(address) => !is_allowed(address, reach),
            Err(_) => is_local_name(bare) && reach == FetchReach::Public,
        };
        if refused {
            return Err(format!("`{host}` is not on the public internet, so it is not fetched"));
        }
        // Ports below 1024 belong to services that do not speak HTTP, and must not be made to hear it.
        if let Some(port) = url.port()
            && port < 1024
            && !matches!(port, 80 | 443)
        {
            return Err(format!("port {port} of `{host}` is not one for web pages"));
        }
        url.set_fragment(None);
        Ok(VettedUrl { url: to_raw_url(url) })
    }

    pub(super) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// True if `other` is the same site, so that being sent there is no surprise.
    pub(super) fn same_site(&self, other: &VettedUrl) -> bool {
        let bare = |link: &VettedUrl| link.host().trim_start_matches("www.").to_owned();
        // From https to http the way is open to everybody who listens.
        bare(self) == bare(other) && (self.url.scheme() == "http" || other.url.scheme() == "https")
    }
}

/// The addresses in a text, each once, in order. Every one must be allowed.
pub(super) fn find_urls(text: &str, reach: FetchReach) -> Result<Vec<VettedUrl>, ToolError> {
    let mut links: Vec<VettedUrl> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`')) {
        let Some(at) = word.find("://") else { continue };
        let scheme = word[..at].rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |before| before + 1);
        // What ends a sentence is not part of an address.
        let word = word[scheme..].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'']);
        let link = VettedUrl::parse(word, reach).map_err(ToolError::BadArguments)?;
        if !links.contains(&link) {
            links.push(link);
        }
    }
    if links.is_empty() {
        let message = "argument `prompt`: it names no address; write at least one that begins with https://";
        return Err(ToolError::failed("web_fetch_no_url_in_prompt", message));
    }
    if links.len() > MAX_LINKS {
        let message = format!("argument `prompt`: {} addresses are too many; {MAX_LINKS} is the limit", links.len());
        return Err(ToolError::BadArguments(message));
    }
    Ok(links)
}

/// Names that mean this machine or this network.
fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    !host.contains('.')
        || [".localhost", ".local", ".internal", ".lan", ".home.arpa"].iter().any(|end| host.ends_with(end))
}

/// A file on GitHub is fetched as it is, not as the page around it.
fn to_raw_url(url: Url) -> Url {
    let parts: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    match (url.host_str(), parts.as_slice()) {
        (Some("github.com"), [owner, repository, "blob", rest @ ..]) if !rest.is_empty() => {
            let raw = format!("https://raw.githubusercontent.com/{owner}/{repository}/{}", rest.join("/"));
            Url::parse(&raw).unwrap_or(url)
        }
        _ => url,
    }
}
