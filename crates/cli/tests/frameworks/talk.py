"""What a person says to the agent by way of a framework that knows nothing but A2A. Prints what is then shown, a line of JSON each."""

import asyncio
import json
import sys


class Pending:
    """A call of a framework that asks the person in its midst, seen as turns of a conversation."""

    def __init__(self):
        self.call = None
        self.question = None
        self.reply = None

    async def answer(self, question):
        """What the person says next, who is shown the question first."""
        self.reply = asyncio.get_running_loop().create_future()
        self.question.set_result(question)
        return await self.reply

    def around(self, ask):
        async def say(text):
            self.question = asyncio.get_running_loop().create_future()
            if self.call:
                self.reply.set_result(text)
            else:
                self.call = asyncio.ensure_future(ask(text))
            await asyncio.wait([self.call, self.question], return_when=asyncio.FIRST_COMPLETED)
            if self.question.done():
                return [self.question.result()]
            call, self.call = self.call, None
            return await call

        return say


def main(connect):
    """Run with `URL PROMPT…`. `connect` makes a coroutine of the first that says a text and returns the texts that are shown for it."""
    url, *prompts = sys.argv[1:]

    async def talk():
        say = await connect(url)
        for prompt in prompts:
            shown = [text for text in await say(prompt) if text]
            print(json.dumps({"said": prompt, "shown": shown}), flush=True)

    asyncio.run(talk())
