"""Calls `pollux mcp-server` through the public SDK and prints what came of it as one JSON object."""

import asyncio
import faulthandler
import json
import os
import sys

import mcp.types as types
from mcp import ClientSession
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client


def server(*flags):
    return StdioServerParameters(
        command=sys.argv[1], args=["mcp-server", "-m", "demo", *flags], env=dict(os.environ), cwd=os.getcwd()
    )


def told(result, text):
    said = "\n".join(block.text for block in result.content if block.type == "text")
    return {"error": bool(result.is_error), "holds": text in said}


async def with_person(found):
    decisions = ["proceed_once", "cancel", "proceed_once"]
    asked, progress = [], []

    async def elicit(context, params):
        asked.append(params.message.splitlines()[0])
        return types.ElicitResult(action="accept", content={"decision": decisions.pop(0)})

    async def told_progress(done, total, message):
        progress.append(message)

    async with stdio_client(server()) as (reader, writer):
        async with ClientSession(reader, writer, elicitation_callback=elicit) as session:
            hello = await session.initialize()
            found["server"] = hello.server_info.name
            names = [tool.name for tool in (await session.list_tools()).tools]
            found["tools"] = {"read_file", "write_file", "run_shell_command", "run_task"} <= set(names)
            found["read"] = told(await session.call_tool("read_file", {"file_path": "a.txt"}), "one")
            write = {"file_path": "b.txt", "content": "x"}
            found["accepted"] = told(await session.call_tool("write_file", write), "b.txt")
            write = {"file_path": "c.txt", "content": "x"}
            found["declined"] = told(await session.call_tool("write_file", write), "declined")
            found["asked"] = list(asked)
            task = {"prompt": "create d.txt with hi"}
            done = await session.call_tool("run_task", task, progress_callback=told_progress)
            whole = done.structured_content or {}
            found["task"] = {
                "error": bool(done.is_error),
                "outcome": whole.get("outcome"),
                "changed": whole.get("changed_files"),
                "progress": any("write_file" in (message or "") for message in progress),
            }


async def without_person(found):
    async with stdio_client(server()) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            write = {"file_path": "e.txt", "content": "x"}
            found["without"] = told(await session.call_tool("write_file", write), "--approval-mode auto_edit")


async def probing(found):
    """The SDK's newer client finds out by itself which protocol the server speaks."""
    async with Client(stdio_client(server())) as client:
        found["probing"] = told(await client.call_tool("read_file", {"file_path": "a.txt"}), "one")


async def main():
    found = {}
    for phase in [with_person, without_person, probing]:
        print(phase.__name__, file=sys.stderr, flush=True)
        await phase(found)
        print(found, file=sys.stderr, flush=True)
    print(json.dumps(found))


# Sooner than whoever waits for this program gives up: then it is known where it hung.
faulthandler.dump_traceback_later(45, exit=True)
asyncio.run(main())
