//! Sending what a message says to a session that was there before, in the words the session offers.

use super::{answer_options, client_tools, may_prompt};
use crate::client_profile::ClientProfile;
use crate::dialect::MessageDialect;
use crate::errors::RequestError;
use crate::feed::SessionFeeds;
use crate::inbound::{InboundAnswer, InboundContent, InboundMessage, PromptContent};
use crate::wire_state::TaskScope;
use pollux_session::{
    CallId, Command, CommandReceipt, PromptTarget, Refusal, ReplyScope, Seat, SendError, SessionId, SessionSetting, Who,
};
use serde_json::json;

/// Send what `inbound` says as one command, and lend what it brings; a prompt goes to `target`.
pub(super) async fn deliver(
    feeds: &SessionFeeds,
    seat: &dyn Seat,
    inbound: &InboundMessage,
    target: PromptTarget,
) -> Result<CommandReceipt, RequestError> {
    client_tools::check_credential_right(seat.who(), &inbound.settings)?;
    let (mut parts, words) = match &inbound.content {
        InboundContent::Prompt(words) => (Vec::new(), Some(words)),
        InboundContent::Answers { answers, then } => (answer_commands(seat, answers).await?, then.as_ref()),
    };
    let answers = !parts.is_empty();
    if let Some(words) = words {
        let command = prompt(feeds, seat.who(), target, words, inbound.dialect).await?;
        parts.push(as_reply(feeds, seat, inbound, command).await?);
        // The model that the message wants is chosen first; one that says nothing sets nothing.
        let model = inbound.settings.model.clone().filter(|_| !words.is_empty());
        parts.splice(0..0, model.map(|model| Command::Set { setting: SessionSetting::Model(model) }));
    }
    // A no holds the prompts that wait behind it. A2A has no word for that and its clients none to let them go, so they go on.
    let command = match <[Command; 1]>::try_from(parts) {
        Ok([only]) if !answers => only,
        Ok([only]) => Command::Message { parts: vec![only], releases: answers },
        Err(parts) if parts.is_empty() => {
            return Err(RequestError::invalid_params("the message answers nothing"));
        }
        Err(parts) => Command::Message { parts, releases: answers },
    };
    let lent = client_tools::client_credentials(&inbound.settings);
    let sent = seat.send_lending(inbound.command_id(), command, lent).await;
    if let Err(SendError::Refused(Refusal::UnclearReply { .. })) = &sent {
        record_repeated_question(feeds, seat).await?;
    }
    Ok(sent?)
}

/// Whoever is told that a reply is not clear is shown what is asked once more, so a later reply may be meant for it.
async fn record_repeated_question(feeds: &SessionFeeds, seat: &dyn Seat) -> Result<(), RequestError> {
    let wire_state = feeds.newest_state(seat).await?;
    let calls = wire_state.state.turn.iter().flat_map(|turn| turn.calls.values());
    let asks: Vec<CallId> = calls.filter(|call| call.asks_since().is_some()).map(|call| call.id).collect();
    feeds.record_shown_asks(seat, &asks);
    Ok(())
}

/// `command`, as a reply if it is a prompt that may answer an ask in words: it names the task that waits, and neither it nor the
/// first message of that task declared the extension, whose clients have another way to answer.
async fn as_reply(
    feeds: &SessionFeeds,
    seat: &dyn Seat,
    inbound: &InboundMessage,
    command: Command,
) -> Result<Command, RequestError> {
    let MessageDialect::A2a(audience) = inbound.dialect else { return Ok(command) };
    let (Some(named), None, InboundContent::Prompt(_)) = (&inbound.task, &inbound.coder, &inbound.content) else {
        return Ok(command);
    };
    let Command::Prompt { target: PromptTarget::Existing { task }, text, media, dialect, parts, .. } = command else {
        return Ok(command);
    };
    let session = seat.session();
    let (scope, view) = if *named == session.to_string() {
        (ReplyScope::Session, TaskScope::Session(session))
    } else {
        (ReplyScope::Task, TaskScope::Task(task))
    };
    let wire_state = feeds.newest_state(seat).await?;
    let extension = audience.extension.or(wire_state.first_declared(view));
    if !(ClientProfile { extension, ..audience }).replies_in_words() || wire_state.coder_settings(view).is_some() {
        let target = PromptTarget::Existing { task };
        return Ok(Command::Prompt { target, text, media, piped_len: 0, dialect, parts });
    }
    let shared_asks = feeds.shared_asks(seat, &wire_state.state);
    Ok(Command::Reply { task, scope, text, media, dialect, parts, shared_asks })
}

/// A prompt, its files kept. Who may not prompt has nothing kept.
pub(super) async fn prompt(
    feeds: &SessionFeeds,
    who: &Who,
    target: PromptTarget,
    words: &PromptContent,
    dialect: MessageDialect,
) -> Result<Command, RequestError> {
    let PromptContent { text, files, parts } = words;
    if !files.is_empty() {
        may_prompt(who)?;
    }
    let media = feeds.files.store_all(files).await?;
    let (text, dialect) = (text.clone(), Some(dialect.name().to_owned()));
    let parts = parts.iter().map(|part| json!(part)).collect();
    Ok(Command::Prompt { target, text, media, piped_len: 0, dialect, parts })
}

/// Answers, each as a command of its own.
async fn answer_commands(seat: &dyn Seat, answers: &[InboundAnswer]) -> Result<Vec<Command>, RequestError> {
    let mut commands = Vec::with_capacity(answers.len());
    for answer in answers {
        commands.push(answer_options::replace_outcome(seat, answer.command(seat.session())?).await?);
    }
    Ok(commands)
}

impl InboundAnswer {
    fn command(&self, session: SessionId) -> Result<Command, RequestError> {
        let call = self.call.within(session)?;
        Ok(Command::Answer { call, option: self.option.clone(), edit: self.edit.clone() })
    }
}
