"""Reads the card of an agent that demands a token, then its extended card over HTTP+JSON, with whichever public SDK is
installed. Names no version of A2A. Usage: card.py URL TOKEN."""

import asyncio
import json
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory

try:
    from a2a.types import GetExtendedAgentCardRequest
    from google.protobuf.json_format import MessageToDict
except ImportError:
    GetExtendedAgentCardRequest = None


def told(card):
    """How to sign in, and whether there is a longer card."""
    if GetExtendedAgentCardRequest:
        card = MessageToDict(card)
        scheme = card["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]["scheme"]
        return [scheme, list(card["securityRequirements"][0]["schemes"]), card["capabilities"]["extendedAgentCard"]]
    card = card.model_dump(mode="json", by_alias=True, exclude_none=True)
    return [
        card["securitySchemes"]["bearer"]["scheme"],
        list(card["security"][0]),
        card["supportsAuthenticatedExtendedCard"],
    ]


async def main(url, token):
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        if GetExtendedAgentCardRequest:
            client = ClientFactory(ClientConfig(httpx_client=http, supported_protocol_bindings=["HTTP+JSON"])).create(card)
            extended = await client.get_extended_agent_card(GetExtendedAgentCardRequest())
        else:
            client = ClientFactory(ClientConfig(httpx_client=http, supported_transports=["HTTP+JSON"])).create(card)
            extended = await client.get_card()
        print(json.dumps([told(card), told(extended), len(extended.skills) > len(card.skills)]))


asyncio.run(main(*sys.argv[1:]))
