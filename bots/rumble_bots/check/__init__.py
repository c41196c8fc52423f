"""`rumble check`: plays with a bot through a scripted server, and reports whether the bot keeps the protocol's rules.

`rules` lists the rules; `run.check_bot` is the entry point and returns a `report.Report`. The check has a small
server of its own, which keeps no log. On this server, the bot plays against opponents that move at random. In messages
to users, the check is called the kit.

`listener` and `child` put events into a queue (`events`). `scripted_server` keeps the bot's state and sends messages;
`scripted_referee` answers the bot's messages; `playing` asks for moves; `harness` starts the program and restarts the
server; `steps` and `endings` have a function for each rule; `course` calls these functions in order; `writers` print
the report.
"""
