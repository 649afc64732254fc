//! Rules of a request of 0.3 beyond its shape.

use super::{
    FileContent, Message, MessageSendConfiguration, MessageSendParams, Part, PushNotificationConfig, TaskIdParams,
    TaskPushNotificationConfig, TaskQueryParams,
};
use crate::flaw::{Flaw, check_address, check_header, check_id, check_text, check_webhook};
use crate::proto::canonical_base64;

impl MessageSendParams {
    /// That they keep the rules; the first that they break.
    pub fn check(&self) -> Result<(), Flaw> {
        self.message.check().map_err(|flaw| flaw.within("message"))?;
        self.configuration.as_ref().map_or(Ok(()), |known| known.check().map_err(|flaw| flaw.within("configuration")))
    }
}

impl MessageSendConfiguration {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        let push = self.push_notification_config.as_ref();
        push.map_or(Ok(()), |push| push.check().map_err(|flaw| flaw.within("pushNotificationConfig")))
    }
}

impl Message {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("messageId", &self.message_id)?;
        check_text("contextId", self.context_id.as_deref().unwrap_or_default())?;
        check_text("taskId", self.task_id.as_deref().unwrap_or_default())?;
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
        match self {
            Part::Text { .. } => Ok(()),
            Part::Data { data, .. } if data.is_object() => Ok(()),
            Part::Data { .. } => Err(Flaw::new("data", "must be an object")),
            Part::File { file, .. } => file.check().map_err(|flaw| flaw.within("file")),
        }
    }
}

impl FileContent {
    /// That it has bytes or an address, and not both.
    pub fn check(&self) -> Result<(), Flaw> {
        match (&self.bytes, &self.uri) {
            (Some(bytes), None) if canonical_base64(bytes.clone()).is_none() => {
                Err(Flaw::new("bytes", "must be base64"))
            }
            (Some(_), None) => Ok(()),
            (None, Some(uri)) => check_address("uri", uri),
            (None, None) => Err(Flaw::new("bytes", "or `uri` must be there")),
            (Some(_), Some(_)) => Err(Flaw::new("bytes", "and `uri` must not both be there")),
        }
    }
}

impl TaskQueryParams {
    /// That they keep the rules; the first that they break.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("id", &self.id)
    }
}

impl TaskIdParams {
    /// That they keep the rules; the first that they break.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("id", &self.id)
    }
}

impl TaskPushNotificationConfig {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_id("taskId", &self.task_id)?;
        self.push_notification_config.check().map_err(|flaw| flaw.within("pushNotificationConfig"))
    }
}

impl PushNotificationConfig {
    /// That it keeps the rules; the first that it breaks.
    pub fn check(&self) -> Result<(), Flaw> {
        check_text("id", self.id.as_deref().unwrap_or_default())?;
        check_webhook("url", &self.url)?;
        check_header("token", self.token.as_deref().unwrap_or_default())?;
        let Some(known) = &self.authentication else { return Ok(()) };
        for (index, scheme) in known.schemes.iter().enumerate() {
            check_header(&format!("authentication.schemes[{index}]"), scheme)?;
        }
        check_header("authentication.credentials", known.credentials.as_deref().unwrap_or_default())
    }
}
