//! Plays a conversation: each move is made when nothing but people is waited for, unless the file says otherwise.

use crate::corpus::command::{Move, Numbers};
use crate::corpus::in_process::InProcess;
use crate::corpus::outcome::Outcome;
use crate::corpus::render;
use crate::corpus::requests;
use crate::corpus::scene::Scene;
use crate::corpus::wire::Wire;
use anyhow::{Context as _, Result, bail};
use pollux_session::{CallId, CallPhase, Effect, Entry, Event, PromptId, Seq, State, next};
use pollux_testkit::conversation::Conversation;
use std::sync::Arc;
use std::time::Duration;

/// How long a conversation may take. Waits between retries are real.
const PATIENCE: Duration = Duration::from_secs(50);

/// How a conversation is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The host, the agent and the store in this process.
    InProcess,
    /// The real program, spoken to over a WebSocket.
    Wire,
}

/// Whoever makes the moves and sees what comes of them.
pub(crate) enum Driver {
    InProcess(InProcess),
    Wire(Box<Wire>),
}

/// What came of a move: the entry that accepted it, or the words that refused it.
pub(crate) enum Heard {
    Accepted(Seq),
    Refused(String),
}

impl Driver {
    async fn make(&mut self, wanted: &Move, numbers: &Numbers) -> Result<Heard> {
        match self {
            Driver::InProcess(driver) => driver.make(wanted, numbers).await,
            Driver::Wire(driver) => driver.make(wanted, numbers).await,
        }
    }

    async fn read(&mut self, after: Seq) -> Result<Vec<Arc<Entry>>> {
        match self {
            Driver::InProcess(driver) => driver.read(after).await,
            Driver::Wire(driver) => driver.read(after).await,
        }
    }

    async fn noticed(&mut self, words: &str) -> Result<()> {
        match self {
            Driver::InProcess(driver) => driver.noticed(words).await,
            Driver::Wire(driver) => driver.noticed(words).await,
        }
    }

    async fn changed(&mut self, after: Seq) -> Result<()> {
        match self {
            Driver::InProcess(driver) => driver.changed(after).await,
            Driver::Wire(driver) => driver.changed().await,
        }
    }
}

/// Play a conversation to its end; what it came to.
pub(crate) async fn play(conversation: &Conversation, way: Way) -> Result<Outcome> {
    let scene = Scene::set(conversation).await?;
    let driver = match way {
        Way::InProcess => Driver::InProcess(InProcess::start(&scene).await?),
        Way::Wire => Driver::Wire(Box::new(Wire::start(&scene).await?)),
    };
    let mut player = Player { scene: &scene, driver, state: State::default(), entries: Vec::new(), newest: Seq::START };
    let playing = player.play(conversation);
    let refusals = match tokio::time::timeout(PATIENCE, playing).await {
        Ok(played) => played.with_context(|| format!("so far:\n{}", player.rendered()))?,
        Err(_) => bail!("it does not come to an end; so far:\n{}", player.rendered()),
    };
    let Player { driver, entries, .. } = player;
    match driver {
        Driver::InProcess(driver) => driver.stop().await,
        Driver::Wire(driver) => driver.check(&entries).await?,
    }
    let requests = scene.upstream.requests();
    let (after, gone) = scene.changes()?;
    Ok(Outcome {
        entries: render::lines(&entries, &|text| scene.tidy(text)).join("\n") + "\n",
        requests: requests::render(&requests, &|text| scene.tidy(text)),
        refusals: refusals.into_iter().map(|line| scene.tidy(&line) + "\n").collect(),
        after,
        gone: gone.into_iter().map(|path| path + "\n").collect(),
        kept: scene.kept()?,
        unused: scene.upstream.unused(),
        way,
        unmet: requests::unmet(conversation, &requests),
    })
}

/// What a move waits for.
#[derive(Clone, Copy)]
enum Moment<'a> {
    /// Nothing but people can make anything happen.
    Quiet,
    /// A line of the entries holds this.
    Shown(&'a str),
}

