//! The page behind a request, as browsers name it: `Origin` and `Sec-Fetch-Site`.

use super::denial::GateDenial;
use super::hosts::AllowedHosts;
use axum::http::HeaderMap;
use axum::http::header::ORIGIN;

/// Set by browsers only. Node sends `sec-fetch-mode` without it, so the mode says nothing.
const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// The `Origin` values a listener accepts, compared byte for byte. `null`, the origin of files and sandboxed frames,
/// cannot be listed.
pub(super) struct AllowedOrigins(Vec<String>);

impl AllowedOrigins {
    /// The server's own page, and what was configured.
    pub(super) fn new(hosts: &AllowedHosts, configured: Vec<String>) -> AllowedOrigins {
        let own = hosts.own().iter().map(|host| format!("http://{host}"));
        AllowedOrigins(own.chain(configured).filter(|origin| origin != "null").collect())
    }

    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), GateDenial> {
        let listed = |value: &[u8]| self.0.iter().any(|origin| origin.as_bytes() == value);
        let mut origins = headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => {}
            (Some(origin), None) if listed(origin.as_bytes()) => {}
            (Some(_), _) => return Err(GateDenial::Origin),
        }
        let sites = headers.get_all(SEC_FETCH_SITE);
        if sites.iter().all(|site| site == "same-origin" || site == "none") {
            Ok(())
        } else {
            Err(GateDenial::CrossSite)
        }
    }
}

/// True if a page, and not a program, sent this.
pub(super) fn sent_by_page(headers: &HeaderMap) -> bool {
    headers.contains_key(ORIGIN) || headers.contains_key(SEC_FETCH_SITE)
}
