//! From the ids of a message to a place at a session.

mod begin;
mod deliver;
mod lend;
mod options;
mod settings;

use crate::audience::ToolExtension;
use crate::dialect::{Coder, Dialect, Form, coder_edge};
use crate::errors::Fault;
use crate::feed::Feeds;
use crate::inbound::{Inbound, check_id};
use crate::log_context::record_place;
use crate::scene::View;
use crate::version::Version;
use crate::workspace::{self, WorkspaceRoots};
use begin::{begin, opening};
use deliver::{Delivered, deliver};
use pollux_session::{
    Command, Context, Event, Opened, PromptTarget, Receipt, Refusal, Right, Roster, Seat, Seq, SessionId, Target,
    TaskId, TaskKind, Who,
};
use pollux_wire::devtool::AgentSettings;
use pollux_wire::jsonrpc;
use serde_json::Value;
use std::sync::Arc;
use uuid::Uuid;

/// Which sessions the server admits others to.
#[derive(Clone)]
pub enum Rooms {
    /// `--a2a-port`: one session that everybody shares. A message without ids, or with the session's id, joins it;
    /// frames carry the session's id as their task id; a cancel ends the turn only.
    Shared {
        /// The process's sessions.
        roster: Arc<dyn Roster>,
        /// The one that is shared.
        session: SessionId,
        /// Its workspace; a different one is refused.
        workspace: String,
    },
    /// `serve`: many sessions.
    Many {
        /// The process's sessions.
        roster: Arc<dyn Roster>,
        /// The workspace of sessions that name none.
        workspace: String,
        /// Where clients may name others.
        roots: WorkspaceRoots,
    },
}

/// A place at a session, and what is looked at there.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) seat: Arc<dyn Seat>,
    pub(crate) view: View,
}

/// What a message that names no task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unnamed {
    /// It goes on with what there is, or begins an open-ended task where there is nothing.
    Joins,
    /// It begins a task of this kind.
    Begins(TaskKind),
}

/// A message that was accepted.
pub(crate) struct Admitted {
    pub(crate) place: Place,
    /// The first entry that accepted any of it.
    pub(crate) receipt: Receipt,
    /// The entry that accepted the last of it.
    pub(crate) settled: Seq,
}

impl Place {
    /// The dialect that the events of A2A are told in here, to a reader who has `asked` for the extension or not.
    pub(crate) async fn dialect(&self, feeds: &Feeds, form: Form, asked: ToolExtension) -> Result<Dialect, Fault> {
        let scene = feeds.glance(&*self.seat).await?;
        // That server's dialect is one of 0.3.
        if form.version() == Version::V03 && scene.coder(self.view).is_some() {
            return Ok(Dialect::Coder(form));
        }
        Ok(Dialect::Rfc(form, asked.or(scene.declared(self.view))))
    }

    /// Whether a reader who has `asked` for the extension or not gets it here: what a message of a task has declared holds for
    /// all that follows in it.
    pub(crate) async fn extension(&self, feeds: &Feeds, asked: ToolExtension) -> Result<ToolExtension, Fault> {
        match asked {
            ToolExtension::Declared => Ok(asked),
            ToolExtension::Unknown => Ok(feeds.glance(&*self.seat).await?.declared(self.view)),
        }
    }
}

impl Rooms {
    /// The place of a task, by its id or its session's.
    pub(crate) async fn find(&self, who: &Who, id: &str) -> Result<Place, Fault> {
        check_id("taskId", id)?;
        let unknown = || Fault::unknown_task(id);
        let uuid = Uuid::parse_str(id).map_err(|_| unknown())?;
        let found = self.roster().find(who, &Target::Id(uuid)).await?.ok_or_else(unknown)?;
        if !self.has(found.seat.session()) {
            return Err(unknown());
        }
        let view = match (found.task, self) {
            (Some(task), _) => View::Task(task),
            (None, Rooms::Shared { session, .. }) => View::Session(*session),
            (None, Rooms::Many { .. }) => view_of(&opened(&*found.seat).await?, found.seat.session()),
        };
        let place = Place { view, seat: found.seat };
        record_place(&place);
        Ok(place)
    }

    /// The process's sessions.
    pub(crate) fn roster(&self) -> &dyn Roster {
        match self {
            Rooms::Shared { roster, .. } | Rooms::Many { roster, .. } => roster.as_ref(),
        }
    }

    /// Whether a session is one that others are admitted to.
    pub(crate) fn has(&self, other: SessionId) -> bool {
        match self {
            Rooms::Shared { session, .. } => *session == other,
            Rooms::Many { .. } => true,
        }
    }

