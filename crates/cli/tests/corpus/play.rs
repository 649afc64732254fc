//! Plays a conversation: each move is made when nothing but people is waited for, unless the file says otherwise.

use crate::corpus::fixture::ConversationFixture;
use crate::corpus::in_process::InProcessDriver;
use crate::corpus::moves::{ConversationMove, EntryNumbers};
use crate::corpus::outcome::ConversationOutcome;
use crate::corpus::render;
use crate::corpus::requests;
use crate::corpus::wire::WireDriver;
use anyhow::{Context as _, Result, bail};
use pollux_session::{CallId, CallPhase, Effect, Entry, Event, PromptId, Seq, SessionState, next};
use pollux_testkit::conversation::ScriptedConversation;
use std::sync::Arc;
use std::time::Duration;

/// The time limit of a conversation. Waits between retries are real.
const TIMEOUT: Duration = Duration::from_secs(50);

/// The way in which a conversation is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaybackMode {
    /// The host, the agent and the store in this process.
    InProcess,
    /// The real program, spoken to over a WebSocket.
    Wire,
}

/// Whoever makes the moves and sees what comes of them.
pub(crate) enum ConversationDriver {
    InProcess(InProcessDriver),
    Wire(Box<WireDriver>),
}

/// The result of a move: the entry that accepted it, or the words that refused it.
pub(crate) enum MoveResult {
    Accepted(Seq),
    Refused(String),
}

impl ConversationDriver {
    async fn make(&mut self, wanted: &ConversationMove, numbers: &EntryNumbers) -> Result<MoveResult> {
        match self {
            ConversationDriver::InProcess(driver) => driver.make(wanted, numbers).await,
            ConversationDriver::Wire(driver) => driver.make(wanted, numbers).await,
        }
    }

    async fn read(&mut self, after: Seq) -> Result<Vec<Arc<Entry>>> {
        match self {
            ConversationDriver::InProcess(driver) => driver.read(after).await,
            ConversationDriver::Wire(driver) => driver.read(after).await,
        }
    }

    async fn wait_for_notice(&mut self, words: &str) -> Result<()> {
        match self {
            ConversationDriver::InProcess(driver) => driver.wait_for_notice(words).await,
            ConversationDriver::Wire(driver) => driver.wait_for_notice(words).await,
        }
    }

    async fn wait_for_change(&mut self, after: Seq) -> Result<()> {
        match self {
            ConversationDriver::InProcess(driver) => driver.wait_for_change(after).await,
            ConversationDriver::Wire(driver) => driver.wait_for_change().await,
        }
    }
}

/// Play a conversation to its end; what it came to.
pub(crate) async fn play(conversation: &ScriptedConversation, way: PlaybackMode) -> Result<ConversationOutcome> {
    let scene = ConversationFixture::prepare(conversation).await?;
    let driver = match way {
        PlaybackMode::InProcess => ConversationDriver::InProcess(InProcessDriver::start(&scene).await?),
        PlaybackMode::Wire => ConversationDriver::Wire(Box::new(WireDriver::start(&scene).await?)),
    };
    let mut player = ConversationPlayer {
        fixture: &scene,
        driver,
        state: SessionState::default(),
        entries: Vec::new(),
        newest: Seq::START,
    };
    let playing = player.play(conversation);
    let refusals = match tokio::time::timeout(TIMEOUT, playing).await {
        Ok(played) => played.with_context(|| format!("so far:\n{}", player.rendered()))?,
        Err(_) => bail!("it does not come to an end; so far:\n{}", player.rendered()),
    };
    let ConversationPlayer { driver, entries, .. } = player;
    match driver {
        ConversationDriver::InProcess(driver) => driver.stop().await,
        ConversationDriver::Wire(driver) => driver.check(&entries).await?,
    }
    let requests = scene.upstream.requests();
    let (after, gone) = scene.changes()?;
    Ok(ConversationOutcome {
        entries: render::lines(&entries, &|text| scene.normalize(text)).join("\n") + "\n",
        requests: requests::render(&requests, &|text| scene.normalize(text)),
        refusals: refusals.into_iter().map(|line| scene.normalize(&line) + "\n").collect(),
        after,
        gone: gone.into_iter().map(|path| path + "\n").collect(),
        own_files: scene.read_own_files()?,
        unused: scene.upstream.unused(),
        way,
        unmet: requests::unmet(conversation, &requests),
    })
}

