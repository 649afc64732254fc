//! An answer to an ask, in every spelling that is around: the extension's, Google's server's, the protocol page's.

use super::InboundAnswer;
use crate::call_id::WireCallId;
use crate::errors::RequestError;
use pollux_session::AnswerEdit;
use serde_json::{Map, Value};

const CALL: [&str; 4] = ["tool_call_id", "toolCallId", "callId", "call_id"];
const OPTION: [&str; 3] = ["selected_option_id", "selectedOptionId", "outcome"];
const MODIFIED: [&str; 2] = ["modified_details", "modifiedDetails"];
const FILE: [&str; 2] = ["file_details", "fileDetails"];
const CONTENT: [&str; 2] = ["new_content", "newContent"];
/// Where Gemini CLI puts what comes with an outcome.
const PAYLOAD: [&str; 1] = ["payload"];

/// Members that an answer may hold beside its call, its choice, and what comes with that: `kind`, and names that
/// clients give to messages and tasks, which are text or numbers. Nothing of a call but the content of a file can be
/// changed, so every other member is refused, however deep: whoever sends a changed command, under whatever name, must
/// not believe that it counts.
const PASSIVE_MEMBERS: [&str; 10] =
    ["kind", "type", "id", "taskId", "task_id", "contextId", "context_id", "messageId", "message_id", "timestamp"];
/// Holds such names once more. The data's own is no place for anything else.
const METADATA: [&str; 1] = ["metadata"];
/// The protocol page's word for a choice.
const APPROVAL: [&str; 1] = ["approved"];
/// Members that may come with a choice, inside a wrapper or without one.
const ANSWER_MEMBERS: [&str; 2] = ["answers", "feedback"];

/// Google's outcome of who wants to edit before it runs.
const EDITED: &str = "modify_with_editor";

/// The choices for `approved: true` and `approved: false`.
const APPROVED: (&str, &str) = ("proceed_once", "cancel");

/// Read a data part; `None` when it is something else.
pub(super) fn read(place: &str, data: &Map<String, Value>) -> Result<Option<InboundAnswer>, RequestError> {
    let Some((field, call)) = member(data, &CALL) else {
        let claimed = data.get("kind").and_then(Value::as_str) == Some("TOOL_CALL_CONFIRMATION");
        let missing =
            || RequestError::invalid_params(format!("`{place}.tool_call_id` is missing: say which tool call is meant"));
        return if claimed { Err(missing()) } else { Ok(None) };
    };
    let call = call.as_str().ok_or_else(|| RequestError::invalid_params(format!("`{place}.{field}` must be text")))?;
    let call: WireCallId = call.parse().map_err(|()| {
        RequestError::invalid_params(format!(
            "no tool call {call:?} is waiting for an answer; send the `tool_call_id` as it came"
        ))
    })?;
    refuse_other_changes(place, data)?;
    let edit = edit(place, data)?;
    let option = option(place, data)?;
    // Whoever has edited the content is done with the editor.
    let edited = option == EDITED && matches!(edit, Some(AnswerEdit::Content { .. }));
    Ok(Some(InboundAnswer { call, option: if edited { APPROVED.0.to_owned() } else { option }, edit }))
}

/// Fails if the answer holds anything that is not known, since it may be meant to change more than the content of a file.
fn refuse_other_changes(place: &str, data: &Map<String, Value>) -> Result<(), RequestError> {
    let details = [&FILE[..], &CONTENT, &ANSWER_MEMBERS].concat();
    let known = [&CALL[..], &OPTION, &MODIFIED, &PAYLOAD, &PASSIVE_MEMBERS, &METADATA, &APPROVAL, &details].concat();
    refuse_unknown(place, data, &known)?;
    if let Some((place, metadata)) = object_in(place, data, &METADATA)? {
        refuse_unknown(&place, metadata, &PASSIVE_MEMBERS)?;
    }
    let modified = object_in(place, data, &MODIFIED)?;
    let payload = object_in(place, data, &PAYLOAD)?;
    if let Some((place, modified)) = &modified {
        refuse_unknown(place, modified, &details)?;
    }
    // A payload that holds nothing of these is the answers themselves.
    if let Some((place, payload)) = payload.as_ref().filter(|(_, payload)| holds_content(payload)) {
        refuse_unknown(place, payload, &details)?;
    }
    let holders = [Some((place.to_owned(), data)), modified, payload];
    for (place, object) in holders.into_iter().flatten() {
        if let Some((place, file)) = object_in(&place, object, &FILE)? {
            refuse_unknown(&place, file, &CONTENT)?;
        }
    }
    Ok(())
}

/// Fails if `object` has a member that is set and not `known`, or a name that is more than a name.
fn refuse_unknown(place: &str, object: &Map<String, Value>, known: &[&str]) -> Result<(), RequestError> {
    let is_unknown = |name: &str, value: &Value| match value {
        Value::Null => false,
        Value::Object(_) | Value::Array(_) => !known.contains(&name) || PASSIVE_MEMBERS.contains(&name),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => !known.contains(&name),
    };
    match object.iter().find(|(name, value)| is_unknown(name, value)) {
        None => Ok(()),
        Some((name, _)) => Err(RequestError::invalid_params(format!(
            "`{place}.{name}` is not known in an answer, and cannot change a tool call: only the new content of a file can be \
             changed before it runs; leave it out to run the call as it was shown, or cancel it and say what to do instead"
        ))),
    }
}

