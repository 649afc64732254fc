//! A message that names no place, where there are many: a new task, most often in a new session.

use super::deliver::{Delivered, deliver, prompt};
use super::lend::Narrowing;
use super::{Admitted, Place, Unnamed, edge_of, fits, lend, may_prompt, mode_conflict, settings};
use crate::errors::Fault;
use crate::feed::Feeds;
use crate::inbound::{Inbound, Says};
use crate::scene::View;
use crate::workspace::WorkspaceRoots;
use pollux_session::{
    Begun, Context, Fingerprint, Opening, Overrides, PromptTarget, Refusal, Roster, SessionId, Target, TaskId,
    TaskKind, Who,
};
use pollux_wire::devtool::AgentSettings;
use pollux_wire::jsonrpc;
use serde_json::Value;
use uuid::Uuid;

/// The workspace of sessions that name none, and where clients may name others.
pub(super) type Workspaces<'a> = (&'a String, &'a WorkspaceRoots);

/// A message that names no task: a new task in the newest session with its label, or in a new one.
pub(super) async fn begin(
    feeds: &Feeds,
    roster: &dyn Roster,
    workspaces: Workspaces<'_>,
    who: &Who,
    inbound: &Inbound,
    unnamed: Unnamed,
) -> Result<Admitted, Fault> {
    let task = TaskId(Uuid::now_v7());
    let kind = match unnamed {
        Unnamed::Joins => TaskKind::OpenEnded,
        Unnamed::Begins(kind) => kind,
    };
    // What is to be found again, a session of its own remembers for all its tasks.
    let target = PromptTarget::New { task, kind, edge: Value::Null };
    // In the coder dialect a label is only a label: every new task is a session of its own.
    let known = match &inbound.context {
        Some(context) if inbound.coder.is_none() => roster.find(who, &Target::Context(context.clone())).await?,
        Some(_) | None => None,
    };
    let (seat, Delivered { receipt, settled }) = match (known, &inbound.says) {
        (Some(found), _) => {
            let place = Place { view: View::Session(found.seat.session()), seat: found.seat };
            fits(feeds, &place, &inbound.settings, None).await?;
            if let Some(conflict) = mode_conflict(feeds, &place, &inbound.settings).await? {
                return Err(Fault::params(conflict));
            }
            let delivered = deliver(feeds, roster, &*place.seat, inbound, target).await?;
            (place.seat, delivered)
        }
        (None, Says::Answers { .. }) => {
            return Err(Fault::params("`message.taskId` is missing: say which task's tool call this answers"));
        }
        (None, Says::Prompt(words)) => {
            // What the session would refuse is refused before there is one, so that nothing is created.
            may_prompt(who)?;
            if words.is_empty() {
                return Err(Refusal::EmptyPrompt.into());
            }
            let command = prompt(feeds, who, target, words, inbound.dialect).await?;
            let once = inbound.given_id.as_ref().map(|id| Fingerprint::of(id, &command));
            let (context, edge) = (inbound.context.clone(), edge_of(inbound));
            let opening = opening(workspaces, who, &inbound.settings, context, once, edge).await?;
            lend::check(roster, who, &inbound.settings)?;
            let id = inbound.command_id();
            let Begun { seat, sent } = match lend::lends(&inbound.settings) {
                // What is lent has to be there before the prompt is.
                true => {
                    let seat = roster.open(who, opening).await?;
                    lend::lend(roster, who, &*seat, &inbound.settings).await?;
                    let sent = seat.send(id, command).await;
                    Begun { seat, sent }
                }
                false => roster.open_with(who, opening, id, command).await?,
            };
            let receipt = sent?;
            (seat, Delivered { receipt, settled: receipt.seq })
        }
    };
    // A retry is answered with the task that its first copy began.
    let view = receipt.about.map_or(View::Session(seat.session()), |(task, _)| View::Task(task));
    Ok(Admitted { place: Place { seat, view }, receipt, settled })
}

/// How a session is opened with `settings`, in the workspace they name or the default one.
pub(super) async fn opening(
    (default, roots): Workspaces<'_>,
    who: &Who,
    settings: &AgentSettings,
    context: Option<Context>,
    once: Option<Fingerprint>,
    edge: Value,
) -> Result<Opening, Fault> {
    let workspace = match &settings.workspace_path {
        Some(path) => roots.admit(path).await?,
        None => default.to_owned(),
    };
    let context = match context {
        Some(context) => context,
        None => fresh_context()?,
    };
    let id = SessionId(Uuid::now_v7());
    let (Narrowing { only, grants }, lent) = (lend::narrowing(who, settings)?, lend::lends(settings));
    let overrides = Overrides { only_tools: only, grants, lent, ..settings::overrides(who, settings)? };
    Ok(Opening { id, context, workspace, overrides, once, edge })
}

fn fresh_context() -> Result<Context, Fault> {
    let label = Uuid::now_v7().to_string();
    Context::new(&label).ok_or_else(|| Fault::new(jsonrpc::INTERNAL_ERROR, "no context could be made"))
}