    /// The place that needs no naming: the shared session, if there is one.
    pub(crate) async fn only(&self, who: &Who) -> Result<Option<Place>, Fault> {
        match self {
            Rooms::Shared { roster, session, .. } => join(&**roster, *session, who).await.map(Some),
            Rooms::Many { .. } => Ok(None),
        }
    }

    /// The directory of a workspace that a client names for a session to come.
    pub(crate) async fn admit_workspace(&self, path: &str) -> Result<String, Fault> {
        match self {
            Rooms::Many { roots, .. } => roots.admit(path).await,
            Rooms::Shared { workspace, .. } => {
                check_same_workspace(path, workspace).await?;
                Ok(workspace.clone())
            }
        }
    }

    /// Whether `path`, if one is named, is the workspace of the session at `place`.
    pub(crate) async fn check_workspace(&self, place: &Place, path: Option<&str>) -> Result<(), Fault> {
        let Some(path) = path else { return Ok(()) };
        check_same_workspace(path, &opened(&*place.seat).await?.workspace).await
    }

    /// Open a session for a client that says nothing yet, or a task of the shared one where `edge` is to be found again.
    pub(crate) async fn open(
        &self,
        feeds: &Feeds,
        who: &Who,
        settings: &AgentSettings,
        context: Option<Context>,
        edge: Value,
    ) -> Result<(Place, Opened), Fault> {
        let place = match self {
            Rooms::Shared { roster, session, .. } => {
                let place = join(&**roster, *session, who).await?;
                fits(feeds, &place, settings, context.as_ref()).await?;
                self.check_mode(feeds, &place, settings, !edge.is_null()).await?;
                lend::may_lend_to_others(who, settings)?;
                lend::check(&**roster, who, settings)?;
                let view = match edge {
                    Value::Null => place.view,
                    edge => {
                        let task = TaskId(Uuid::now_v7());
                        let command = Command::OpenTask { task, kind: TaskKind::OpenEnded, edge };
                        place.seat.send(Uuid::now_v7().into(), command).await?;
                        View::Task(task)
                    }
                };
                settings::choose_model(feeds, &*place.seat, settings, None).await?;
                lend::lend(&**roster, who, &*place.seat, settings).await?;
                Place { view, ..place }
            }
            Rooms::Many { roster, workspace, roots } => {
                may_prompt(who)?;
                let opening = opening((workspace, roots), who, settings, context, None, edge).await?;
                lend::check(&**roster, who, settings)?;
                let seat = roster.open(who, opening).await?;
                lend::lend(&**roster, who, &*seat, settings).await?;
                Place { view: View::Session(seat.session()), seat }
            }
        };
        let opened = opened(&*place.seat).await?;
        let view = match self {
            Rooms::Shared { .. } => place.view,
            Rooms::Many { .. } => view_of(&opened, place.seat.session()),
        };
        let place = Place { view, ..place };
        record_place(&place);
        Ok((place, opened))
    }

    /// Whether a message's wish to run without asking, or to be asked, is what holds in a session that exists. Clients of
    /// Google's a2a-server send theirs with every message: they are told that it has no effect.
    async fn check_mode(
        &self,
        feeds: &Feeds,
        place: &Place,
        settings: &AgentSettings,
        is_coder: bool,
    ) -> Result<(), Fault> {
        match mode_conflict(feeds, place, settings).await? {
            Some(conflict) if is_coder => tracing::warn!("[A2AService] ignored in a message: {conflict}"),
            Some(conflict) => return Err(Fault::params(conflict)),
            None => {}
        }
        Ok(())
    }

    /// Send what `inbound` says to where it belongs, or to `here` when it names no place.
    pub(crate) async fn admit(
        &self,
        feeds: &Feeds,
        who: &Who,
        inbound: &Inbound,
        here: Option<&Place>,
        unnamed: Unnamed,
    ) -> Result<Admitted, Fault> {
        let admitted = self.deliver_to_place(feeds, who, inbound, here, unnamed).await?;
        record_place(&admitted.place);
        let message = inbound.given_id.as_ref().map_or("without an id", |id| id.0.as_str());
        tracing::debug!("[A2AService] message {message:?} was accepted at entry {}", admitted.receipt.seq);
        Ok(admitted)
    }

