"""BeeAI: an A2AAgent, which shows the newest artifact, or else the newest message."""

import talk
from beeai_framework.adapters.a2a.agents import A2AAgent
from beeai_framework.memory import UnconstrainedMemory


async def connect(url):
    agent = A2AAgent(url=url, memory=UnconstrainedMemory())

    async def say(text):
        return [(await agent.run(text)).last_message.text]

    return say


talk.main(connect)
