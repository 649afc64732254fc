// The public JavaScript SDK for A2A 1.0 as a client. Usage: POLLUX_PEERS=… node sdk_1_0.mjs URL BINDING WORKSPACE.

import { main, packages, state } from "./checks.mjs";

const load = packages("node-1.0");
const {
  ListTaskPushNotificationConfigsRequest, ListTasksRequest, SendMessageRequest, StreamResponse, Task,
  TaskPushNotificationConfig,
} = await load("@a2a-js/sdk");
const { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } =
  await load("@a2a-js/sdk/client");
const { GrpcTransportFactory } = await load("@a2a-js/sdk/client/grpc");

const TRANSPORTS = { JSONRPC: JsonRpcTransportFactory, "HTTP+JSON": RestTransportFactory, GRPC: GrpcTransportFactory };

const request = (body) => SendMessageRequest.fromJSON({ message: { ...body, role: "ROLE_USER" } });

async function* plain(events) {
  for await (const event of events) yield StreamResponse.toJSON(event);
}

await main(async (url, binding) => {
  const card = await new DefaultAgentCardResolver().resolve(url);
  const client = await new ClientFactory({ transports: [new TRANSPORTS[binding]()] }).createFromAgentCard(card);
  const nobody = { tenant: "" };
  const pushes = async (taskId) => {
    const all = ListTaskPushNotificationConfigsRequest.fromJSON({ taskId, pageSize: 10 });
    return (await client.listTaskPushNotificationConfig(all)).configs.length;
  };
  return {
    card: () => [card.name, card.capabilities.streaming, card.capabilities.pushNotifications],
    send: async (body) => Task.toJSON(await client.sendMessage(request(body))),
    stream: (body, signal) => plain(client.sendMessageStream(request(body), { signal })),
    get: async (id) => Task.toJSON(await client.getTask({ ...nobody, id })),
    list: async (contextId) => {
      const page = (pageToken) => client.listTasks(ListTasksRequest.fromJSON({ contextId, pageSize: 4, pageToken }));
      const first = await page("");
      const rest = await page(first.nextPageToken);
      const states = (page) => page.tasks.map((task) => state(Task.toJSON(task)));
      return [first.totalSize, states(first), states(rest), rest.nextPageToken];
    },
    cancel: async (id) => Task.toJSON(await client.cancelTask({ ...nobody, id })),
    follow: (id) => plain(client.resubscribeTask({ ...nobody, id })),
    push: (taskId, url, token) =>
      client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON({ taskId, id: "mine", url, token })),
    pushes: async (taskId, id) => {
      const one = await client.getTaskPushNotificationConfig({ ...nobody, taskId, id });
      return [one.id, await pushes(taskId)];
    },
    pushNoMore: async (taskId, id) => {
      await client.deleteTaskPushNotificationConfig({ ...nobody, taskId, id });
      return pushes(taskId);
    },
  };
});
