"""What a Python client does with the agent, whichever SDK and binding it uses. Prints a line of JSON for each check."""

import asyncio
import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

EXTENSION = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md"
OVER = ("completed", "canceled", "failed")


def state(task):
    """Where a task or an update stands, in the words of 0.3."""
    return task["status"]["state"].removeprefix("TASK_STATE_").lower().replace("_", "-")


def inner(event):
    """The kind of an event and what is in it, in either version."""
    for kind in ("task", "statusUpdate", "artifactUpdate"):
        if kind in event:
            return kind, event[kind]
    return {"task": "task", "status-update": "statusUpdate", "artifact-update": "artifactUpdate"}[event["kind"]], event


def words(parts):
    """The parts in a few words."""
    for part in parts:
        if "text" in part:
            yield f"text {part['text']}"
        elif "tool_call_id" in part.get("data", {}):
            yield f"call {part['data']['tool_name']} {part['data']['status']}"
        elif "data" in part:
            yield "data"
        else:
            yield "file"


def told(event):
    """An event in a few words; nothing for a remark, or for the end of an answer that is told in chunks."""
    kind, body = inner(event)
    if "pollux/remark" in body.get("metadata", {}):
        return []
    if kind == "artifactUpdate":
        made = ", ".join(words(body["artifact"]["parts"]))
        return [] if made.strip() == "text" else [f"artifact: {made}"]
    parts = body["status"].get("message", {}).get("parts", []) if kind == "statusUpdate" else []
    asks = state(body) == "input-required"
    said = list(words(part for part in parts if not (asks and "text" in part)))
    return said or [f"{'task' if kind == 'task' else 'state'} {state(body)}"]


def answers(task):
    """The texts of a task's answers, however many parts each came in."""
    texts = {made["artifactId"]: [part.get("text", "") for part in made["parts"]] for made in task["artifacts"]}
    return sorted("".join(texts[made]) for made in texts if made.startswith("answer-"))


def question(event):
    """What an event asks in words, if it says that something waits for an answer."""
    kind, body = inner(event)
    if kind == "artifactUpdate" or state(body) != "input-required":
        return None
    parts = body["status"].get("message", {}).get("parts", [])
    return next((part["text"] for part in parts if "text" in part), "")


def call(event):
    """The tool call of an event, if it tells of one."""
    kind, body = inner(event)
    parts = body["status"].get("message", {}).get("parts", []) if kind != "artifactUpdate" else []
    return next((part["data"] for part in parts if "tool_call_id" in part.get("data", {})), None)


class Stream:
    """The events of a stream, kept as they come."""

    def __init__(self, events):
        self.events = events
        self.seen = []
        self.told = []

    async def until(self, wanted=lambda event: False):
        """Read up to an event that is wanted, or to the end."""
        async for event in self.events:
            self.seen.append(event)
            # How often a running call is told of depends on the moment.
            self.told += [line for line in told(event) if [line] != self.told[-1:]]
            if wanted(event):
                return self
        return self

    @property
    def task(self):
        _, body = inner(self.seen[0])
        return body.get("taskId") or body["id"]

    @property
    def in_words(self):
        """Whether every event that waits for an answer says what is asked."""
        questions = [asked for asked in map(question, self.seen) if asked is not None]
        return bool(questions) and all("The agent wants to change " in asked for asked in questions)

    @property
    def asks(self):
        return next(found["tool_call_id"] for found in map(call, reversed(self.seen)) if found)


