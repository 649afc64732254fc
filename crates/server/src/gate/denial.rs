//! The gate's answer when it says no: a status, a code for programs and one sentence for people.

use crate::errors::RequestError;
use crate::listen::SECURITY_HEADERS;
use axum::body::Body;
use axum::http::header::{ACCEPT_ENCODING, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use pollux_wire::jsonrpc;
use serde_json::json;

/// Why a request does not get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateDenial {
    /// The head is not strict HTTP/1.1.
    #[error("{0}")]
    Malformed(MalformedHead),
    /// Not HTTP/1.1.
    #[error("this listener speaks http/1.1 only")]
    Version,
    /// A `Host` that is not this server's: the mark of a page whose name was pointed at this address.
    #[error("this host is not served here: use 127.0.0.1, localhost or [::1] with the server's port")]
    Host,
    /// An `Origin` that is not listed.
    #[error("pages of this origin may not talk to this server; use a program, or a page that this server serves")]
    Origin,
    /// `Sec-Fetch-Site` says that another site's page caused the request.
    #[error("requests caused by another site are refused: open the server's own page")]
    CrossSite,
    /// A body that is not declared as JSON.
    #[error("the body must be json: send content-type application/json or application/a2a+json")]
    ContentType,
    /// [`GateDenial::ContentType`] where JSON-RPC is spoken, in its words.
    #[error("incompatible content type: the body must be json; send content-type application/json")]
    RpcContentType,
    /// A POST without a body where one is needed.
    #[error("this request needs a json body")]
    BodyMissing,
    /// [`GateDenial::BodyMissing`] where JSON-RPC is spoken, in its words.
    #[error("the body is not valid JSON: it is empty; send a request")]
    RpcBodyMissing,
    /// Nobody the gate knows.
    #[error("{0}")]
    Unauthenticated(AuthenticationFailure),
    /// Wrong tokens without end.
    #[error(
        "too many wrong tokens: try again in {seconds} seconds, with the token of the server's discovery or token file"
    )]
    TooManyAttempts { seconds: u32 },
    /// A body in an encoding that is not read.
    #[error("the body is encoded: send it as it is, without content-encoding")]
    ContentEncoding,
    /// A process that this one started.
    #[error(
        "this connection belongs to a process that a session started (a command, a tool or an MCP server); such a process \
         may not use a session's endpoint, with or without the token: run the client from another terminal"
    )]
    Descendant,
    /// This process itself, as a client.
    #[error(
        "this server opened this connection itself, for a remote agent, an MCP server or a web page; it never serves itself: \
         use the address of another server"
    )]
    OwnConnection,
    /// A process that cannot be told from one that this one started.
    #[error(
        "cannot tell which process holds this connection, and it may be one that the session itself started: keep the \
         connection open until the answer has come, and connect from a process whose descriptors this server can read (a \
         tunnel of ssh -L is none), or as another user with the token; if a command has so many processes or open files that \
         the search for the process takes too long, end that command in the session's terminal"
    )]
    Unidentified,
    /// A body beyond the limit.
    #[error("the body is larger than the {limit} bytes this server accepts")]
    BodyTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// A body that stopped arriving.
    #[error("the body arrived too slowly: send it again over a faster connection")]
    BodyStalled,
    /// Every connection is taken.
    #[error("all connections of this server are in use: try again in a second")]
    Busy,
}

/// The fault of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedHead {
    /// No `Host`, or several.
    #[error("exactly one host header is required")]
    Host,
    /// An absolute target that names another authority than `Host`.
    #[error("the request target and the host header name different servers")]
    Authority,
    /// CONNECT or TRACE.
    #[error("this server is no proxy: connect and trace are refused")]
    Method,
    /// Two statements of the body's length, which two readers may resolve differently.
    #[error("content-length and transfer-encoding may not be sent together")]
    Length,
    /// A line that ends without a carriage return.
    #[error("header lines must end in crlf")]
    LineEnd,
}

/// Why nobody the gate knows sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthenticationFailure {
    /// No token, and not a process of this server's user.
    #[error("send the server's token as authorization: bearer, or connect as the user who runs it")]
    NoToken,
    /// No token where nothing else counts.
    #[error(
        "only the server's token counts here, whoever connects: send it as authorization: bearer; it is in the server's \
         token or discovery file"
    )]
    TokenRequired,
    /// A token that is not this server's.
    #[error("this is not the server's token: read it again from the server's discovery or token file")]
    WrongToken,
    /// A page in a browser, without the token.
    #[error("a browser needs the server's token: open the link that the server's terminal prints")]
    Browser,
}

