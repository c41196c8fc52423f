"""The steps of a check in which the bot plays. Each function tests whether the bot keeps a rule. If the bot
passes, the function returns a few words about the test.

Each step begins with the bot in the tournament and without an open match. A `Trouble` ends the step, and `course`
decides how the check continues.
"""

from rumble_engine import Game, Termination
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages
from rumble_protocol.codes import ErrorCode, NoticeCode, Rejection

from rumble_bots.check.errors import Skipped, Trouble, Warned
from rumble_bots.check.harness import Harness
from rumble_bots.check.scripted_match import AskedTurn, ScriptedMatch, seats_of
from rumble_bots.check.scripted_server import LAG_S, PONG_S

LONG_THINK_S = 0.7
"""Time in s for which the opponent thinks in the step `ping`, long enough for several pings."""
FALLEN_S = 0.5
"""Time in s for which the opponents continue after the bot fell out."""
NOT_REAL = "sent by the kit as a test"


async def connect(harness: Harness) -> str:
    """Wait until the bot has opened a WebSocket."""
    await harness.connected()
    return f"at {harness.path}"


async def login(harness: Harness) -> str:
    """Wait until the bot has logged in and entered the tournament."""
    await harness.entered()
    login = harness.referee.login
    return f"as {login.name}, {'with' if login.key else 'without'} a key"


async def whole_match(harness: Harness, game: Game) -> str:
    """Play a whole match with the bot in the first seat, and then a whole match with the bot in the last seat."""
    if not harness.referee.plays(game):
        raise Trouble("whole-match", f"its login does not name {game.name} among its games")
    turns = harness.play.plies
    seats = 0, seats_of(game) - 1
    ends = [await harness.play.play_out(await harness.play.start(seat, game)) for seat in seats]
    for gave_up in filter(None, ends):
        raise Warned(f"{gave_up.why}; that is allowed, but perhaps not intended")
    return f"2 matches, {harness.play.plies - turns} turns"


async def rejected(harness: Harness) -> str:
    """Reject moves in two matches. The bot must then play a third match.

    In the first match, a move is rejected with the code `already_played`, and the match goes on. In the second match, a
    move is rejected with the code `illegal_move`, and the bot loses the match.
    """
    referee = harness.referee
    match = await harness.play.start()
    answered = await harness.play.moved()
    await referee.reject(move_of(answered), Rejection.ALREADY_PLAYED, NOT_REAL)
    await harness.play.advance(match)
    if not match.over:
        await harness.play.moved()
    await harness.play.give_up(match)
    match = await harness.play.start()
    answered = await harness.play.moved()
    await referee.reject(move_of(answered), Rejection.ILLEGAL_MOVE, NOT_REAL)
    await referee.lose(match, Termination.ILLEGAL_MOVE, NOT_REAL)
    await harness.play.one_turn(await harness.play.start())
    return "already_played, and illegal_move with the loss of the match"


async def retry(harness: Harness) -> str:
    """Reject a move, and leave the turn open, like a server that allows retries. The bot must answer the turn again."""
    match = await harness.play.start()
    answered = await harness.play.moved()
    match.take_back()
    match.turn = answered
    answered.open, answered.answer = True, None
    answered.deadline = harness.record.now() + match.control.move_ms / 1000 + LAG_S
    await harness.referee.reject(move_of(answered), Rejection.BAD_MOVE, f"{NOT_REAL}; move again, as you like")
    try:
        await harness.play.moved()
    except Trouble as trouble:
        if trouble.rule != "deadlines":
            raise
        raise Warned("it did not answer again, and would lose by its clock where retries are allowed") from None
    await harness.play.give_up(match)
    return "it answered the same turn again"


async def error(harness: Harness) -> str:
    """Send an `error` before a match, and another during the match. The bot must play the match."""
    problem = server_messages.FieldProblem(field="kit", problem=NOT_REAL)
    refusal = server_messages.Error(code=ErrorCode.BAD_MESSAGE, message=NOT_REAL, detail=[problem], fatal=False)
    await harness.referee.say(refusal)
    match = await harness.play.start()
    await harness.referee.say(refusal)
    await harness.play.one_turn(match)
    return "bad_message, before a match and during one"


async def stale_turns(harness: Harness) -> str:
    """Send a second turn for the same position. The bot must answer the newest turn."""
    match = await harness.play.start()
    await harness.referee.ask(match)
    await harness.play.one_turn(match)
    return "the same position under a second turn_id"


async def void_match(harness: Harness) -> str:
    """Declare a match void. The bot must play the next attempt."""
    match = await harness.play.start()
    notice = server_messages.Notice(
        code=NoticeCode.MATCH_VOIDED, tournament=match.tournament_id, match=match.match_id, message="the match is void"
    )
    await harness.referee.say(notice)
    await harness.referee.finish(match, None)
    match.begin()
    match.result, match.attempt = None, 2
    await harness.play.begin(match)
    await harness.play.one_turn(match)
    return "its second attempt"


async def told_twice(harness: Harness) -> str:
    """Send a `match_over` twice, and `joined` again. The bot must play the next match."""
    match = await harness.play.start()
    await harness.play.one_turn(match)
    if match.result is not None:
        await harness.referee.say(match.result)
    await harness.referee.say_joined()
    await harness.play.one_turn(await harness.play.start())
    return "match_over and joined"


