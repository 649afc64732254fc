// What a JavaScript client does with the agent, whichever SDK and binding it uses. Prints a line of JSON for each check.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";

const EXTENSION = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";
const OVER = ["completed", "canceled", "failed"];

/** Loads packages from where the tests keep them: `prefix` below POLLUX_PEERS. */
export function packages(prefix) {
  const require = createRequire(`${process.env.POLLUX_PEERS}/${prefix}/package.json`);
  return (name) => import(pathToFileURL(require.resolve(name)));
}

/** Where a task or an update stands, in the words of 0.3. */
export const state = (task) => task.status.state.replace("TASK_STATE_", "").toLowerCase().replaceAll("_", "-");

/** The kind of an event and what is in it, in either version. */
function inner(event) {
  for (const kind of ["task", "statusUpdate", "artifactUpdate"]) if (event[kind]) return [kind, event[kind]];
  return [{ task: "task", "status-update": "statusUpdate", "artifact-update": "artifactUpdate" }[event.kind], event];
}

/** The parts in a few words. */
const words = (parts) => parts.map((part) => {
  if (part.text !== undefined) return `text ${part.text}`;
  if (part.data?.tool_call_id) return `call ${part.data.tool_name} ${part.data.status}`;
  return part.data ? "data" : "file";
});

/** An event in a few words; nothing for a remark, or for the end of an answer that is told in chunks. */
function told(event) {
  const [kind, body] = inner(event);
  if (body.metadata?.["pollux/remark"]) return [];
  if (kind === "artifactUpdate") {
    const made = words(body.artifact.parts).join(", ");
    return made.trim() === "text" ? [] : [`artifact: ${made}`];
  }
  const parts = kind === "statusUpdate" ? (body.status.message?.parts ?? []) : [];
  const said = words(state(body) === "input-required" ? parts.filter((part) => part.text === undefined) : parts);
  return said.length ? said : [`${kind === "task" ? "task" : "state"} ${state(body)}`];
}

/** The texts of the answers among artifacts, however many parts each came in. */
const answers = (artifacts) => artifacts.filter((made) => made.artifactId.startsWith("answer-"))
  .map((made) => made.parts.map((part) => part.text).join("")).sort();

/** The artifacts that the events of one stream add up to. */
function folded(events) {
  const held = new Map();
  for (const [kind, { artifact, append, artifacts = [] }] of events.map(inner)) {
    if (kind === "task") artifacts.forEach((made) => held.set(made.artifactId, made));
    if (kind !== "artifactUpdate") continue;
    const known = held.get(artifact.artifactId);
    if (append && !known) throw new Error(`${artifact.artifactId} goes on and has never begun`);
    // The SDK of 0.3 passes `append` on over JSON-RPC only, and nothing is replaced here.
    held.set(artifact.artifactId, known ? { ...known, parts: [...known.parts, ...artifact.parts] } : artifact);
  }
  return [...held.values()];
}

/** What an event asks in words, if it says that something waits for an answer. */
function question(event) {
  const [kind, body] = inner(event);
  if (kind === "artifactUpdate" || state(body) !== "input-required") return undefined;
  return (body.status.message?.parts ?? []).find((part) => part.text !== undefined)?.text ?? "";
}

/** The tool call of an event, if it tells of one. */
function call(event) {
  const [kind, body] = inner(event);
  const parts = kind === "artifactUpdate" ? [] : (body.status.message?.parts ?? []);
  return parts.map((part) => part.data).find((data) => data?.tool_call_id);
}

/** The events of a stream, kept as they come. */
class Stream {
  seen = [];
  told = [];

  constructor(events) {
    this.events = events;
  }

  /** Read up to an event that is wanted, or to the end. */
  async until(wanted = () => false) {
    for (;;) {
      const { done, value } = await this.events.next();
      if (done) return this;
      this.seen.push(value);
      // How often a running call is told of depends on the moment.
      this.told.push(...told(value).filter((line) => line !== this.told.at(-1)));
      if (wanted(value)) return this;
    }
  }

  get task() {
    const [, body] = inner(this.seen[0]);
    return body.taskId ?? body.id;
  }

  /** Whether every event that waits for an answer says what is asked. */
  get inWords() {
    const questions = this.seen.map(question).filter((asked) => asked !== undefined);
    return questions.length > 0 && questions.every((asked) => asked.includes("The agent wants to change "));
  }

  get asks() {
    return this.seen.map(call).filter(Boolean).at(-1).tool_call_id;
  }
}

