"""Bridges, with which programs that speak another protocol play on a server unchanged.

`dialogue` has the base class of the protocols `stdio`, `uci`, `gtp` and `gomocup`, which do no I/O. `child` runs the
process of a program, `program` asks a program for moves against the clock, and `bot.BridgeBot` is the bot.
"""
