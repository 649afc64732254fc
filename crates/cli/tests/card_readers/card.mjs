// Reads the card of an agent that demands a token, then its extended card over HTTP+JSON, with the public JavaScript SDK
// below POLLUX_PEERS/PREFIX. Usage: POLLUX_PEERS=… node card.mjs URL TOKEN PREFIX.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [url, token, prefix] = process.argv.slice(2);
const require = createRequire(`${process.env.POLLUX_PEERS}/${prefix}/package.json`);
const { ClientFactory, DefaultAgentCardResolver, RestTransportFactory } =
  await import(pathToFileURL(require.resolve("@a2a-js/sdk/client")));

const fetchImpl = (address, init) =>
  fetch(address, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), Authorization: `Bearer ${token}` } });

/** How to sign in, and whether there is a longer card. */
function told(card) {
  const bearer = card.securitySchemes.bearer;
  const needed = card.security ?? card.securityRequirements.map((requirement) => requirement.schemes);
  return [
    bearer.scheme.value?.scheme ?? bearer.scheme,
    Object.keys(needed[0]),
    card.supportsAuthenticatedExtendedCard ?? card.capabilities.extendedAgentCard,
  ];
}

const card = await new DefaultAgentCardResolver({ fetchImpl }).resolve(url);
const factory = new ClientFactory({ transports: [new RestTransportFactory({ fetchImpl })] });
const client = await factory.createFromAgentCard(structuredClone(card));
const extended = await client.getAgentCard();
console.log(JSON.stringify([told(card), told(extended), extended.skills.length > card.skills.length]));
