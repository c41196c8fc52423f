"""Rumble's wire protocol, version 1: the messages between bots and server.

`bot_messages` and `server_messages` hold one pydantic model per message, `fields` their shared types, `codes` every
code; `codec` turns frames into messages and back, and `schema` and `asyncapi` describe the messages for other programs.
`feed_messages` holds the events that spectators receive.
"""

PROTOCOL_VERSION = 1
SUBPROTOCOL = "rumble.v1"
