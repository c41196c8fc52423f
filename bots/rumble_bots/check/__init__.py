"""`rumble check`: drives one bot through a scripted server and reports which rules of the protocol it keeps.

`rules` lists them; `run.check_bot` is the entry point and returns a `report.Report`. The kit is a server of its own,
for one bot, with an opponent that moves at random and without a log. `websocket_server` and `child` put what happens
into one queue of `events`; `scripted_server` has what is known of the bot and sends messages to it;
`scripted_referee` answers what the bot sends; `playing` asks for moves; `harness` starts the program and restarts the
server; `steps` and `endings` are the rules, one function each, in the order of `course`; `writers` print the report.
"""