fn holds_content(payload: &Map<String, Value>) -> bool {
    member(payload, &CONTENT).is_some() || member(payload, &FILE).is_some()
}

fn option(place: &str, data: &Map<String, Value>) -> Result<String, RequestError> {
    match (member(data, &OPTION), data.get("approved")) {
        (Some((_, Value::String(option))), _) => Ok(option.clone()),
        (Some((field, _)), _) => Err(RequestError::invalid_params(format!("`{place}.{field}` must be text"))),
        (None, Some(Value::Bool(approved))) => Ok(if *approved { APPROVED.0 } else { APPROVED.1 }.to_owned()),
        (None, Some(_)) => Err(RequestError::invalid_params(format!("`{place}.approved` must be true or false"))),
        (None, None) => Err(RequestError::invalid_params(format!(
            "`{place}.selected_option_id` is missing: choose one of the options offered"
        ))),
    }
}

/// The addition to the choice: new content for a file, or answers to questions.
fn edit(place: &str, data: &Map<String, Value>) -> Result<Option<AnswerEdit>, RequestError> {
    match (new_content(place, data)?, answers(place, data)?) {
        (Some(_), Some(_)) => Err(RequestError::invalid_params(format!(
            "`{place}` holds new content and answers: a tool call takes one of them"
        ))),
        (Some(new), None) => Ok(Some(AnswerEdit::Content { new })),
        (None, answers) => Ok(answers.map(|answers| AnswerEdit::Answers { answers })),
    }
}

/// The edited content, with or without the wrappers the schemas put around it.
fn new_content(place: &str, data: &Map<String, Value>) -> Result<Option<String>, RequestError> {
    let mut object = data;
    for wrapper in [&MODIFIED[..], &PAYLOAD, &FILE] {
        object = inside(place, object, wrapper)?.unwrap_or(object);
    }
    match member(object, &CONTENT) {
        None | Some((_, Value::Null)) => Ok(None),
        Some((_, Value::String(text))) => Ok(Some(text.clone())),
        Some((field, _)) => Err(RequestError::invalid_params(format!("`{place}.{field}` must be text"))),
    }
}

/// Answers, with or without a wrapper. A `payload` without them is the answers; `feedback` joins what is there.
fn answers(place: &str, data: &Map<String, Value>) -> Result<Option<Value>, RequestError> {
    let payload = inside(place, data, &PAYLOAD)?;
    let objects = [Some(data), inside(place, data, &MODIFIED)?, payload];
    let named =
        |name| objects.into_iter().flatten().find_map(|object| object.get(name)).filter(|value| !value.is_null());
    if let Some(answers) = named("answers") {
        return with_feedback(place, answers.clone(), named("feedback")).map(Some);
    }
    match (payload, named("feedback")) {
        (Some(payload), _) if !holds_content(payload) => Ok(Some(Value::Object(payload.clone()))),
        (_, None) => Ok(None),
        (_, feedback) => with_feedback(place, Value::Object(Map::new()), feedback).map(Some),
    }
}

fn with_feedback(place: &str, mut answers: Value, feedback: Option<&Value>) -> Result<Value, RequestError> {
    match (feedback, &mut answers) {
        (None, _) => {}
        (Some(Value::String(text)), Value::Object(answers)) => {
            answers.entry("feedback").or_insert_with(|| Value::from(text.as_str()));
        }
        (Some(Value::String(_)), _) => {
            return Err(RequestError::invalid_params(format!(
                "`{place}.answers` must be an object to go with `feedback`"
            )));
        }
        (Some(_), _) => return Err(RequestError::invalid_params(format!("`{place}.feedback` must be text"))),
    }
    Ok(answers)
}

/// The object in one of the members `names`.
fn inside<'a>(
    place: &str,
    object: &'a Map<String, Value>,
    names: &[&'static str],
) -> Result<Option<&'a Map<String, Value>>, RequestError> {
    Ok(object_in(place, object, names)?.map(|(_, inner)| inner))
}

/// An object and its place, for an error to name.
type PlacedObject<'a> = (String, &'a Map<String, Value>);

/// The object in one of the members `names`, and its place.
fn object_in<'a>(
    place: &str,
    object: &'a Map<String, Value>,
    names: &[&'static str],
) -> Result<Option<PlacedObject<'a>>, RequestError> {
    match member(object, names) {
        None | Some((_, Value::Null)) => Ok(None),
        Some((field, Value::Object(inner))) => Ok(Some((format!("{place}.{field}"), inner))),
        Some((field, _)) => Err(RequestError::invalid_params(format!("`{place}.{field}` must be an object"))),
    }
}

/// The first of `names` that is there.
fn member<'a>(object: &'a Map<String, Value>, names: &[&'static str]) -> Option<(&'static str, &'a Value)> {
    names.iter().find_map(|name| object.get(*name).map(|value| (*name, value)))
}