impl GateDenial {
    /// The HTTP status it is answered with.
    pub fn status(self) -> StatusCode {
        match self {
            GateDenial::Malformed(_) | GateDenial::BodyMissing | GateDenial::RpcBodyMissing => StatusCode::BAD_REQUEST,
            GateDenial::Version => StatusCode::HTTP_VERSION_NOT_SUPPORTED,
            GateDenial::Host => StatusCode::MISDIRECTED_REQUEST,
            GateDenial::Origin
            | GateDenial::CrossSite
            | GateDenial::Descendant
            | GateDenial::OwnConnection
            | GateDenial::Unidentified => StatusCode::FORBIDDEN,
            GateDenial::ContentType | GateDenial::RpcContentType | GateDenial::ContentEncoding => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            GateDenial::TooManyAttempts { .. } => StatusCode::TOO_MANY_REQUESTS,
            GateDenial::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            GateDenial::BodyTooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            GateDenial::BodyStalled => StatusCode::REQUEST_TIMEOUT,
            GateDenial::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The word a program can match on.
    pub fn code(self) -> &'static str {
        match self {
            GateDenial::Malformed(_) => "malformed_request",
            GateDenial::Version => "http_version",
            GateDenial::Host => "host_not_served",
            GateDenial::Origin => "origin_not_allowed",
            GateDenial::CrossSite => "cross_site",
            GateDenial::ContentType | GateDenial::RpcContentType => "content_type",
            GateDenial::BodyMissing | GateDenial::RpcBodyMissing => "body_missing",
            GateDenial::Unauthenticated(_) => "unauthenticated",
            GateDenial::TooManyAttempts { .. } => "too_many_attempts",
            GateDenial::ContentEncoding => "content_encoding",
            GateDenial::Descendant => "own_descendant",
            GateDenial::OwnConnection => "own_connection",
            GateDenial::Unidentified => "unidentified_process",
            GateDenial::BodyTooLarge { .. } => "body_too_large",
            GateDenial::BodyStalled => "body_stalled",
            GateDenial::Busy => "busy",
        }
    }

    /// The JSON body: `{"error": {"code", "message"}}`, or a JSON-RPC error where that is spoken.
    pub fn body(self) -> String {
        let fault = |code| RequestError::new(code, self.to_string());
        let error = match self {
            GateDenial::RpcContentType => fault(jsonrpc::CONTENT_TYPE_NOT_SUPPORTED).unread_object(),
            GateDenial::RpcBodyMissing => fault(jsonrpc::PARSE_ERROR).into_error_object(),
            _ => return json!({"error": {"code": self.code(), "message": self.to_string()}}).to_string(),
        };
        json!({"jsonrpc": jsonrpc::VERSION, "id": null, "error": error}).to_string()
    }

    /// The headers that belong to it. A denied connection is closed: its next bytes may be an unread body.
    pub(crate) fn headers(self) -> Vec<(HeaderName, HeaderValue)> {
        let mut headers = vec![
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (CONNECTION, HeaderValue::from_static("close")),
        ];
        headers.extend(SECURITY_HEADERS);
        match self {
            GateDenial::Unauthenticated(AuthenticationFailure::WrongToken) => {
                let challenge = HeaderValue::from_static(r#"Bearer realm="pollux", error="invalid_token""#);
                headers.push((WWW_AUTHENTICATE, challenge));
            }
            GateDenial::Unauthenticated(
                AuthenticationFailure::NoToken | AuthenticationFailure::TokenRequired | AuthenticationFailure::Browser,
            ) => {
                headers.push((WWW_AUTHENTICATE, HeaderValue::from_static(r#"Bearer realm="pollux""#)));
            }
            GateDenial::Busy => headers.push((RETRY_AFTER, HeaderValue::from_static("1"))),
            GateDenial::TooManyAttempts { seconds } => headers.push((RETRY_AFTER, HeaderValue::from(seconds))),
            GateDenial::ContentEncoding => headers.push((ACCEPT_ENCODING, HeaderValue::from_static("identity"))),
            GateDenial::Malformed(_)
            | GateDenial::Version
            | GateDenial::Host
            | GateDenial::Origin
            | GateDenial::CrossSite
            | GateDenial::Descendant
            | GateDenial::OwnConnection
            | GateDenial::Unidentified
            | GateDenial::ContentType
            | GateDenial::RpcContentType
            | GateDenial::BodyMissing
            | GateDenial::RpcBodyMissing
            | GateDenial::BodyTooLarge { .. }
            | GateDenial::BodyStalled => {}
        }
        headers
    }
}

impl IntoResponse for GateDenial {
    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body()));
        *response.status_mut() = self.status();
        response.headers_mut().extend(self.headers());
        response
    }
}
