// The same agent on the public JavaScript SDK 0.3: counts, paints, or works until it is stopped.
// Usage: POLLUX_PEERS=… node agent.mjs. Prints its address.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// Packages are where the tests keep them, not beside this file.
const require = createRequire(`${process.env.POLLUX_PEERS}/node/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { default: express } = await load("express");
const { DefaultRequestHandler, InMemoryTaskStore } = await load("@a2a-js/sdk/server");
const { agentCardHandler, jsonRpcHandler, UserBuilder } = await load("@a2a-js/sdk/server/express");

let number = 0;
const stops = new Map();

const worker = {
  async execute({ taskId, contextId, task, userMessage }, bus) {
    const text = userMessage.parts.map((part) => part.text ?? "").join("");
    const message = (words) => ({
      kind: "message", role: "agent", messageId: `m${++number}`, taskId, contextId, parts: [{ kind: "text", text: words }],
    });
    const status = (state, words, final) => bus.publish({
      kind: "status-update", taskId, contextId, final,
      status: { state, timestamp: new Date().toISOString(), ...(words && { message: message(words) }) },
    });
    const artifact = (artifactId, words, append) => bus.publish({
      kind: "artifact-update", taskId, contextId, append, artifact: { artifactId, parts: [{ kind: "text", text: words }] },
    });
    if (!task) bus.publish({ kind: "task", id: taskId, contextId, status: { state: "submitted" }, history: [userMessage] });
    if (task) {
      artifact("picture", `painted ${text}`, false);
      status("completed", undefined, true);
    } else if (text.startsWith("paint")) {
      status("input-required", "Which colour?", true);
    } else if (text.startsWith("count")) {
      status("working", "counting", false);
      artifact("sum", "one ", false);
      artifact("sum", "two", true);
      status("completed", `counted in ${contextId}`, true);
    } else {
      status("working", "working", false);
      await new Promise((stop) => stops.set(taskId, stop));
      console.log("cancelled");
      status("canceled", undefined, true);
    }
    bus.finished();
  },
  async cancelTask(taskId) {
    stops.get(taskId)?.();
  },
};

const app = express();
const server = app.listen(0, "127.0.0.1", () => {
  const root = `http://127.0.0.1:${server.address().port}`;
  const card = {
    name: "worker", description: "counts and paints", protocolVersion: "0.3.0", version: "1", url: `${root}/a2a`,
    capabilities: { streaming: true }, defaultInputModes: ["text"], defaultOutputModes: ["text"],
    skills: [{ id: "work", name: "work", description: "works", tags: ["work"] }],
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), worker);
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/a2a", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  console.log(`listening on ${root}`);
});
