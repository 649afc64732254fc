"""A small MCP server for tests, on the Python SDK: over stdio, or over HTTP at a port it prints."""

import os
import socket
import sys
import time

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Image
from mcp_types import SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("peer")


class Colour(BaseModel):
    colour: str


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("it was asked to")


@server.tool()
def picture() -> Image:
    """Returns four bytes that pass for a picture."""
    return Image(data=b"\x00\x01\x02\x03", format="png")


@server.tool()
def environment(name: str) -> str:
    """Returns a variable of the server's environment."""
    return os.environ.get(name, "(not set)")


@server.tool()
async def paint(ctx: Context) -> str:
    """Asks for a colour."""
    answer = await ctx.elicit("Which colour?", Colour)
    return f"{answer.action} {answer.data.colour}" if answer.action == "accept" else answer.action


@server.tool()
async def paint_thing(thing: str, ctx: Context) -> str:
    """Asks for the colour of a thing."""
    answer = await ctx.elicit(f"Which colour for the {thing}?", Colour)
    return f"{thing} {answer.data.colour}" if answer.action == "accept" else answer.action


@server.tool()
async def roots(ctx: Context) -> str:
    """Returns the directories it may work in."""
    listed = await ctx.session.list_roots()
    return " ".join(str(root.uri) for root in listed.roots)


@server.tool()
async def sum_up(ctx: Context) -> str:
    """Has the client's model sum up."""
    message = SamplingMessage(role="user", content=TextContent(type="text", text="Sum up."))
    answer = await ctx.session.create_message([message], max_tokens=10)
    return f"{answer.model}: {answer.content.text}"


@server.tool()
async def count(ctx: Context) -> str:
    """Counts to two, and says so."""
    for step in (1, 2):
        await ctx.report_progress(step, 2, f"counted to {step}")
    return "done"


@server.tool()
async def stall() -> str:
    """Does nothing for an hour, and hears nobody meanwhile."""
    time.sleep(3600)
    return "done"


@server.tool()
async def flood(ctx: Context) -> str:
    """Sends far more than anyone could use."""
    for step in range(10_000):
        await ctx.report_progress(step)
    return "done"


@server.tool()
def crash() -> str:
    """Ends the server."""
    print("crashing as asked", file=sys.stderr, flush=True)
    os._exit(3)


@server.resource("note://one")
def note() -> str:
    """The only note."""
    return "what it says"


@server.prompt()
def review(file: str) -> str:
    """Reviews a file."""
    return f"Review {file}."


def serve(app) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


match sys.argv[1:]:
    case ["http"]:
        serve(server.streamable_http_app())
    case ["sse"]:
        serve(server.sse_app())
    case _:
        server.run("stdio")
