//! The operations of 1.0.

use super::Asked;
use super::route::Operation;
use crate::dialect::Form;
use crate::errors::Fault;
use crate::inbound::{Inbound, typed};
use axum::response::Response;
use pollux_wire::v1::{
    ListTaskPushNotificationConfigsResponse, ListTasksResponse, SendMessageResponse, Task, TaskPushNotificationConfig,
};
use serde_json::json;

impl Asked {
    pub(super) async fn answer_v10(self) -> Result<Response, Fault> {
        let (task, config) = (&self.route.task, &self.route.config);
        match self.route.operation {
            Operation::Send => {
                let task = self.ops.send(&Inbound::read_v10(&self.object()?)?).await?;
                Ok(self.json(&SendMessageResponse::from(task)))
            }
            Operation::Stream => {
                let stream = self.ops.stream(&Inbound::read_v10(&self.object()?)?, Form::Json10).await?;
                Ok(self.sse(stream))
            }
            Operation::List => {
                let listed = self.ops.list(&self.query.list_wish()?).await?;
                Ok(self.json(&ListTasksResponse::from(listed)))
            }
            Operation::Get => {
                let task = self.ops.get(task, self.query.history()?).await?;
                Ok(self.json(&Task::from(task)))
            }
            Operation::Cancel => {
                self.same_task(&self.object()?, &["id"])?;
                let task = self.ops.cancel(task).await?;
                Ok(self.json(&Task::from(task)))
            }
            Operation::Subscribe => self.subscribe(Form::Json10).await,
            Operation::SetPush => {
                let body = self.object()?;
                self.same_task(&body, &["taskId", "task_id"])?;
                let config: TaskPushNotificationConfig = typed("params", &body)?;
                let config = TaskPushNotificationConfig { task_id: task.clone(), ..config };
                let config = self.ops.set_push(config.into()).await?;
                Ok(self.json(&TaskPushNotificationConfig::from(config)))
            }
            Operation::ListPush => {
                let (configs, next_page_token) = self.ops.page_of_push(task, self.query.push_wish()?).await?;
                let configs = configs.into_iter().map(TaskPushNotificationConfig::from).collect();
                Ok(self.json(&ListTaskPushNotificationConfigsResponse { configs, next_page_token }))
            }
            Operation::GetPush => {
                let config = self.ops.get_push(task, Some(config)).await?;
                Ok(self.json(&TaskPushNotificationConfig::from(config)))
            }
            Operation::DeletePush => {
                self.ops.delete_push(task, config).await?;
                Ok(self.json(&json!({})))
            }
            Operation::Card => Ok(self.json(&self.ops.extended_card()?)),
        }
    }
}
