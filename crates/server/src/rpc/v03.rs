//! The methods of 0.3.

use super::{RpcAnswer, RpcRequest, result, unknown_method, v10};
use crate::direct::SendMessageResult;
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, MessageRules, read_typed};
use crate::task_snapshot::HistoryLength;
use pollux_wire::a2a::{PushConfigParams, Task, TaskIdParams, TaskPushNotificationConfig, TaskQueryParams};
use pollux_wire::coder;
use serde_json::Value;

/// The methods of 0.3 that are answered.
pub const METHODS: [&str; 12] = [
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
    "commands/get",
    "command/execute",
];

/// Those that answer with a stream.
pub(super) const STREAMING: [&str; 2] = ["message/stream", "tasks/resubscribe"];

impl RpcRequest<'_> {
    pub(super) async fn dispatch_v03(self) -> Result<RpcAnswer, RequestError> {
        let params = &self.request.params;
        match self.request.method.as_str() {
            "message/send" => {
                let inbound = InboundMessage::read(params, MessageRules::A2a)?;
                match self.ops.send(&self.without_waiting(inbound)).await? {
                    SendMessageResult::Task(task) => task_result(*task),
                    message @ SendMessageResult::Message(_) => result(message),
                }
            }
            "message/stream" => {
                let inbound = InboundMessage::read(params, MessageRules::A2a)?;
                let stream = self.ops.stream(&inbound, self.form()).await?;
                Ok(RpcAnswer::Stream(Box::new(stream)))
            }
            "tasks/get" => {
                let TaskQueryParams { id, history_length, .. } = read_typed("params", params)?;
                task_result(self.ops.get(&id, HistoryLength::from(history_length)).await?)
            }
            "tasks/cancel" => {
                let TaskIdParams { id, .. } = read_typed("params", params)?;
                task_result(self.ops.cancel(&id).await?)
            }
            "tasks/resubscribe" => {
                let TaskIdParams { id, .. } = read_typed("params", params)?;
                let stream = self.ops.subscribe(&id, self.cursor().as_deref(), self.form()).await?;
                Ok(RpcAnswer::Stream(Box::new(stream)))
            }
            "tasks/pushNotificationConfig/set" => {
                let config: TaskPushNotificationConfig = read_typed("params", params)?;
                let config = self.ops.set_push(config).await?;
                result(config)
            }
            "tasks/pushNotificationConfig/get" => {
                let PushConfigParams { id, push_notification_config_id } = read_typed("params", params)?;
                let config = self.ops.get_push(&id, push_notification_config_id.as_deref()).await?;
                result(config)
            }
            "tasks/pushNotificationConfig/list" => {
                let PushConfigParams { id, .. } = read_typed("params", params)?;
                let configs = self.ops.list_push(&id).await?;
                result(configs)
            }
            "tasks/pushNotificationConfig/delete" => {
                let PushConfigParams { id, push_notification_config_id } = read_typed("params", params)?;
                let missing = || RequestError::invalid_params("`params.pushNotificationConfigId` is missing");
                self.ops.delete_push(&id, &push_notification_config_id.ok_or_else(missing)?).await?;
                result(Value::Null)
            }
            "commands/get" => self.commands().await,
            "command/execute" => self.execute_command().await,
            "agent/getAuthenticatedExtendedCard" => result(self.ops.extended_card_v03()?),
            method if v10::METHODS.contains(&method) => {
                Err(unknown_method(method, &METHODS, "; send the header `A2A-Version: 1.0` to speak 1.0"))
            }
            method => Err(unknown_method(method, &METHODS, "")),
        }
    }
}

/// A task as the clients of its session know tasks: those of Google's a2a-server find every member, empty ones too.
fn task_result(task: Task) -> Result<RpcAnswer, RequestError> {
    if task.metadata.contains_key(coder::PERSISTED) { result(coder::Task::from(task)) } else { result(task) }
}
