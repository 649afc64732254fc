"""An agent on the public Python SDK: counts, paints, or works until it is stopped.

Usage: agent.py BINDING VERSION, where BINDING is JSONRPC, HTTP+JSON or GRPC and VERSION 1.0 or 0.3. Prints its address.
"""

import asyncio
import socket
import sys

import grpc
import uvicorn
from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.helpers.proto_helpers import get_message_text, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.request_handlers.grpc_handler import GrpcHandler
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.routes.rest_routes import create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.server.tasks.task_updater import TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Task, TaskState, TaskStatus
from a2a.types.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from starlette.applications import Starlette


class Worker(AgentExecutor):
    async def execute(self, context, event_queue):
        text = get_message_text(context.message)
        waiting = context.current_task is not None
        if not waiting:
            status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
            await event_queue.enqueue_event(
                Task(id=context.task_id, context_id=context.context_id, status=status, history=[context.message])
            )
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        say = lambda words: updater.new_agent_message([new_text_part(words)])
        if waiting:
            await updater.add_artifact([new_text_part(f"painted {text}")], name="picture")
            await updater.complete()
        elif text.startswith("paint"):
            await updater.requires_input(say("Which colour?"))
        elif text.startswith("count"):
            await updater.start_work(say("counting"))
            await updater.add_artifact([new_text_part("one ")], artifact_id="sum", append=False, last_chunk=False)
            await updater.add_artifact([new_text_part("two")], artifact_id="sum", append=True, last_chunk=True)
            await updater.complete(say(f"counted in {context.context_id}"))
        else:
            await updater.start_work(say("working"))
            await asyncio.Event().wait()

    async def cancel(self, context, event_queue):
        print("cancelled", flush=True)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def grpc_server(handler, version):
    server = grpc.aio.server()
    if version == "0.3":
        a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), server)
    else:
        add_A2AServiceServicer_to_server(GrpcHandler(handler), server)
    return server


async def main():
    binding, version = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", 0))
    root = f"http://127.0.0.1:{listener.getsockname()[1]}"
    interface = AgentInterface(url=root + "/", protocol_binding=binding, protocol_version=version)
    card = AgentCard(
        name="worker",
        description="counts and paints",
        version="1",
        supported_interfaces=[interface],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="work", name="work", description="works", tags=["work"])],
    )
    handler = DefaultRequestHandlerV2(Worker(), InMemoryTaskStore(), card)
    routes = create_agent_card_routes(card)
    if binding == "GRPC":
        server = grpc_server(handler, version)
        # As most cards do it: a host and a port.
        card.supported_interfaces[0].url = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
    elif binding == "HTTP+JSON":
        routes += create_rest_routes(handler, enable_v0_3_compat=version == "0.3")
    else:
        routes += create_jsonrpc_routes(handler, "/", enable_v0_3_compat=version == "0.3")
    others = "" if card.supported_interfaces[0].url.startswith(root) else f" and {card.supported_interfaces[0].url}"
    print(f"listening on {root}{others}", flush=True)
    await uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error")).serve(sockets=[listener])


asyncio.run(main())
