"""How it ends: with the tournament, with the program started again, with another that takes the name over."""

from rumble_protocol import server_messages as say
from rumble_protocol.codes import CloseCode

from rumble_bots.check.desk import TOURNAMENT
from rumble_bots.check.errors import Skipped, Trouble, Warned
from rumble_bots.check.events import Connected, Ended, Exited
from rumble_bots.check.stage import Stage

END_S = 1.5
"""How long the kit watches what a bot does at the end."""


async def clean_end(stage: Stage) -> str:
    """The tournament is over: the program ends well, or stays."""
    referee = stage.referee
    referee.status = "finished"
    over = say.TournamentOver(
        tournament=referee.tournament or TOURNAMENT, status="finished", rank=1, bots=2, points=float(stage.plies)
    )
    await referee.say(over)
    until = stage.record.now() + END_S
    how = "it stays connected"
    while True:
        try:
            heard = await referee.hear(until)
        except TimeoutError:
            return how
        match heard:
            case Exited(code=0):
                return "its program ended with exit code 0"
            case Exited():
                raise Trouble("clean-end", f"its program {heard.how}")
            case Ended():
                how = "it closed its connection"
                if stage.child is None:
                    return how
            case Connected():
                how = "it comes back"
            case _:
                pass


async def key(stage: Stage) -> str:
    """Each login of the name brought the same key, that of a program started again too."""
    referee = stage.referee
    first = referee.logins[0]
    if first.key is None and all(login.key is None for login in referee.logins):
        raise Skipped("it brings no key: whoever comes next may take its name")
    if stage.child is not None:
        await stage.begin_again()
    same_name = [login for login in referee.logins if login.name.lower() == first.name.lower()]
    if any(login.key != first.key for login in same_name):
        raise Trouble("key", "a later login of the name brought another key, or none")
    if len(same_name) < 2:
        raise Skipped("it logged in only once")
    started = ", also after the program was started again" if stage.child is not None else ""
    return f"{len(same_name)} logins{started}"


async def replaced(stage: Stage) -> str:
    """Another program took the name over: it does not come back by itself."""
    link = stage.referee.link
    if stage.child is None and link is None:
        raise Skipped("it has gone; a bot that the kit starts (-- COMMAND) is tried")
    if link is None or (stage.child is not None and stage.referee.status == "finished"):
        await stage.begin_again()
        link = stage.referee.link
    if link is not None:
        await stage.referee.close(link, CloseCode.REPLACED)
    until = stage.record.now() + END_S
    while True:
        try:
            heard = await stage.referee.hear(until)
        except TimeoutError:
            return "it stays away"
        if isinstance(heard, Exited):
            return "its program ended"
        if isinstance(heard, Connected):
            raise Warned("it connected again after 4001: two programs of one name would throw each other out for ever")