class Receiver:
    """A web server of the client's, which news are pushed to."""

    def __init__(self, token):
        self.news = asyncio.Queue()
        loop = asyncio.get_running_loop()
        receiver = self

        class Door(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                known = self.headers["x-a2a-notification-token"] == token
                loop.call_soon_threadsafe(receiver.news.put_nowait, body if known else None)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.url = f"http://127.0.0.1:{self.server.server_port}/news"
        Thread(target=self.server.serve_forever, daemon=True).start()

    async def all(self):
        """The news up to the one that says that the task is over."""
        lines = []
        while not lines or lines[-1].split()[-1] not in OVER:
            body = await self.news.get()
            assert body is not None, "news came without the token"
            lines += [line for line in told(body) if [line] != lines[-1:]]
        return lines


extensions = [EXTENSION]


def fresh(parts, **ids):
    """A message, in the words that both versions share."""
    return {"messageId": str(uuid.uuid4()), "parts": parts, "extensions": extensions, **ids}


def say(text, **ids):
    return fresh([{"text": text}], **ids)


def approve(stream):
    answer = {"tool_call_id": stream.asks, "selected_option_id": "proceed_once"}
    return fresh([{"data": answer}], taskId=stream.task)


def report(check, saw):
    print(json.dumps({"check": check, "saw": saw}), flush=True)


async def run(peer, workspace):
    """Every check, in an order that the agent's script knows. They share one context, thus one conversation."""
    report("card", await peer.card())

    task = await peer.send(say("greet"))
    context = task["contextId"]
    report("send", [state(task), *(line for made in task["artifacts"] for line in words(made["parts"]))])

    stream = await Stream(peer.stream(say("greet again", contextId=context))).until()
    report("stream", stream.told)

    asked = await Stream(peer.stream(say("write", contextId=context))).until()
    report("ask", [*asked.told, asked.in_words])
    answered = await Stream(peer.stream(approve(asked))).until()
    report("approve", answered.told)
    task = await peer.get(asked.task)
    report("get", [state(task), len(task["artifacts"]), (workspace / "approved.txt").read_text()])

    asked = await Stream(peer.stream(say("write elsewhere", contextId=context))).until()
    report("cancel", state(await peer.cancel(asked.task)))

    asked = await Stream(peer.stream(say("wait", contextId=context))).until()
    cut = Stream(peer.stream(approve(asked)))
    await cut.until(lambda event: (call(event) or {}).get("status") == "EXECUTING")
    await cut.events.aclose()
    again = Stream(peer.follow(asked.task))
    await again.until(lambda event: True)
    (workspace / "go").touch()
    report("follow after a cut", (await again.until()).told)

    asked = await Stream(peer.stream(say("tell", contextId=context))).until()
    receiver = Receiver("a word")
    push = await peer.push(asked.task, receiver.url, "a word")
    report("push", [push["url"] == receiver.url, await peer.pushes(asked.task, push["id"])])
    await Stream(peer.stream(approve(asked))).until()
    report("pushed", await receiver.all())
    report("push no more", await peer.push_no_more(asked.task, push["id"]))

    report("list", await peer.list(context))
    try:
        await peer.get(str(uuid.uuid4()))
    except Exception as error:
        report("no such task", type(error).__name__)
    receiver.server.shutdown()
    await peer.close()


async def converse(peer, workspace):
    """A whole conversation of a client that knows nothing but A2A: it reads texts and answers in words."""
    extensions.clear()
    task = await peer.send(say("greet"))
    report("send", [state(task), *(line for made in task.get("artifacts", []) for line in words(made["parts"]))])
    context = task["contextId"]
    report("stream", (await Stream(peer.stream(say("greet again", contextId=context))).until()).told)
    for reply in ("yes", "No.", "no, greet me instead"):
        asked = await Stream(peer.stream(say("write", contextId=context))).until()
        report("ask", asked.in_words)
        answered = await Stream(peer.stream(say(reply, taskId=asked.task))).until()
        report(reply, answered.told[-2:])
        if reply == "yes":
            report("folded", answers(peer.folded))
            report("read", answers(await peer.get(asked.task)))
    report("written", [(workspace / name).exists() for name in ("approved.txt", "declined.txt")])
    await peer.close()


def main(peer):
    """Run with `URL BINDING WORKSPACE [converse]`; `peer` makes a client of the first two."""
    url, binding, workspace, *scenario = sys.argv[1:]

    async def all_of_it():
        await (converse if scenario == ["converse"] else run)(await peer(url, binding), Path(workspace))

    asyncio.run(all_of_it())
