"""Bridges: through a bridge, a program that speaks another protocol plays on a server, without a change to the program.

`stdio`, `uci`, `gtp` and `gomocup` are protocols without I/O; `dialogue` has their base class. `child` runs the process
of a program, `program` asks a program for moves within time limits, and `bot.BridgeBot` is the bot.
"""
