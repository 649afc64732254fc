//! One connection: the handshake, the welcome, and frames in both directions.

use super::WAITING;
use super::error::SeatError;
use super::seat_address::SeatAddress;
use futures_util::SinkExt;
use futures_util::stream::{SplitStream, StreamExt};
use pollux_session::{SEAT_PROTOCOL, SeatMessage, SeatRequest, SeatWelcome, SessionId};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::{HeaderMap, HeaderValue, Response, StatusCode};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// The time limit of the handshake and the welcome.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The longest silence of a server; it pings three times as often.
const SILENCE: Duration = Duration::from_secs(60);

/// An open connection.
pub(super) struct SeatSocket {
    frames: SplitStream<WebSocketStream<MaybeTlsStream<TcpStream>>>,
    outbox: mpsc::Sender<String>,
    /// Writes while others read: a server that waits for us to read would otherwise wait for ever. Ends with the socket.
    _writer: JoinSet<()>,
    heard: Instant,
}

/// Why a connection is over.
pub(super) enum SeatDisconnect {
    /// It broke; another one may be had.
    Broken(String),
    /// The server said that it goes; it may come back.
    Goodbye(String),
    /// The server does not want this client.
    Unwanted(String),
}

/// Connect and read the welcome; with `session`, only to that one.
pub(super) async fn open(
    address: &SeatAddress,
    session: Option<SessionId>,
) -> Result<(SeatSocket, SeatWelcome), SeatError> {
    let host = address.host();
    let slow = || SeatError::Unreachable {
        host: address.host(),
        why: format!("no answer within {} seconds", HANDSHAKE.as_secs()),
    };
    let mut socket = timeout(HANDSHAKE, connect(address, session)).await.map_err(|_| slow())??;
    match timeout(HANDSHAKE, socket.next()).await.map_err(|_| slow())? {
        Ok(SeatMessage::Welcome(welcome)) => Ok((socket, welcome)),
        Ok(_) => Err(SeatError::Garbled { host, why: "it does not begin with a welcome".into() }),
        Err(SeatDisconnect::Broken(why) | SeatDisconnect::Goodbye(why)) => Err(SeatError::Unreachable { host, why }),
        Err(SeatDisconnect::Unwanted(why)) => Err(SeatError::Changed(why)),
    }
}

async fn connect(address: &SeatAddress, session: Option<SessionId>) -> Result<SeatSocket, SeatError> {
    let host = address.host();
    let address = match session {
        Some(session) => address.clone().at_session(session),
        None => address.clone(),
    };
    let no_address = |_| SeatError::Address(host.clone());
    let mut request = address.url().into_client_request().map_err(no_address)?;
    add_headers(request.headers_mut(), &address)?;
    match connect_async(request).await {
        Ok((stream, _)) => Ok(SeatSocket::over(stream)),
        // A 404 without our own words is somebody else's: the address may be wrong.
        Err(Error::Http(response))
            if response.status() == StatusCode::NOT_FOUND
                && address.names_session()
                && !refusal_text(&response).is_empty() =>
        {
            Err(SeatError::Gone)
        }
        Err(Error::Http(response)) => Err(denied_error(host, &response)),
        Err(Error::Protocol(ProtocolError::SecWebSocketSubProtocolError(_))) => Err(SeatError::NoSeats { host }),
        Err(Error::Io(error)) => Err(SeatError::Unreachable { host, why: error.to_string() }),
        Err(error) => Err(SeatError::Garbled { host, why: error.to_string() }),
    }
}

fn add_headers(headers: &mut HeaderMap, address: &SeatAddress) -> Result<(), SeatError> {
    headers.insert("Sec-WebSocket-Protocol", HeaderValue::from_static(SEAT_PROTOCOL));
    if let Ok(name) = HeaderValue::from_str(address.name()) {
        headers.insert("X-Client-Name", name);
    }
    if let Some(token) = address.token()? {
        headers.insert("Authorization", token);
    }
    Ok(())
}

/// The server's own sentence, where it says one.
fn denied_error(host: String, response: &Response<Option<Vec<u8>>>) -> SeatError {
    SeatError::Denied { host, status: response.status().as_u16(), said: refusal_text(response) }
}

/// The text of a refusal in Pollux's own form; nothing when it has another.
fn refusal_text(response: &Response<Option<Vec<u8>>>) -> String {
    let body = response.body().as_deref().and_then(|body| serde_json::from_slice::<serde_json::Value>(body).ok());
    let said = body.as_ref().and_then(|body| body["error"]["message"].as_str()).unwrap_or_default();
    said.chars().take(500).collect()
}

impl SeatSocket {
    fn over(stream: WebSocketStream<MaybeTlsStream<TcpStream>>) -> SeatSocket {
        let (mut sink, frames) = stream.split();
        let (outbox, mut waiting) = mpsc::channel::<String>(2 * WAITING);
        let mut writer = JoinSet::new();
        writer.spawn(async move {
            while let Some(frame) = waiting.recv().await {
                // The reader learns of it too, and says so.
                if sink.send(Message::text(frame)).await.is_err() {
                    return;
                }
            }
        });
        SeatSocket { frames, outbox, _writer: writer, heard: Instant::now() }
    }

    /// Send a request, as soon as the connection takes it.
    pub(super) fn ask(&self, ask: &SeatRequest) -> Result<(), SeatDisconnect> {
        let frame = serde_json::to_string(ask).map_err(|error| SeatDisconnect::Broken(error.to_string()))?;
        self.outbox.try_send(frame).map_err(|_| SeatDisconnect::Broken("the connection takes no more requests".into()))
    }

    /// The next frame. A call that is dropped loses nothing. Frames of a kind that this release does not know are passed over.
    pub(super) async fn next(&mut self) -> Result<SeatMessage, SeatDisconnect> {
        loop {
            let silent = |_| SeatDisconnect::Broken(format!("nothing was heard for {} seconds", SILENCE.as_secs()));
            let message = timeout_at(self.heard + SILENCE, self.frames.next()).await.map_err(silent)?;
            self.heard = Instant::now();
            match message {
                Some(Ok(Message::Text(text))) => match SeatMessage::parse(&text) {
                    Ok(tell) => return Ok(tell),
                    Err(error) => tracing::debug!("a frame of the session was passed over: {error}"),
                },
                Some(Ok(Message::Close(Some(close)))) if close.code == CloseCode::Policy => {
                    return Err(SeatDisconnect::Unwanted(close.reason.to_string()));
                }
                Some(Ok(Message::Close(Some(close)))) if close.code == CloseCode::Away => {
                    return Err(SeatDisconnect::Goodbye(close.reason.to_string()));
                }
                Some(Ok(Message::Close(Some(close)))) if !close.reason.is_empty() => {
                    return Err(SeatDisconnect::Broken(close.reason.to_string()));
                }
                Some(Ok(Message::Close(_))) | None => {
                    return Err(SeatDisconnect::Broken("the connection was closed".into()));
                }
                Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Err(error)) => return Err(SeatDisconnect::Broken(error.to_string())),
            }
        }
    }
}
