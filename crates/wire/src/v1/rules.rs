//! Rules of a request of 1.0 beyond its shape.

use super::{
    CancelTaskRequest, Content, GetTaskRequest, ListTasksRequest, Message, Part, PushConfigRequest,
    SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
};
use crate::flaw::{Flaw, check_address, check_header, check_id, check_text, check_webhook};
use crate::timestamp::Timestamp;

impl SendMessageRequest {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        self.message.check().map_err(|flaw| flaw.within("message"))?;
        self.configuration.as_ref().map_or(Ok(()), |known| known.check().map_err(|flaw| flaw.within("configuration")))
    }
}

impl Message {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("messageId", &self.message_id)?;
        check_text("contextId", &self.context_id)?;
        check_text("taskId", &self.task_id)?;
        if self.parts.is_empty() {
            return Err(Flaw::new("parts", "must not be empty"));
        }
        for (index, part) in self.parts.iter().enumerate() {
            part.check().map_err(|flaw| flaw.within(format_args!("parts[{index}]")))?;
        }
        for (index, task) in self.reference_task_ids.iter().enumerate() {
            check_id(&format!("referenceTaskIds[{index}]"), task)?;
        }
        Ok(())
    }
}

impl Part {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        match &self.content {
            Content::Url(url) => check_address("url", url),
            Content::Text(_) | Content::Raw(_) | Content::Data(_) => Ok(()),
        }
    }
}

impl SendMessageConfiguration {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_length(self.history_length)?;
        let push = self.task_push_notification_config.as_ref();
        push.map_or(Ok(()), |push| push.check().map_err(|flaw| flaw.within("taskPushNotificationConfig")))
    }
}

impl TaskPushNotificationConfig {
    /// That it keeps the rules; the first that it breaks. Inside a message it has no task yet, so none is demanded.
    pub fn check(&self) -> Result<(), Flaw> {
        check_text("id", &self.id)?;
        check_text("taskId", &self.task_id)?;
        check_webhook("url", &self.url)?;
        check_header("token", &self.token)?;
        let Some(known) = &self.authentication else { return Ok(()) };
        if known.scheme.is_empty() {
            return Err(Flaw::new("authentication.scheme", "must not be empty"));
        }
        check_header("authentication.scheme", &known.scheme)?;
        check_header("authentication.credentials", &known.credentials)
    }
}

impl GetTaskRequest {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("id", &self.id)?;
        check_length(self.history_length)
    }
}

impl CancelTaskRequest {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("id", &self.id)
    }
}

impl SubscribeToTaskRequest {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("id", &self.id)
    }
}

impl PushConfigRequest {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("taskId", &self.task_id)?;
        check_id("id", &self.id)
    }
}

impl ListTasksRequest {
    /// The most tasks that a page may be asked to hold.
    pub const MAX_PAGE: i32 = 100;

    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_text("contextId", &self.context_id)?;
        if self.page_size.is_some_and(|size| !(1..=Self::MAX_PAGE).contains(&size)) {
            return Err(Flaw::new("pageSize", format!("must be from 1 to {}", Self::MAX_PAGE)));
        }
        check_length(self.history_length)?;
        match self.status_timestamp_after.as_deref().map(str::parse::<Timestamp>) {
            Some(Err(error)) => Err(Flaw::new("statusTimestampAfter", format!("is {error}"))),
            None | Some(Ok(_)) => Ok(()),
        }
    }
}

fn check_length(length: Option<i32>) -> Result<(), Flaw> {
    if length.is_some_and(|length| length < 0) {
        return Err(Flaw::new("historyLength", "must not be negative"));
    }
    Ok(())
}
