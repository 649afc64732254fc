//! The surroundings of a terminal at a session of another process: its own editor and prompts, and the link.

use super::export_file::write_export;
use super::prompt_history_file::PromptHistoryFile;
use super::screen_preferences::ScreenPreferences;
use super::{edit_text, write_new_file};
use crate::endpoint_control::rights;
use crate::settings::GlobalSettings;
use crate::user_directories::UserDirectories;
use pollux_remote::{DisconnectReason, RemoteSeat, SeatError, SeatLinkState};
use pollux_session::{BoxFuture, ConnectedClient, Who};
use pollux_tui::{ClientRow, EndpointAccess, EndpointState, ScreenEnvironment};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use tokio::sync::watch;
use tokio::time::{Duration, sleep};

#[cfg(test)]
mod tests;

/// The interval at which the session is asked for its clients. A seat is told of entries and of nothing else.
const COUNT_INTERVAL: Duration = Duration::from_secs(2);

/// The surroundings of a terminal that has joined.
pub(crate) struct AttachedEnvironment {
    person: UserDirectories,
    data_dir: PathBuf,
    history: PromptHistoryFile,
    seat: Arc<RemoteSeat>,
    link: watch::Receiver<SeatLinkState>,
    host: String,
    /// The number of clients when the session was asked last.
    clients: watch::Receiver<usize>,
}

impl AttachedEnvironment {
    pub(crate) fn new(global_settings: &GlobalSettings, seat: &Arc<RemoteSeat>, host: &str) -> AttachedEnvironment {
        let (history, link) = (PromptHistoryFile::in_dir(&global_settings.data_dir), seat.link());
        let (counted, clients) = watch::channel(0);
        tokio::spawn(count_clients(Arc::downgrade(seat), counted));
        AttachedEnvironment {
            person: global_settings.user_directories.clone(),
            data_dir: global_settings.data_dir.clone(),
            history,
            seat: Arc::clone(seat),
            link,
            host: host.to_owned(),
            clients,
        }
    }

    /// Prompts of earlier sessions, oldest first.
    pub(crate) fn earlier_prompts(&self) -> Vec<String> {
        self.history.read()
    }
}

impl ScreenEnvironment for AttachedEnvironment {
    fn edit(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move { edit_text(&name, &text).await })
    }

    fn remember_prompt(&self, prompt: &str) {
        self.history.add(prompt);
    }

    fn save_preferences(&self, theme: &str, vim: bool) -> Result<(), String> {
        ScreenPreferences { theme: Some(theme.to_owned()), vim }.save(&self.person)
    }

    /// Where this terminal is, not where the session is.
    fn write_file(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move {
            let here =
                std::env::current_dir().map_err(|error| format!("there is no directory to write to: {error}"))?;
            write_new_file(here.join(PathBuf::from(name)), &text).await
        })
    }

    fn write_export(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move { write_export(&self.data_dir, &name, &text).await })
    }

    fn client_count(&self) -> usize {
        *self.clients.borrow()
    }

    fn clients(&self) -> BoxFuture<'_, Result<Vec<ClientRow>, String>> {
        Box::pin(async { self.seat.clients().await.map(client_rows).map_err(|error| error.to_string()) })
    }

    fn remove_client(&self, client: u64) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { self.seat.remove(client).await.map_err(|error| error.to_string()) })
    }

    /// Others would connect as this terminal did.
    fn endpoint(&self) -> Option<EndpointAccess> {
        let (url, ws) = (format!("http://{}/", self.host), format!("ws://{}/ws", self.host));
        let attach = format!("pollux attach http://{}", self.host);
        Some(EndpointAccess { url, ws, token: None, attach, state: EndpointState::OpenElsewhere })
    }

    fn connection_problem(&self) -> Option<String> {
        trouble(&self.link.borrow(), &self.host)
    }
}

/// The problem of a connection to `host`, in a sentence. The cause comes first: on a narrow screen the end may be cut.
fn trouble(link: &SeatLinkState, host: &str) -> Option<String> {
    match link {
        SeatLinkState::Up => None,
        SeatLinkState::Down { reason: DisconnectReason::Goodbye, .. } => Some(
            "sharing was closed where the session runs; waiting a minute for it to be opened again, Ctrl+D leaves"
                .to_owned(),
        ),
        SeatLinkState::Down { reason: DisconnectReason::Lost, why, .. } => {
            Some(format!("not connected: {why}; trying again, nothing typed is lost, Ctrl+D leaves"))
        }
        SeatLinkState::Ended(why) => Some(describe_link_end(host, why)),
    }
}

/// Why a terminal is no longer at the session of `host`.
pub(crate) fn describe_link_end(host: &str, why: &str) -> String {
    if why == SeatError::Closed.to_string() {
        return format!("sharing was closed where the session runs, and {host} was not opened again within a minute");
    }
    format!("the session at {host} is over for this terminal: {why}")
}

/// Keep count of the clients until nobody wants to know. While the connection is cut, the question waits for the next one.
async fn count_clients(seat: Weak<RemoteSeat>, counted: watch::Sender<usize>) {
    while let Some(seat) = seat.upgrade() {
        // A server that does not say leaves the number as it was; what is wrong with the link is said elsewhere.
        if let Ok(clients) = seat.clients().await {
            counted.send_replace(clients.len());
        }
        drop(seat);
        tokio::select! {
            () = counted.closed() => return,
            () = sleep(COUNT_INTERVAL) => {}
        }
    }
}

fn client_rows(guests: Vec<ConnectedClient>) -> Vec<ClientRow> {
    let row = |guest: ConnectedClient| {
        let ConnectedClient { id, who, how, since } = guest;
        let who = Who::from(who);
        ClientRow { id, how, rights: rights(&who), label: who.label, principal: who.principal, since }
    };
    guests.into_iter().map(row).collect()
}
