use super::*;
use pollux_session::{Owner, Rights};
use pretty_assertions::assert_eq;
use std::io::{self, Write};

/// Keeps what is logged.
#[derive(Clone, Default)]
struct LoggedLines(Arc<Mutex<Vec<u8>>>);

impl Write for LoggedLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn client(id: u64) -> PresentClient {
    let (owner, label) = (Owner("me".into()), "client".to_owned());
    let who = Who { owner, principal: "me".into(), label, rights: Rights::all() };
    PresentClient {
        id,
        session: SessionId(uuid::Uuid::nil()),
        who,
        connection: ConnectionKind::WebSocket,
        since: UnixMillis(0),
    }
}

#[test]
fn a_full_list_is_said_once_until_there_is_room_again() {
    let (lines, presence) = (LoggedLines::default(), Presence::default());
    let kept = lines.clone();
    let logging = tracing_subscriber::fmt().with_ansi(false).without_time().with_writer(move || kept.clone()).finish();
    tracing::subscriber::with_default(logging, || {
        let mut attending: Vec<_> = (0..MAX_CLIENTS as u64 + 100).map(|id| presence.list_client(client(id))).collect();
        // One goes, another comes: it is still full.
        attending.remove(0);
        attending.push(presence.list_client(client(u64::MAX - 1)));
        attending.push(presence.list_client(client(u64::MAX)));
        assert_eq!(presence.list(SessionId(uuid::Uuid::nil())).len(), MAX_CLIENTS);
        drop(attending);
        let _again: Vec<_> = (0..=MAX_CLIENTS as u64).map(|id| presence.list_client(client(id))).collect();
    });
    let said = String::from_utf8(lines.0.lock().clone()).unwrap();
    let said: Vec<&str> = said.lines().map(|line| line.split("[A2AService] ").nth(1).unwrap_or(line)).collect();
    assert_eq!(said, ["Client list is full (8192); further clients are connected but not shown."; 2]);
}
