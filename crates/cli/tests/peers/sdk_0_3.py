"""The public Python SDK for A2A 0.3 as a client. Usage: sdk_0_3.py URL BINDING WORKSPACE."""

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    PushNotificationConfig,
    Task,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
)

import checks

PATIENCE = 60


def plain(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def message(body):
    parts = [{"kind": "text" if "text" in part else "data", **part} for part in body["parts"]]
    return Message.model_validate({**body, "kind": "message", "role": "user", "parts": parts})


class Peer:
    def __init__(self, card, binding, http):
        def client(streaming):
            config = ClientConfig(
                streaming=streaming,
                httpx_client=http,
                grpc_channel_factory=grpc.aio.insecure_channel,
                supported_transports=[binding],
            )
            return ClientFactory(config).create(card)

        self.own_card = card
        self.streams, self.waits = client(True), client(False)

    async def card(self):
        card = plain(self.own_card)
        return [card["name"], card["capabilities"]["streaming"], card["capabilities"]["pushNotifications"]]

    async def send(self, body):
        async for task, _ in self.waits.send_message(message(body)):
            return plain(task)

    async def stream(self, body):
        async for task, update in self.streams.send_message(message(body)):
            self.folded = plain(task)
            yield plain(update or task)

    async def get(self, task):
        return plain(await self.waits.get_task(TaskQueryParams(id=task)))

    async def list(self, context):
        return "not in this SDK"

    async def cancel(self, task):
        return plain(await self.waits.cancel_task(TaskIdParams(id=task)))

    async def follow(self, task):
        async for whole, update in self.streams.resubscribe(TaskIdParams(id=task)):
            yield plain(update or whole)

    async def push(self, task, url, token):
        config = PushNotificationConfig(id="mine", url=url, token=token)
        wanted = TaskPushNotificationConfig(task_id=task, push_notification_config=config)
        return plain(await self.waits.set_task_callback(wanted))["pushNotificationConfig"]

    async def pushes(self, task, push):
        params = GetTaskPushNotificationConfigParams(id=task, push_notification_config_id=push)
        return [(await self.waits.get_task_callback(params)).push_notification_config.id]

    async def push_no_more(self, task, push):
        return "not in this SDK"

    async def close(self):
        await self.streams.close()
        await self.waits.close()


async def peer(url, binding):
    http = httpx.AsyncClient(timeout=PATIENCE)
    return Peer(await A2ACardResolver(http, url).get_agent_card(), binding, http)


checks.main(peer)
