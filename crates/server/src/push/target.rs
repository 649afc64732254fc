//! A target as the book keeps it, and as it is reached.

use super::auth_headers::PushAuthHeaders;
use crate::client_profile::{ClientProfile, ToolExtension};
use crate::errors::RequestError;
use crate::version::A2aVersion;
use pollux_session::{EntryAuthor, Owner, PushTarget, Right, Rights, Who};
use pollux_wire::a2a::PushNotificationConfig;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

/// Which target: one of one owner's, for one task.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct PushTargetKey {
    pub(super) owner: Owner,
    pub(super) task: Uuid,
    pub(super) id: String,
}

impl PushTargetKey {
    pub(super) fn new(target: &PushTarget) -> PushTargetKey {
        PushTargetKey { owner: target.owner.clone(), task: target.task, id: target.id.clone() }
    }

    /// Whoever pushes looks at the owner's tasks and does nothing else.
    pub(super) fn who(&self) -> Who {
        let rights = Rights::of([Right::Observe]);
        Who { owner: self.owner.clone(), principal: "push".into(), label: "push".into(), rights }
    }
}

/// The address and the headers of a target. They hold secrets, so they can be neither printed nor written.
pub(super) struct PushDestination {
    pub(super) audience: ClientProfile,
    /// Whoever set the target; `None` in what an older release wrote.
    pub(super) set_by: Option<EntryAuthor>,
    pub(super) url: String,
    pub(super) auth_headers: PushAuthHeaders,
}

impl PushDestination {
    /// Read what [`stored_form`] has written.
    pub(super) fn read(form: &Value) -> Result<PushDestination, RequestError> {
        let unreadable = || RequestError::invalid_params("the target was written by another release; set it again");
        let version = form.get("version").and_then(Value::as_str).ok_or_else(unreadable)?;
        let config = config_in(form).ok_or_else(unreadable)?;
        let declared = form.get("declared").and_then(Value::as_bool).unwrap_or_default();
        let audience = ClientProfile { version: A2aVersion::read(version)?, extension: declared.into() };
        let set_by = form.get("set_by").and_then(|by| EntryAuthor::deserialize(by).ok());
        Ok(PushDestination { audience, set_by, auth_headers: PushAuthHeaders::from_config(&config)?, url: config.url })
    }
}

/// The form in which a configuration that `who`, of `audience`, has set is stored.
pub(crate) fn stored_form(who: &Who, audience: ClientProfile, config: &PushNotificationConfig) -> Value {
    let declared = audience.extension == ToolExtension::Declared;
    let set_by = EntryAuthor::from(who);
    json!({ "version": audience.version.name(), "declared": declared, "set_by": set_by, "config": config })
}

/// The configuration in what the book keeps, as it was set.
fn config_in(form: &Value) -> Option<PushNotificationConfig> {
    serde_json::from_value(form.get("config")?.clone()).ok()
}

/// The configuration in what the book keeps, as its owner is told it: a secret that was set is not handed out again.
pub(crate) fn visible_config(form: &Value) -> Option<PushNotificationConfig> {
    config_in(form).map(without_secret)
}

/// The configuration without what proves the server to its receiver. The token stays: it is the client's own mark.
pub(crate) fn without_secret(mut config: PushNotificationConfig) -> PushNotificationConfig {
    if let Some(authentication) = &mut config.authentication {
        authentication.credentials = None;
    }
    config
}
