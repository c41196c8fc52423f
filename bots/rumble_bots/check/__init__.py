"""`rumble check`: drives a bot through a scripted server and reports which rules of the protocol the bot keeps.

`rules` lists the rules; `run.check_bot` is the entry point and returns a `report.Report`. The kit has a small server of
its own, without a log, for a single bot and an opponent that moves at random. `listener` and `child` put
events into one queue of `events`; `scripted_server` keeps the bot's state and sends messages to the bot;
`scripted_referee` answers the bot's messages; `playing` asks for moves; `harness` starts the program and restarts the
server; `steps` and `endings` are the rules, a function each, in the order of `course`; `writers` print the report.
"""
