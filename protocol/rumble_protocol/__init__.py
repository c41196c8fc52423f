"""Rumble's wire protocol, version 1: the messages between bots and server.

`bot_messages` and `server_messages` hold a pydantic model for each message. `fields` holds the types that several
messages share, and `codes` holds every code. `codec` turns frames into messages and back. `schema` and `asyncapi`
describe the messages for other programs. `feed_messages` holds the events that spectators receive.
"""

PROTOCOL_VERSION = 1
SUBPROTOCOL = "rumble.v1"
