"""google-adk: the agent is a RemoteA2aAgent, and a runner keeps the conversation."""

from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.runners import InMemoryRunner
from google.genai import types

import talk


async def connect(url):
    agent = RemoteA2aAgent(name="pollux", agent_card=f"{url}/.well-known/agent-card.json")
    runner = InMemoryRunner(agent=agent, app_name="talk")
    session = await runner.session_service.create_session(app_name="talk", user_id="person")

    async def say(text):
        shown = []
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for event in runner.run_async(user_id="person", session_id=session.id, new_message=message):
            if event.error_message:
                raise RuntimeError(event.error_message)
            for part in event.content.parts if event.content else []:
                if part.text and not part.thought:
                    shown.append(part.text)
                elif part.function_call:
                    # The framework makes a call of what a task asks, for a person to answer.
                    shown.append(part.function_call.args["input_required"])
        return shown

    return say


talk.main(connect)
