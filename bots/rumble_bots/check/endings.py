"""The last steps of a check: the tournament ends, the program starts again, and another program takes the name."""

from rumble_protocol import server_messages
from rumble_protocol.codes import CloseCode

from rumble_bots.check.errors import Skipped, Trouble, Warned
from rumble_bots.check.events import Connected, Ended, Exited
from rumble_bots.check.harness import Harness
from rumble_bots.check.scripted_server import TOURNAMENT_ID

END_S = 1.5
"""Time in s for which the bot is watched after the tournament's end, and after `replaced` closed the connection."""


async def clean_end(harness: Harness) -> str:
    """End the tournament. The program must end with exit code 0, or go on running."""
    referee = harness.referee
    referee.status = "finished"
    tournament_id, points = referee.tournament_id or TOURNAMENT_ID, float(harness.play.plies)
    over = server_messages.TournamentOver(tournament=tournament_id, status="finished", rank=1, bots=2, points=points)
    await referee.say(over)
    until = harness.record.now() + END_S
    how = "it stays connected"
    while heard := await referee.hear(until):
        match heard:
            case Exited(code=0):
                return "its program ended with exit code 0"
            case Exited():
                raise Trouble("clean-end", f"its program {heard.how}")
            case Ended():
                how = "it closed its connection"
                if harness.child is None:
                    return how
            case Connected():
                how = "it comes back"
            case _:
                pass
    return how


async def key(harness: Harness) -> str:
    """Check that all logins under the bot's name have the same key.

    If the check runs the bot's program, first start the program again, and include the new login.
    """
    referee = harness.referee
    first = referee.logins[0]
    if first.key is None and all(login.key is None for login in referee.logins):
        raise Warned("its login has no key: from another machine it is refused, and here any bot can take its name")
    if harness.child is not None:
        await harness.begin_again()
    same_name = [login for login in referee.logins if login.name.lower() == first.name.lower()]
    if any(login.key != first.key for login in same_name):
        raise Trouble("key", "a later login of the name had another key, or none")
    if len(same_name) < 2:
        raise Skipped("it logged in only once")
    started = ", also after the program was started again" if harness.child is not None else ""
    return f"{len(same_name)} logins{started}"


async def replaced(harness: Harness) -> str:
    """Close the connection as if another program had taken the bot's name. The bot must not come back."""
    link = harness.referee.link
    if harness.child is None and link is None:
        raise Skipped("it is not connected; with -- COMMAND the kit starts it again for this rule")
    if link is None or (harness.child is not None and harness.referee.status == "finished"):
        await harness.begin_again()
        link = harness.referee.link
    if link is not None:
        await harness.referee.close(link, CloseCode.REPLACED)
    until = harness.record.now() + END_S
    while heard := await harness.referee.hear(until):
        if isinstance(heard, Exited):
            return "its program ended"
        if isinstance(heard, Connected):
            raise Warned("it connected again after 4001: programs with one name would replace each other without end")
    return "it stays away"
