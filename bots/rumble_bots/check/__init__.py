"""`rumble check`: plays with a bot through a scripted server, and reports whether the bot keeps the protocol's rules.

`rules` lists the rules; `run.check_bot` is the entry point and returns a `report.Report`. The check (called the kit in
messages to users) has its own small server, without a log, for one bot and opponents that move at random.

`listener` and `child` put events into a queue (`events`). `scripted_server` keeps the bot's state and sends messages;
`scripted_referee` answers the bot's messages; `playing` asks for moves; `harness` starts the program and restarts the
server; `steps` and `endings` have a function for each rule, called in the order of `course`; `writers` print the
report.
"""
