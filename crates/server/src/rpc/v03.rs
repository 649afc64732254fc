//! The methods of 0.3.

use super::{Answer, Asked, result, unknown_method, v10};
use crate::errors::Fault;
use crate::inbound::{Inbound, MessageIds, typed};
use crate::snapshot::History;
use pollux_wire::a2a::{PushConfigParams, TaskIdParams, TaskPushNotificationConfig, TaskQueryParams};
use serde_json::Value;

/// The methods of 0.3 that are answered.
pub const METHODS: [&str; 10] = [
    "message/send",
    "message/stream",
    "tasks/get",
    "tasks/cancel",
    "tasks/resubscribe",
    "tasks/pushNotificationConfig/set",
    "tasks/pushNotificationConfig/get",
    "tasks/pushNotificationConfig/list",
    "tasks/pushNotificationConfig/delete",
    "agent/getAuthenticatedExtendedCard",
];

/// Those that answer with a stream.
pub(super) const STREAMING: [&str; 2] = ["message/stream", "tasks/resubscribe"];

impl Asked<'_> {
    pub(super) async fn dispatch_v03(self) -> Result<Answer, Fault> {
        let params = &self.request.params;
        match self.request.method.as_str() {
            "message/send" => {
                let inbound = Inbound::read(params, MessageIds::Required)?;
                let task = self.ops.send(&self.unhurried(inbound)).await?;
                result(task)
            }
            "message/stream" => {
                let inbound = Inbound::read(params, MessageIds::Required)?;
                let stream = self.ops.stream(&inbound, self.form()).await?;
                Ok(Answer::Stream(Box::new(stream)))
            }
            "tasks/get" => {
                let TaskQueryParams { id, history_length, .. } = typed("params", params)?;
                let task = self.ops.get(&id, History::from(history_length)).await?;
                result(task)
            }
            "tasks/cancel" => {
                let TaskIdParams { id, .. } = typed("params", params)?;
                let task = self.ops.cancel(&id).await?;
                result(task)
            }
            "tasks/resubscribe" => {
                let TaskIdParams { id, .. } = typed("params", params)?;
                let stream = self.ops.follow(&id, self.cursor().as_deref(), self.form()).await?;
                Ok(Answer::Stream(Box::new(stream)))
            }
            "tasks/pushNotificationConfig/set" => {
                let config: TaskPushNotificationConfig = typed("params", params)?;
                let config = self.ops.set_push(config).await?;
                result(config)
            }
            "tasks/pushNotificationConfig/get" => {
                let PushConfigParams { id, push_notification_config_id } = typed("params", params)?;
                let config = self.ops.get_push(&id, push_notification_config_id.as_deref()).await?;
                result(config)
            }
            "tasks/pushNotificationConfig/list" => {
                let PushConfigParams { id, .. } = typed("params", params)?;
                let configs = self.ops.list_push(&id).await?;
                result(configs)
            }
            "tasks/pushNotificationConfig/delete" => {
                let PushConfigParams { id, push_notification_config_id } = typed("params", params)?;
                let missing = || Fault::params("`params.pushNotificationConfigId` is missing");
                self.ops.delete_push(&id, &push_notification_config_id.ok_or_else(missing)?).await?;
                result(Value::Null)
            }
            "agent/getAuthenticatedExtendedCard" => result(self.ops.extended_card_v03()?),
            method if v10::METHODS.contains(&method) => {
                Err(unknown_method(method, &METHODS, "; send the header `A2A-Version: 1.0` to speak 1.0"))
            }
            method => Err(unknown_method(method, &METHODS, "")),
        }
    }
}