/// The condition that a move waits for.
#[derive(Clone, Copy)]
enum WaitCondition<'a> {
    /// Nothing but people can make anything happen.
    Quiet,
    /// A line of the entries holds this.
    Shown(&'a str),
}

struct ConversationPlayer<'a> {
    fixture: &'a ConversationFixture,
    driver: ConversationDriver,
    state: SessionState,
    entries: Vec<Arc<Entry>>,
    /// The newest entry that has to be seen before anything is judged quiet.
    newest: Seq,
}

impl ConversationPlayer<'_> {
    /// Make every move and wait for the end; the refusals that were heard.
    async fn play(&mut self, conversation: &ScriptedConversation) -> Result<Vec<String>> {
        let moves = conversation.values("commands")?.iter().map(ConversationMove::read).collect::<Result<Vec<_>>>()?;
        let mut refusals = Vec::new();
        let mut at_once = false;
        for wanted in &moves {
            if !at_once && !matches!(wanted, ConversationMove::Until { .. } | ConversationMove::ReleaseAnswer) {
                self.until(WaitCondition::Quiet).await?;
            }
            at_once = false;
            match wanted {
                ConversationMove::Write { path, text } => self.fixture.write(path, text)?,
                ConversationMove::ReleaseAnswer => self.fixture.upstream.release_answer(),
                ConversationMove::OpenMcpServer => {
                    self.fixture.open_mcp_server()?;
                    self.driver.wait_for_notice("MCP server desk is ready").await?;
                }
                ConversationMove::Until { text } => {
                    self.until(WaitCondition::Shown(text)).await?;
                    at_once = true;
                }
                ConversationMove::Prompt { .. }
                | ConversationMove::Answer { .. }
                | ConversationMove::Cancel
                | ConversationMove::Seat(_) => match self.driver.make(wanted, &self.numbers()).await? {
                    MoveResult::Accepted(seq) => self.newest = seq,
                    MoveResult::Refused(why) => refusals.push(self.without_ids(&why)),
                },
            }
        }
        self.until(WaitCondition::Quiet).await?;
        Ok(refusals)
    }

    async fn until(&mut self, moment: WaitCondition<'_>) -> Result<()> {
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
                WaitCondition::Quiet => self.is_quiet(),
                WaitCondition::Shown(text) => self.rendered().contains(text),
            };
            if come {
                return Ok(());
            }
            self.driver.wait_for_change(self.state.head).await?;
        }
    }

    /// True if only people can make anything happen.
    fn is_quiet(&self) -> bool {
        let owed = next(&self.state);
        // A call that has others made for it goes on with those.
        let asks = self.state.only_asks_remain() && owed.iter().all(|effect| matches!(effect, Effect::Run { .. }));
        self.state.head >= self.newest && (owed.is_empty() || asks)
    }

    fn numbers(&self) -> EntryNumbers {
        let called = |entry: &Arc<Entry>| matches!(entry.event, Event::Called { .. }).then_some(CallId(entry.seq));
        let prompted =
            |entry: &Arc<Entry>| matches!(entry.event, Event::Prompted { .. }).then_some(PromptId(entry.seq));
        let mut open = self.state.turn.iter().flat_map(|turn| turn.open_calls());
        EntryNumbers {
            main_task: match &self.driver {
                ConversationDriver::InProcess(driver) => driver.session().main_task(),
                ConversationDriver::Wire(driver) => driver.session().main_task(),
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
        render::lines(&self.entries, &|text| self.fixture.normalize(text)).join("\n")
    }
}
