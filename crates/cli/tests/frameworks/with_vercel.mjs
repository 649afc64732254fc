// Vercel's AI SDK with the provider for A2A: the agent is a model, and its texts are streamed.
import { randomUUID } from "node:crypto";

const packages = `${process.env.POLLUX_PEERS}/more/vercel/node_modules`;
const { a2a } = await import(`${packages}/a2a-ai-provider/dist/index.js`);
const { streamText } = await import(`${packages}/ai/dist/index.mjs`);

// The provider prints every event that it sees.
const print = console.log;
console.log = () => {};

const [url, ...prompts] = process.argv.slice(2);
const contextId = randomUUID();
for (const said of prompts) {
  const answer = streamText({
    model: a2a(`${url}/.well-known/agent-card.json`),
    prompt: said,
    providerOptions: { a2a: { contextId } },
  });
  const shown = [];
  for await (const text of answer.textStream) shown.push(text);
  print(JSON.stringify({ said, shown }));
}
process.exit(0);
