"""`rumble check`: drives one bot through a scripted referee and tells which rules of the protocol it keeps.

`rules` lists them; `run.check_bot` is the way in and gives a `report.Report`. The kit is a server of its own, with one
bot, an opponent that plays by lot and no log: `listener` and `child` bring what happens into one queue of `events`,
`referee` answers it as a server would, `playing` asks for moves, `steps` and `endings` are the rules, one function
each, and `writers` print the report.
"""
