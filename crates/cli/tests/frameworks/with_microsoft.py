"""Microsoft's agent framework: an A2AAgent with a session, streamed."""

import httpx
import talk
from a2a.client import A2ACardResolver
from agent_framework.a2a import A2AAgent


async def connect(url):
    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, url).get_agent_card()
    agent = A2AAgent(agent_card=card)
    session = agent.create_session()

    async def say(text):
        return [update.text async for update in agent.run(text, stream=True, session=session)]

    return say


talk.main(connect)
