"""ag2: the remote agent stands in for a model, and what it asks goes to the hook for a person's input."""

import talk
from ag2 import Agent
from ag2.a2a import A2AConfig
from ag2.events import HumanInputRequest, HumanMessage


async def connect(url):
    pending = talk.Pending()

    async def ask_person(event: HumanInputRequest) -> HumanMessage:
        return HumanMessage(await pending.answer(event.content))

    agent = Agent("person", config=A2AConfig(card_url=url), hitl_hook=ask_person)
    last = None

    async def ask(text):
        nonlocal last
        last = await (last or agent).ask(text)
        return [last.body or ""]

    return pending.around(ask)


talk.main(connect)