async def unknown_messages(harness: Harness) -> str:
    """Send a message, a notice and an error that only a later version of the protocol knows. The bot must play on."""
    future = "from_the_future"
    news = {"type": future, "match": None, "message": NOT_REAL}
    notice = {"type": "notice", "code": future, "tournament": None, "match": None, "message": NOT_REAL}
    refusal = {"type": "error", "code": future, "message": NOT_REAL, "detail": [], "fatal": False}
    for message in (news, notice, refusal):
        await harness.referee.say_raw(message)
    match = await harness.play.start()
    await harness.referee.say_raw(news)
    await harness.play.one_turn(match)
    return "a type of message, a notice and an error that are new"


async def two_matches(harness: Harness) -> str:
    """Play two matches at the same time."""
    if harness.referee.max_matches < 2:
        raise Skipped("its login says max_matches 1, or nothing")
    turns = harness.play.plies
    await harness.play.play_out(await harness.play.start(0), await harness.play.start(1))
    return f"two matches at the same time, {harness.play.plies - turns} turns"


async def moves_between(harness: Harness) -> str:
    """Play moves of other seats, and send the bot its second turn. Then send a notice. The bot must still answer."""
    match = await harness.play.start(seats_of(harness.referee.game) - 1)
    await harness.play.moved()
    await harness.play.advance(match)
    if match.over:
        raise Skipped("the match was over before its second turn")
    others = len(match.news) - match.since - 1
    await harness.referee.say(notice_of(match, 0, NoticeCode.OPPONENT_AWAY))
    await harness.play.moved()
    await harness.play.give_up(match)
    return f"its second turn; moves and chances of others before: {others}"


async def another_fell(harness: Harness) -> str:
    """Let another seat fall out while the bot thinks. The bot must play on."""
    if seats_of(harness.referee.game) == 2:
        raise Skipped("a match of two seats ends when one falls out")
    match = await harness.play.start()
    match.fall([1], Termination.TIMEOUT, NOT_REAL)
    await harness.play.moved()
    await harness.referee.say(notice_of(match, 1, NoticeCode.SEAT_FELL))
    await harness.play.advance(match)
    await harness.play.one_turn(match)
    return "its turns after the fall"


async def fallen(harness: Harness) -> str:
    """Let the bot fall out. The bot must send nothing until the match is over, and then play the next match."""
    referee = harness.referee
    match = await harness.play.start()
    answered = await harness.play.moved()
    match.take_back()
    match.fall([match.seat], Termination.ILLEGAL_MOVE, NOT_REAL)
    await referee.reject(move_of(answered), Rejection.ILLEGAL_MOVE, NOT_REAL)
    await referee.say(notice_of(match, match.seat, NoticeCode.SEAT_FELL))
    link = referee.link
    before = link.extras if link is not None else 0
    await harness.play.idle(FALLEN_S)
    if link is not None and link is referee.link and link.extras > before:
        raise Trouble("fallen", "it sent messages after it had fallen out")
    await harness.play.advance(match)
    await harness.play.one_turn(await harness.play.start())
    return "it sent nothing until match_over, and played the next match"


async def ping(harness: Harness) -> str:
    """Let the opponent think for long. The bot must answer pings meanwhile."""
    referee = harness.referee
    match = await harness.play.start()
    await harness.play.moved()
    link = referee.link
    await harness.play.idle(LONG_THINK_S)
    pings = link.pings if link is not None else []
    until = harness.record.now() + PONG_S
    while harness.record.now() < until and referee.link is link and not all(ping.answered for ping in pings[:-1]):
        await harness.play.idle(0.05)
    missing = [ping for ping in pings[:-1] if not ping.answered]
    if referee.link is link and missing:
        raise Trouble("ping", f"{len(missing)} of {len(pings) - 1} pings had no answer within {PONG_S:g} s")
    await harness.play.advance(match)
    if not match.over:
        await harness.play.moved()
    await harness.play.give_up(match)
    return f"{len(pings)} pings so far"


async def dropped_connection(harness: Harness) -> str:
    """Break the connection during a turn. The bot must come back and answer."""
    match = await harness.play.start()
    link = harness.referee.link
    harness.referee.leave()
    if link is not None:
        link.abort()
    began = harness.record.now()
    await harness.back()
    after_s = harness.record.now() - began
    await harness.play.one_turn(match)
    return f"back after {after_s:.1f} s"


async def server_restart(harness: Harness) -> str:
    """Restart the server. The bot must come back and answer."""
    match = await harness.play.start()
    notice = server_messages.Notice(code=NoticeCode.DRAINING, message="the server restarts")
    await harness.referee.say(notice)
    began = harness.record.now()
    await harness.restart(down=True)
    after_s = harness.record.now() - began
    await harness.play.one_turn(match)
    harness.comes_back = True
    return f"back after {after_s:.1f} s"


async def unknown_fields(harness: Harness) -> str:
    """Add fields of a later version of the protocol to every message. The bot must ignore these fields.

    If the bot passed `server_restart`, the bot's connection is closed first. The `welcome` of the next connection then
    has such fields, too.
    """
    harness.referee.unknown_fields = True
    try:
        if harness.comes_back:
            await harness.restart(down=False)
        await harness.play.play_out(await harness.play.start())
    finally:
        harness.referee.unknown_fields = False
    return f"in every message of a {'login and a ' if harness.comes_back else ''}match"


def notice_of(match: ScriptedMatch, seat: int, code: NoticeCode) -> server_messages.Notice:
    """Return a notice about a seat of a match."""
    return server_messages.Notice(
        code=code, tournament=match.tournament_id, match=match.match_id, message=NOT_REAL, seat=seat
    )


def move_of(turn: AskedTurn) -> bot.Move:
    """Return the message `move` with which the bot answered a turn."""
    return bot.Move(match=turn.match.match_id, turn_id=turn.turn_id, move=turn.answer or "")
