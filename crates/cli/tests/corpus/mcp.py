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
    {"name": "sum_up", "description": "Asks the model.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "roots", "description": "Asks where it may work.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "count", "description": "Says how far it is.", "inputSchema": {"type": "object", "properties": {}}},
]
COLOUR = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words, failed=False):
    return {"content": [{"type": "text", "text": words}], "isError": failed}


def ask(method, params):
    send({"id": "ours", "method": method, "params": params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == "ours":
            return text(json.dumps(message.get("result") or message.get("error"), sort_keys=True))
    return text("nobody answered", failed=True)


def call(params):
    name, arguments = params["name"], params.get("arguments") or {}
    if name == "add":
        return text(str(arguments["a"] + arguments["b"]))
    if name == "fail":
        return text("it failed, as asked", failed=True)
    if name == "sum_up":
        message = {"role": "user", "content": {"type": "text", "text": "Sum up."}}
        return ask("sampling/createMessage", {"messages": [message], "systemPrompt": "Be brief.", "maxTokens": 100})
    if name == "roots":
        return ask("roots/list", {})
    if name == "count":
        progress = {"progressToken": params["_meta"]["progressToken"], "progress": 1, "total": 2, "message": "half"}
        send({"method": "notifications/progress", "params": progress})
        # A client hears things side by side: after a few answers it has heard what came before them.
        for _ in range(10):
            ask("ping", {})
        return text("done")
    return ask("elicitation/create", {"message": "Which colour?", "requestedSchema": COLOUR})


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
