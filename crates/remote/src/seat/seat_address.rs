//! Where a session is, and the token that opens its door.

use super::error::SeatError;
use crate::agent_address::{host_of, is_loopback};
use pollux_session::{SecretText, SessionId};
use reqwest::Url;
use reqwest::header::HeaderValue;
use std::sync::Arc;

/// Where a session can be joined. It cannot be printed: it may hold a token.
#[derive(Clone)]
pub struct SeatAddress {
    url: Url,
    token: SeatToken,
    name: String,
}

/// The token of a seat.
#[derive(Clone)]
enum SeatToken {
    /// Being the same person on the same machine.
    Nothing,
    Given(HeaderValue),
    /// Looked up for each connection: a server that was started again may have another one.
    LookedUp(Arc<dyn Fn() -> Option<SecretText> + Send + Sync>),
}

impl SeatAddress {
    /// The session at `url`: `http://127.0.0.1:PORT` or `ws://…`, with `?taskId=` where there are several, and with the
    /// token in the fragment (`#token=…`) where one is needed. The client calls itself `name`.
    pub fn new(url: &str, name: &str) -> Result<SeatAddress, SeatError> {
        // What comes after the # may be a token, and errors are printed.
        let shown = url.split('#').next().unwrap_or_default();
        let no_address = || SeatError::Address(shown.to_owned());
        let mut url = Url::parse(url).map_err(|_| no_address())?;
        if !matches!(url.scheme(), "http" | "https" | "ws" | "wss") || url.host_str().is_none() {
            return Err(no_address());
        }
        // A secret in an address ends up in logs.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(no_address());
        }
        if matches!(url.scheme(), "https" | "wss") {
            return Err(SeatError::Tls { host: host_of(&url) });
        }
        let token = url.fragment().and_then(|fragment| fragment.strip_prefix("token=")).map(SecretText::new);
        url.set_fragment(None);
        url.set_path("/ws");
        url.set_scheme("ws").map_err(|()| no_address())?;
        let address = SeatAddress { url, token: SeatToken::Nothing, name: name.to_owned() };
        match token {
            Some(token) => address.with_token(&token),
            None => Ok(address),
        }
    }

    /// The address with `token`. It is sent in plain text only to this machine itself.
    pub fn with_token(self, token: &SecretText) -> Result<SeatAddress, SeatError> {
        self.check_plain_text()?;
        Ok(SeatAddress { token: SeatToken::Given(header(token)?), ..self })
    }

    /// The address with whatever token `look` finds when a connection is made.
    pub fn with_token_from(
        self,
        look: impl Fn() -> Option<SecretText> + Send + Sync + 'static,
    ) -> Result<SeatAddress, SeatError> {
        self.check_plain_text()?;
        Ok(SeatAddress { token: SeatToken::LookedUp(Arc::new(look)), ..self })
    }

    fn check_plain_text(&self) -> Result<(), SeatError> {
        if is_loopback(&self.url) { Ok(()) } else { Err(SeatError::PlainText { host: self.host() }) }
    }

    /// The address of one session of several.
    pub fn at_session(mut self, session: SessionId) -> SeatAddress {
        self.url.query_pairs_mut().clear().append_pair("taskId", &session.to_string());
        self
    }

    /// True if it is one session of several.
    pub fn names_session(&self) -> bool {
        self.url.query_pairs().any(|(name, _)| name == "taskId")
    }

    /// True if it holds a token.
    pub fn has_token(&self) -> bool {
        !matches!(self.token, SeatToken::Nothing)
    }

    /// The host and port, for people.
    pub fn host(&self) -> String {
        host_of(&self.url)
    }

    pub(super) fn url(&self) -> &str {
        self.url.as_str()
    }

    pub(super) fn token(&self) -> Result<Option<HeaderValue>, SeatError> {
        match &self.token {
            SeatToken::Nothing => Ok(None),
            SeatToken::Given(value) => Ok(Some(value.clone())),
            SeatToken::LookedUp(look) => look().as_ref().map(header).transpose(),
        }
    }

    /// True if it is on this machine itself.
    pub fn is_here(&self) -> bool {
        is_loopback(&self.url)
    }

    /// The port.
    pub fn port(&self) -> Option<u16> {
        self.url.port_or_known_default()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

fn header(token: &SecretText) -> Result<HeaderValue, SeatError> {
    let text = format!("Bearer {}", token.reveal().trim());
    let mut value = HeaderValue::try_from(text).map_err(|_| SeatError::Token)?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::{SeatAddress, SeatError};
    use pollux_session::SecretText;
    use pretty_assertions::assert_eq;

    fn read(url: &str) -> Result<(String, bool), SeatError> {
        SeatAddress::new(url, "t").map(|address| (address.url().to_owned(), address.has_token()))
    }

    #[test]
    fn addresses_are_read_in_every_usual_form() {
        let plain = |url: &str| Ok((url.to_owned(), false));
        assert_eq!(read("http://127.0.0.1:41243"), plain("ws://127.0.0.1:41243/ws"));
        assert_eq!(read("http://localhost:41243/"), plain("ws://localhost:41243/ws"));
        assert_eq!(read("ws://[::1]:9/ws?taskId=a"), plain("ws://[::1]:9/ws?taskId=a"));
        assert_eq!(read("http://127.0.0.1:9/#token=abc"), Ok(("ws://127.0.0.1:9/ws".to_owned(), true)));
    }

    #[test]
    fn what_is_no_address_is_refused_without_showing_a_token() {
        assert_eq!(read("127.0.0.1"), Err(SeatError::Address("127.0.0.1".into())));
        assert_eq!(read("ftp://x#token=abc"), Err(SeatError::Address("ftp://x".into())));
        assert_eq!(read("http://a:b@x/"), Err(SeatError::Address("http://a:b@x/".into())));
        assert_eq!(read("https://x:1"), Err(SeatError::Tls { host: "x:1".into() }));
        assert_eq!(read("http://x:1/#token=abc"), Err(SeatError::PlainText { host: "x:1".into() }));
        let odd = SeatAddress::new("http://127.0.0.1:1", "t").unwrap().with_token(&SecretText::new("a\u{1}b"));
        assert_eq!(odd.err(), Some(SeatError::Token));
    }
}
