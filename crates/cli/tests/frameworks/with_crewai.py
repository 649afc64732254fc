"""CrewAI: what its agents do when they hand work to a remote agent, with the ids that they keep between turns."""

import talk
from crewai.a2a.utils.delegation import aexecute_a2a_delegation


async def connect(url):
    ids = {"context_id": None, "task_id": None}

    async def say(text):
        done = await aexecute_a2a_delegation(
            endpoint=f"{url}/.well-known/agent-card.json", auth=None, timeout=60, task_description=text, **ids
        )
        last = done["history"][-1] if done["history"] else None
        ids.update(context_id=last and last.context_id, task_id=last and last.task_id)
        if done["status"].value == "completed":
            # A completed task gets no more messages, as CrewAI's own agents have it.
            ids.update(task_id=None)
        return [done.get("result") or done.get("error")]

    return say


talk.main(connect)