struct Player<'a> {
    scene: &'a Scene,
    driver: Driver,
    state: State,
    entries: Vec<Arc<Entry>>,
    /// The newest entry that has to be seen before anything is judged quiet.
    newest: Seq,
}

impl Player<'_> {
    /// Make every move and wait for the end; the refusals that were heard.
    async fn play(&mut self, conversation: &Conversation) -> Result<Vec<String>> {
        let moves = conversation.values("commands")?.iter().map(Move::read).collect::<Result<Vec<_>>>()?;
        let mut refusals = Vec::new();
        let mut at_once = false;
        for wanted in &moves {
            if !at_once && !matches!(wanted, Move::Until { .. } | Move::LetGo) {
                self.until(Moment::Quiet).await?;
            }
            at_once = false;
            match wanted {
                Move::Write { path, text } => self.scene.write(path, text)?,
                Move::LetGo => self.scene.upstream.let_go(),
                Move::Desk => {
                    self.scene.open_the_desk()?;
                    self.driver.noticed("MCP server desk is ready").await?;
                }
                Move::Until { text } => {
                    self.until(Moment::Shown(text)).await?;
                    at_once = true;
                }
                Move::Prompt { .. } | Move::Answer { .. } | Move::Cancel | Move::Seat(_) => {
                    match self.driver.make(wanted, &self.numbers()).await? {
                        Heard::Accepted(seq) => self.newest = seq,
                        Heard::Refused(why) => refusals.push(self.without_ids(&why)),
                    }
                }
            }
        }
        self.until(Moment::Quiet).await?;
        Ok(refusals)
    }

    async fn until(&mut self, moment: Moment<'_>) -> Result<()> {
        loop {
            loop {
                let page = self.driver.read(self.state.head).await?;
                if page.is_empty() {
                    break;
                }
                for entry in page {
                    self.state.apply(&entry);
                    self.entries.push(entry);
                }
            }
            let come = match moment {
                Moment::Quiet => self.is_quiet(),
                Moment::Shown(text) => self.rendered().contains(text),
            };
            if come {
                return Ok(());
            }
            self.driver.changed(self.state.head).await?;
        }
    }

    /// Whether only people can make anything happen.
    fn is_quiet(&self) -> bool {
        let owed = next(&self.state);
        // A call that has others made for it goes on with those.
        let asks = self.state.only_asks_remain() && owed.iter().all(|effect| matches!(effect, Effect::Run { .. }));
        self.state.head >= self.newest && (owed.is_empty() || asks)
    }

    fn numbers(&self) -> Numbers {
        let called = |entry: &Arc<Entry>| matches!(entry.event, Event::Called { .. }).then_some(CallId(entry.seq));
        let prompted =
            |entry: &Arc<Entry>| matches!(entry.event, Event::Prompted { .. }).then_some(PromptId(entry.seq));
        let mut open = self.state.turn.iter().flat_map(|turn| turn.open_calls());
        Numbers {
            main_task: match &self.driver {
                Driver::InProcess(driver) => driver.session().main_task(),
                Driver::Wire(driver) => driver.session().main_task(),
            },
            calls: self.entries.iter().filter_map(called).collect(),
            prompts: self.entries.iter().filter_map(prompted).collect(),
            asking: open.find(|call| matches!(call.phase, CallPhase::Asking { .. })).map(|call| call.id),
        }
    }

    /// `text` with the numbers that the entries show.
    fn without_ids(&self, text: &str) -> String {
        let numbers = self.numbers();
        let mut text = text.replace(&numbers.main_task.to_string(), "$SESSION");
        for (at, call) in numbers.calls.iter().enumerate().rev() {
            text = text.replace(&call.to_string(), &format!("c{}", at + 1));
        }
        text
    }

    fn rendered(&self) -> String {
        render::lines(&self.entries, &|text| self.scene.tidy(text)).join("\n")
    }
}
