"""Strands: an A2AAgent. It keeps neither the context nor the task of what was said before."""

import talk
from strands.agent.a2a_agent import A2AAgent


async def connect(url):
    agent = A2AAgent(endpoint=url)

    async def say(text):
        return [block["text"] for block in (await agent.invoke_async(text)).message["content"]]

    return say


talk.main(connect)
