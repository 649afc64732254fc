//! What a terminal has around it that sits at a session of another process: its own editor and prompts, and the link.

use super::history::History;
use super::preferences::Preferred;
use super::{edited, written};
use crate::door::rights;
use crate::person::Person;
use crate::settings::Basics;
use pollux_remote::{Link, Parting, RemoteSeat};
use pollux_session::{Guest, Pending, Who};
use pollux_tui::{ClientRow, DoorInfo, DoorState, Surroundings};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use tokio::sync::watch;
use tokio::time::{Duration, sleep};

#[cfg(test)]
mod tests;

/// How often the session is asked who is there. A seat is told of entries and of nothing else.
const COUNTED: Duration = Duration::from_secs(2);

/// The surroundings of a terminal that has joined.
pub(crate) struct Joined {
    person: Person,
    history: History,
    seat: Arc<RemoteSeat>,
    link: watch::Receiver<Link>,
    host: String,
    /// How many clients there were when the session was asked last.
    clients: watch::Receiver<usize>,
}

impl Joined {
    pub(crate) fn new(basics: &Basics, seat: &Arc<RemoteSeat>, host: &str) -> Joined {
        let (history, link) = (History::in_dir(&basics.data_dir), seat.link());
        let (counted, clients) = watch::channel(0);
        tokio::spawn(count(Arc::downgrade(seat), counted));
        Joined { person: basics.person.clone(), history, seat: Arc::clone(seat), link, host: host.to_owned(), clients }
    }

    /// Prompts of earlier sessions, oldest first.
    pub(crate) fn earlier_prompts(&self) -> Vec<String> {
        self.history.read()
    }
}

impl Surroundings for Joined {
    fn edit(&self, name: String, text: String) -> Pending<'_, Result<String, String>> {
        Box::pin(async move { edited(&name, &text).await })
    }

    fn remember(&self, prompt: &str) {
        self.history.add(prompt);
    }

    fn prefer(&self, theme: &str, vim: bool) -> Result<(), String> {
        Preferred { theme: Some(theme.to_owned()), vim }.keep(&self.person)
    }

    /// Where this terminal is, not where the session is.
    fn write(&self, name: String, text: String) -> Pending<'_, Result<String, String>> {
        Box::pin(async move {
            let here =
                std::env::current_dir().map_err(|error| format!("there is no directory to write to: {error}"))?;
            written(here.join(PathBuf::from(name)), &text).await
        })
    }

    fn client_count(&self) -> usize {
        *self.clients.borrow()
    }

    fn clients(&self) -> Pending<'_, Result<Vec<ClientRow>, String>> {
        Box::pin(async { self.seat.clients().await.map(rows).map_err(|error| error.to_string()) })
    }

    fn remove(&self, client: u64) -> Pending<'_, Result<(), String>> {
        Box::pin(async move { self.seat.remove(client).await.map_err(|error| error.to_string()) })
    }

    /// How others would come in is how this terminal did.
    fn door(&self) -> Option<DoorInfo> {
        let (url, ws) = (format!("http://{}/", self.host), format!("ws://{}/ws", self.host));
        let attach = format!("pollux attach http://{}", self.host);
        Some(DoorInfo { url, ws, token: None, attach, state: DoorState::OpenElsewhere })
    }

    fn trouble(&self) -> Option<String> {
        trouble(&self.link.borrow(), &self.host)
    }
}

/// What is wrong with a connection to `host`, in a sentence. Why comes first: on a narrow screen the end may be cut.
fn trouble(link: &Link, host: &str) -> Option<String> {
    match link {
        Link::Up => None,
        Link::Down { parting: Parting::Goodbye, .. } => Some(
            "the session was closed where it runs; waiting a minute for it to be opened again, Ctrl+D leaves"
                .to_owned(),
        ),
        Link::Down { parting: Parting::Lost, why, .. } => {
            Some(format!("not connected: {why}; trying again, nothing typed is lost, Ctrl+D leaves"))
        }
        Link::Ended(why) => Some(format!("the session at {host} is over for this terminal: {why}")),
    }
}

/// Keep count of the clients until nobody wants to know. While the connection is cut, the question waits for the next one.
async fn count(seat: Weak<RemoteSeat>, counted: watch::Sender<usize>) {
    while let Some(seat) = seat.upgrade() {
        // A server that does not say leaves the number as it was; what is wrong with the link is said elsewhere.
        if let Ok(clients) = seat.clients().await {
            counted.send_replace(clients.len());
        }
        drop(seat);
        tokio::select! {
            () = counted.closed() => return,
            () = sleep(COUNTED) => {}
        }
    }
}

fn rows(guests: Vec<Guest>) -> Vec<ClientRow> {
    let row = |guest: Guest| {
        let Guest { id, who, how, since } = guest;
        let who = Who::from(who);
        ClientRow { id, how, rights: rights(&who), label: who.label, principal: who.principal, since }
    };
    guests.into_iter().map(row).collect()
}
