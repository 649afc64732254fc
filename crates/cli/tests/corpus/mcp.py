"""A small MCP server over its pipes, on the standard library alone. It answers nothing before the file named by its
first argument exists: whoever waits for it can be there first."""

import json
import os
import sys
import time

NUMBER = {"type": "number"}
TOOLS = [
    {
        "name": "add",
        "description": "Adds two numbers.",
        "inputSchema": {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]},
    },
    {"name": "fail", "description": "Fails.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "paint", "description": "Asks for a colour.", "inputSchema": {"type": "object", "properties": {}}},
]
COLOUR = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words, failed=False):
    return {"content": [{"type": "text", "text": words}], "isError": failed}


def call(params):
    name, arguments = params["name"], params.get("arguments") or {}
    if name == "add":
        return text(str(arguments["a"] + arguments["b"]))
    if name == "fail":
        return text("it failed, as asked", failed=True)
    wish = {"message": "Which colour?", "requestedSchema": COLOUR}
    send({"id": "colour", "method": "elicitation/create", "params": wish})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "colour":
            return text(json.dumps(message.get("result") or message.get("error"), sort_keys=True))
    return text("nobody answered", failed=True)


def answer(method, params):
    if method == "initialize":
        server = {"name": "desk", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(params)
    return {}


while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        send({"id": message["id"], "result": answer(message["method"], message.get("params") or {})})