    async fn deliver_to_place(
        &self,
        feeds: &Feeds,
        who: &Who,
        inbound: &Inbound,
        here: Option<&Place>,
        unnamed: Unnamed,
    ) -> Result<Admitted, Fault> {
        let named = match (&inbound.task, here) {
            (Some(task), _) => Some(self.find(who, task).await?),
            (None, Some(here)) => Some(here.clone()),
            (None, None) => self.only(who).await?,
        };
        match (named, self) {
            (Some(place), _) => {
                fits(feeds, &place, &inbound.settings, inbound.context.as_ref()).await?;
                self.check_mode(feeds, &place, &inbound.settings, inbound.coder.is_some()).await?;
                let target = match unnamed {
                    // Who wants a task that ends gets one of their own in the session that all share.
                    Unnamed::Begins(kind) if inbound.task.is_none() => {
                        PromptTarget::New { task: TaskId(Uuid::now_v7()), kind, edge: edge_of(inbound) }
                    }
                    Unnamed::Begins(_) | Unnamed::Joins => PromptTarget::Existing { task: place.view.task() },
                };
                let begins = matches!(target, PromptTarget::New { .. });
                let Delivered { receipt, settled } =
                    deliver(feeds, self.roster(), &*place.seat, inbound, target).await?;
                let view = match receipt.about {
                    Some((task, _)) if begins => View::Task(task),
                    Some(_) | None => place.view,
                };
                Ok(Admitted { place: Place { view, ..place }, receipt, settled })
            }
            (None, Rooms::Many { roster, workspace, roots }) => {
                begin(feeds, &**roster, (workspace, roots), who, inbound, unnamed).await
            }
            (None, Rooms::Shared { session, .. }) => Err(Fault::unknown_task(&session.to_string())),
        }
    }
}

/// Sit down at the shared session.
async fn join(roster: &dyn Roster, session: SessionId, who: &Who) -> Result<Place, Fault> {
    let found = roster.find(who, &Target::Id(session.0)).await?;
    let found = found.ok_or_else(|| Fault::unknown_task(&session.to_string()))?;
    Ok(Place { seat: found.seat, view: View::Session(session) })
}

/// What a session's id means where there are many: to clients of Google's a2a-server a task like any other, to all
/// others the whole session.
fn view_of(opened: &Opened, session: SessionId) -> View {
    if Coder::of(opened, &Value::Null).is_some() { View::Task(opened.main_task) } else { View::Session(session) }
}

/// What is to be found again of what `inbound` begins.
fn edge_of(inbound: &Inbound) -> Value {
    inbound.coder.as_ref().map(coder_edge).unwrap_or_default()
}

fn may_prompt(who: &Who) -> Result<(), Fault> {
    let right = Right::Prompt;
    if who.rights.allow(right) { Ok(()) } else { Err(Refusal::NotAllowed { right }.into()) }
}

/// Whether a message that asks for this workspace and this context may go to `place`.
async fn fits(feeds: &Feeds, place: &Place, settings: &AgentSettings, context: Option<&Context>) -> Result<(), Fault> {
    if settings.workspace_path.is_none() && context.is_none() && settings.allowed_tools.is_none() {
        return Ok(());
    }
    let opened = opened(&*place.seat).await?;
    lend::same_tools(&opened, settings)?;
    // Clients of Google's a2a-server may send any label with a task: the task keeps its own.
    if let Some(context) = context.filter(|context| **context != opened.context)
        && feeds.at_head(&*place.seat).await?.coder(place.view).is_none()
    {
        return Err(Fault::params(format!(
            "`contextId` {:?} is not this task's context; it is {:?}, or leave it out",
            context.as_str(),
            opened.context.as_str()
        )));
    }
    match &settings.workspace_path {
        Some(path) => check_same_workspace(path, &opened.workspace).await,
        None => Ok(()),
    }
}

/// Whether `path` is the workspace `own`. Of every other one the same is said, whether something is there or not.
async fn check_same_workspace(path: &str, own: &str) -> Result<(), Fault> {
    workspace::check_form(path)?;
    if !workspace::same(path, own).await {
        return Err(other_workspace(path, own));
    }
    workspace::usable(path).await
}

fn other_workspace(path: &str, own: &str) -> Fault {
    Fault::params(format!("`workspace_path` {path:?} is not this session's workspace; it is {own:?}, or leave it out"))
}

/// Why `auto_execute` in a message has no effect at `place`, if it has none.
pub(crate) async fn mode_conflict(
    feeds: &Feeds,
    place: &Place,
    settings: &AgentSettings,
) -> Result<Option<String>, Fault> {
    let Some(wanted) = settings.auto_execute else { return Ok(None) };
    Ok(settings::mode_conflict(&feeds.at_head(&*place.seat).await?.state, wanted))
}

/// How a session began.
pub(crate) async fn opened(seat: &dyn Seat) -> Result<Opened, Fault> {
    let first = seat.read(Seq::START, 1).await?;
    match first.first().map(|entry| &entry.event) {
        Some(Event::Opened(opened)) => Ok(opened.clone()),
        _ => Err(Fault::new(jsonrpc::INTERNAL_ERROR, "the session's log does not begin with its opening")),
    }
}
