"""`rumble check`: plays with a bot through a scripted server, and reports the rules of the protocol that the bot keeps.

`rules` lists the rules; `run.check_bot` is the entry point and returns a `report.Report`. The kit has its own small
server, without a log, for one bot and an opponent that moves at random.

`listener` and `child` put events into a queue (`events`). `scripted_server` keeps the bot's state and sends messages;
`scripted_referee` answers the bot's messages; `playing` asks for moves; `harness` starts the program and restarts the
server; `steps` and `endings` have a function for each rule, called in the order of `course`; `writers` print the
report.
"""
