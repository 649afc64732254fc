"""The public Python SDK for A2A 1.0 as a client. Usage: sdk_1_0.py URL BINDING WORKSPACE."""

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
)
from a2a.server.tasks.task_manager import append_artifact_to_task
from google.protobuf.json_format import MessageToDict, ParseDict

import checks

PATIENCE = 60


def request(body):
    return ParseDict({"message": {**body, "role": "ROLE_USER"}}, SendMessageRequest())


class Peer:
    def __init__(self, card, binding, http):
        def client(streaming):
            config = ClientConfig(
                streaming=streaming,
                httpx_client=http,
                grpc_channel_factory=grpc.aio.insecure_channel,
                supported_protocol_bindings=[binding],
            )
            return ClientFactory(config).create(card)

        self.own_card = card
        self.streams, self.waits = client(True), client(False)

    async def card(self):
        card = self.own_card
        return [card.name, card.capabilities.streaming, card.capabilities.push_notifications]

    async def send(self, body):
        async for answer in self.waits.send_message(request(body)):
            return MessageToDict(answer.task)

    async def stream(self, body):
        task = None
        async for event in self.streams.send_message(request(body)):
            if event.HasField("task"):
                task = event.task
            elif event.HasField("artifact_update"):
                append_artifact_to_task(task, event.artifact_update)
            self.folded = MessageToDict(task)
            yield MessageToDict(event)

    async def get(self, task):
        return MessageToDict(await self.waits.get_task(GetTaskRequest(id=task)))

    async def list(self, context):
        first = await self.waits.list_tasks(ListTasksRequest(context_id=context, page_size=4))
        rest = await self.waits.list_tasks(
            ListTasksRequest(context_id=context, page_size=4, page_token=first.next_page_token)
        )
        pages = [[checks.state(MessageToDict(task)) for task in page.tasks] for page in (first, rest)]
        return [first.total_size, *pages, rest.next_page_token]

    async def cancel(self, task):
        return MessageToDict(await self.waits.cancel_task(CancelTaskRequest(id=task)))

    async def follow(self, task):
        async for event in self.streams.subscribe(SubscribeToTaskRequest(id=task)):
            yield MessageToDict(event)

    async def push(self, task, url, token):
        wanted = TaskPushNotificationConfig(task_id=task, id="mine", url=url, token=token)
        return MessageToDict(await self.waits.create_task_push_notification_config(wanted))

    async def pushes(self, task, push):
        one = GetTaskPushNotificationConfigRequest(task_id=task, id=push)
        listed = await self.waits.list_task_push_notification_configs(
            ListTaskPushNotificationConfigsRequest(task_id=task)
        )
        return [(await self.waits.get_task_push_notification_config(one)).id, len(listed.configs)]

    async def push_no_more(self, task, push):
        await self.waits.delete_task_push_notification_config(
            DeleteTaskPushNotificationConfigRequest(task_id=task, id=push)
        )
        listed = await self.waits.list_task_push_notification_configs(
            ListTaskPushNotificationConfigsRequest(task_id=task)
        )
        return len(listed.configs)

    async def close(self):
        await self.streams.close()
        await self.waits.close()


async def peer(url, binding):
    http = httpx.AsyncClient(timeout=PATIENCE)
    return Peer(await A2ACardResolver(http, url).get_agent_card(), binding, http)


checks.main(peer)
