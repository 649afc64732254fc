//! The operations of 1.0.

use super::RestRequest;
use super::route::RestOperation;
use crate::dialect::EventEncoding;
use crate::errors::RequestError;
use crate::inbound::{InboundMessage, read_typed};
use axum::response::Response;
use pollux_wire::v1::{
    ListTaskPushNotificationConfigsResponse, ListTasksResponse, SendMessageResponse, Task, TaskPushNotificationConfig,
};
use serde_json::json;

impl RestRequest {
    pub(super) async fn answer_v10(self) -> Result<Response, RequestError> {
        let (task, config) = (&self.route.task, &self.route.config);
        match self.route.operation {
            RestOperation::Send => {
                let task = self.ops.send(&InboundMessage::read_v10(&self.object()?)?).await?;
                Ok(self.json(&SendMessageResponse::from(task)))
            }
            RestOperation::Stream => {
                let stream =
                    self.ops.stream(&InboundMessage::read_v10(&self.object()?)?, EventEncoding::Json10).await?;
                Ok(self.sse(stream))
            }
            RestOperation::List => {
                let listed = self.ops.list(&self.query.task_list_query()?).await?;
                Ok(self.json(&ListTasksResponse::from(listed)))
            }
            RestOperation::Get => {
                let task = self.ops.get(task, self.query.history()?).await?;
                Ok(self.json(&Task::from(task)))
            }
            RestOperation::Cancel => {
                self.same_task(&self.object()?, &["id"])?;
                let task = self.ops.cancel(task).await?;
                Ok(self.json(&Task::from(task)))
            }
            RestOperation::Subscribe => self.subscribe(EventEncoding::Json10).await,
            RestOperation::SetPush => {
                let body = self.object()?;
                self.same_task(&body, &["taskId", "task_id"])?;
                let config: TaskPushNotificationConfig = read_typed("params", &body)?;
                let config = TaskPushNotificationConfig { task_id: task.clone(), ..config };
                let config = self.ops.set_push(config.into()).await?;
                Ok(self.json(&TaskPushNotificationConfig::from(config)))
            }
            RestOperation::ListPush => {
                let (configs, next_page_token) = self.ops.list_push_page(task, self.query.push_config_query()?).await?;
                let configs = configs.into_iter().map(TaskPushNotificationConfig::from).collect();
                Ok(self.json(&ListTaskPushNotificationConfigsResponse { configs, next_page_token }))
            }
            RestOperation::GetPush => {
                let config = self.ops.get_push(task, Some(config)).await?;
                Ok(self.json(&TaskPushNotificationConfig::from(config)))
            }
            RestOperation::DeletePush => {
                self.ops.delete_push(task, config).await?;
                Ok(self.json(&json!({})))
            }
            RestOperation::Card => Ok(self.json(&self.ops.extended_card()?)),
        }
    }
}
