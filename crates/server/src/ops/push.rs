//! Where a task's news is pushed to. The deliverer does the pushing; this only keeps the book.

use super::A2aOperations;
use crate::errors::RequestError;
use crate::extensions::DeclaredExtensions;
use crate::inbound::{InboundMessage, check_id};
use crate::push::{PushService, stored_form, visible_config, without_secret};
use crate::session_access::TaskHandle;
use crate::version::A2aVersion;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pollux_session::{PushTarget, Refusal, Right, Seq};
use pollux_wire::a2a::{PushNotificationConfig, TaskPushNotificationConfig};
use pollux_wire::jsonrpc;
use uuid::Uuid;

/// The wanted part of a list of push configurations; what is empty or zero is no wish.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PushConfigQuery<'a> {
    pub(crate) page_size: i32,
    pub(crate) page_token: &'a str,
}

impl A2aOperations {
    /// Push a task's news from now on.
    pub(crate) async fn set_push(
        &self,
        config: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, RequestError> {
        let push = self.push()?;
        self.check_push_right()?;
        let handle = self.find_task(&config.task_id).await?;
        let mut config = config.push_notification_config;
        push.check(&config).await?;
        // In 0.3 who names none sets the only one there is; in 1.0 each one that is made gets an id of its own.
        if self.version == A2aVersion::V10 && config.id.as_deref().unwrap_or_default().is_empty() {
            config.id = Some(Uuid::now_v7().to_string());
        }
        let head = self.app.feeds.newest_state(&*handle.seat).await?.state.head;
        self.push_to(&handle, config, head, None).await
    }

    /// Where a message wants its task's news pushed to, once that is known to be possible: a message with a target that
    /// is refused is not taken.
    pub(super) async fn wanted_push(
        &self,
        inbound: &InboundMessage,
    ) -> Result<Option<PushNotificationConfig>, RequestError> {
        let Some(config) = &inbound.configuration.push_notification_config else { return Ok(None) };
        let push = self.push()?;
        self.check_push_right()?;
        push.check(config).await?;
        if let Some(task) = &inbound.task {
            let handle = self.app.sessions.find(&self.who, task).await?;
            push.has_room(&self.who, handle.scope.uuid(), &id_of(config, &handle)).await?;
        }
        Ok(Some(config.clone()))
    }

    /// Push the news of `handle` after an entry, to whoever sent `message`.
    pub(super) async fn push_to(
        &self,
        handle: &TaskHandle,
        mut config: PushNotificationConfig,
        after: Seq,
        message: Option<&DeclaredExtensions>,
    ) -> Result<TaskPushNotificationConfig, RequestError> {
        let id = id_of(&config, handle);
        config.id = Some(id.clone());
        let target = PushTarget {
            owner: self.who.owner.clone(),
            task: handle.scope.uuid(),
            id,
            form: stored_form(&self.who, self.audience(handle, message).await?, &config),
            cursor: after,
        };
        self.push()?.add(&self.who, target).await?;
        Ok(TaskPushNotificationConfig {
            task_id: handle.scope.wire_id(),
            push_notification_config: without_secret(config),
        })
    }

    /// One of the places a task's news goes to; the only one when none is named.
    pub(crate) async fn get_push(
        &self,
        task: &str,
        id: Option<&str>,
    ) -> Result<TaskPushNotificationConfig, RequestError> {
        id.map_or(Ok(()), |id| check_id("id", id))?;
        let all = self.list_push(task).await?;
        let named = |config: &TaskPushNotificationConfig| {
            id.is_none_or(|id| config.push_notification_config.id.as_deref() == Some(id))
        };
        all.into_iter().find(named).ok_or_else(|| {
            let message = format!("task {task} has no such push configuration");
            RequestError::new(jsonrpc::TASK_NOT_FOUND, message)
        })
    }

    /// A page of the places a task's news goes to, by their ids, and where the next one begins.
    pub(crate) async fn list_push_page(
        &self,
        task: &str,
        wish: PushConfigQuery<'_>,
    ) -> Result<(Vec<TaskPushNotificationConfig>, String), RequestError> {
        let size = usize::try_from(wish.page_size)
            .map_err(|_| RequestError::invalid_params("`pageSize` must not be negative"))?;
        let after = read_token(wish.page_token)?;
        let mut configs = self.list_push(task).await?;
        configs.retain(|config| after.as_deref().is_none_or(|after| name_of(config) > after));
        let more = size > 0 && configs.len() > size;
        if more {
            configs.truncate(size);
        }
        let next = configs.last().filter(|_| more).map(|last| URL_SAFE_NO_PAD.encode(name_of(last)));
        Ok((configs, next.unwrap_or_default()))
    }

    /// All the places a task's news goes to, by their ids.
    pub(crate) async fn list_push(&self, task: &str) -> Result<Vec<TaskPushNotificationConfig>, RequestError> {
        let push = self.push()?;
        let handle = self.find_task(task).await?;
        let targets = push.targets().of(&self.who, handle.scope.uuid()).await?;
        let configs = targets.iter().filter_map(|target| {
            let push_notification_config = visible_config(&target.form)?;
            Some(TaskPushNotificationConfig { task_id: handle.scope.wire_id(), push_notification_config })
        });
        Ok(configs.collect())
    }

    /// Push no more to one of them. Forgetting twice is no error.
    pub(crate) async fn delete_push(&self, task: &str, id: &str) -> Result<(), RequestError> {
        let push = self.push()?;
        self.check_push_right()?;
        check_id("id", id)?;
        let handle = self.find_task(task).await?;
        push.remove(&self.who, handle.scope.uuid(), id).await?;
        Ok(())
    }

    /// The push service, where push is offered.
    pub(crate) fn push(&self) -> Result<&PushService, RequestError> {
        self.app.push.as_deref().ok_or_else(|| {
            RequestError::new(
                jsonrpc::PUSH_NOT_SUPPORTED,
                "push notifications are not supported here; follow the task instead",
            )
        })
    }

    /// Whoever may only look does not make the server call others.
    fn check_push_right(&self) -> Result<(), RequestError> {
        let right = Right::Prompt;
        if self.who.rights.allow(right) { Ok(()) } else { Err(Refusal::NotAllowed { right }.into()) }
    }
}

fn name_of(config: &TaskPushNotificationConfig) -> &str {
    config.push_notification_config.id.as_deref().unwrap_or_default()
}

/// The position that a page comes after.
fn read_token(token: &str) -> Result<Option<String>, RequestError> {
    if token.is_empty() {
        return Ok(None);
    }
    let read = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let unknown =
        || RequestError::invalid_params("`pageToken` is none that was given out here; leave it out to start over");
    read.map(Some).ok_or_else(unknown)
}

/// The name of a target: its own, or that of the task, so that setting it again changes it.
fn id_of(config: &PushNotificationConfig, handle: &TaskHandle) -> String {
    config.id.clone().filter(|id| !id.is_empty()).unwrap_or_else(|| handle.scope.wire_id())
}