/** A web server of the client's, which news are pushed to. */
class Receiver {
  lines = [];

  constructor(token) {
    this.all = new Promise((over, wrong) => {
      this.server = createServer(async (request, response) => {
        let body = "";
        for await (const piece of request) body += piece;
        response.end();
        if (request.headers["x-a2a-notification-token"] !== token) wrong(new Error("news came without the token"));
        this.lines.push(...told(JSON.parse(body)).filter((line) => line !== this.lines.at(-1)));
        if (OVER.includes(this.lines.at(-1)?.split(" ").at(-1))) over(this.lines);
      });
    });
  }

  async open() {
    await new Promise((ready) => this.server.listen(0, "127.0.0.1", ready));
    return `http://127.0.0.1:${this.server.address().port}/news`;
  }
}

/** A message, in the words that both versions share. */
let extensions = [EXTENSION];
const fresh = (parts, ids) => ({ messageId: randomUUID(), parts, extensions, ...ids });
const say = (text, ids) => fresh([{ text }], ids);
const approve = (stream) =>
  fresh([{ data: { tool_call_id: stream.asks, selected_option_id: "proceed_once" } }], { taskId: stream.task });
const report = (check, saw) => console.log(JSON.stringify({ check, saw }));

/** Every check, in an order that the agent's script knows. They share one context, thus one conversation. */
async function run(peer, workspace) {
  const listen = (message) => new Stream(peer.stream(message)).until();
  report("card", await peer.card());

  let task = await peer.send(say("greet"));
  const contextId = task.contextId;
  report("send", [state(task), ...task.artifacts.flatMap((made) => words(made.parts))]);
  report("stream", (await listen(say("greet again", { contextId }))).told);

  let asked = await listen(say("write", { contextId }));
  report("ask", [...asked.told, asked.inWords]);
  report("approve", (await listen(approve(asked))).told);
  task = await peer.get(asked.task);
  report("get", [state(task), task.artifacts.length, readFileSync(`${workspace}/approved.txt`, "utf8")]);

  asked = await listen(say("write elsewhere", { contextId }));
  report("cancel", state(await peer.cancel(asked.task)));

  asked = await listen(say("wait", { contextId }));
  const stop = new AbortController();
  const cut = new Stream(peer.stream(approve(asked), stop.signal));
  await cut.until((event) => call(event)?.status === "EXECUTING");
  stop.abort();
  const again = await new Stream(peer.follow(asked.task)).until(() => true);
  if (existsSync(`${workspace}/go`)) throw new Error("the command was let go too early");
  writeFileSync(`${workspace}/go`, "");
  report("follow after a cut", (await again.until()).told);

  asked = await listen(say("tell", { contextId }));
  const receiver = new Receiver("a word");
  const url = await receiver.open();
  const push = await peer.push(asked.task, url, "a word");
  report("push", [push.url === url, await peer.pushes(asked.task, push.id)]);
  await listen(approve(asked));
  report("pushed", await receiver.all);
  report("push no more", await peer.pushNoMore(asked.task, push.id));

  report("list", await peer.list(contextId));
  await peer.get(randomUUID()).catch((error) => report("no such task", error.constructor.name));
}

/** A whole conversation of a client that knows nothing but A2A: it reads texts and answers in words. */
async function converse(peer, workspace) {
  extensions = [];
  const listen = (message) => new Stream(peer.stream(message)).until();
  const first = await peer.send(say("greet"));
  report("send", [state(first), ...(first.artifacts ?? []).flatMap((made) => words(made.parts))]);
  const contextId = first.contextId;
  report("stream", (await listen(say("greet again", { contextId }))).told);
  for (const reply of ["yes", "No.", "no, greet me instead"]) {
    const asked = await listen(say("write", { contextId }));
    report("ask", asked.inWords);
    const answered = await listen(say(reply, { taskId: asked.task }));
    report(reply, answered.told.slice(-2));
    if (reply !== "yes") continue;
    report("folded", answers(folded(answered.seen)));
    report("read", answers((await peer.get(asked.task)).artifacts));
  }
  report("written", [existsSync(`${workspace}/approved.txt`), existsSync(`${workspace}/declined.txt`)]);
}

/** Run with `URL BINDING WORKSPACE [converse]`; `peer` makes a client of the first two. */
export async function main(peer) {
  const [url, binding, workspace, scenario] = process.argv.slice(2);
  await (scenario === "converse" ? converse : run)(await peer(url, binding), workspace);
  // Connections that are kept alive would keep the process alive, too.
  process.exit(0);
}
