// The public JavaScript SDK for A2A 0.3 as a client. Usage: POLLUX_PEERS=… node sdk_0_3.mjs URL BINDING WORKSPACE.

import { main, packages } from "./checks.mjs";

const load = packages("node");
const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } =
  await load("@a2a-js/sdk/client");
const { GrpcTransportFactory } = await load("@a2a-js/sdk/client/grpc");

const TRANSPORTS = { JSONRPC: JsonRpcTransportFactory, "HTTP+JSON": RestTransportFactory, GRPC: GrpcTransportFactory };

const params = (body) => ({
  message: {
    ...body, kind: "message", role: "user",
    parts: body.parts.map((part) => ({ kind: part.text === undefined ? "data" : "text", ...part })),
  },
});

await main(async (url, binding) => {
  const card = await new DefaultAgentCardResolver().resolve(url);
  const client = await new ClientFactory({ transports: [new TRANSPORTS[binding]()] }).createFromAgentCard(card);
  return {
    card: () => [card.name, card.capabilities.streaming, card.capabilities.pushNotifications],
    send: (body) => client.sendMessage(params(body)),
    stream: (body, signal) => client.sendMessageStream(params(body), { signal }),
    get: (id) => client.getTask({ id }),
    list: () => "not in this SDK",
    cancel: (id) => client.cancelTask({ id }),
    follow: (id) => client.resubscribeTask({ id }),
    push: async (taskId, url, token) => {
      const pushNotificationConfig = { id: "mine", url, token };
      return (await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig })).pushNotificationConfig;
    },
    pushes: async (id, pushNotificationConfigId) => {
      const one = await client.getTaskPushNotificationConfig({ id, pushNotificationConfigId });
      return [one.pushNotificationConfig.id, (await client.listTaskPushNotificationConfig({ id })).length];
    },
    pushNoMore: async (id, pushNotificationConfigId) => {
      await client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId });
      return (await client.listTaskPushNotificationConfig({ id })).length;
    },
  };
});
