"""Rumble's wire protocol, version 1: what bots and server say to each other.

`bot_messages` and `server_messages` hold one pydantic model per message, `fields` what they share, `codes` every
code in one place; `codec` turns frames into messages and back, and `schema` tells the same as JSON Schema.
`feed_messages` is what spectators are sent.
"""

PROTOCOL_VERSION = 1
SUBPROTOCOL = "rumble.v1"
