"""What the kit tries while the bot plays, a function for each rule. It returns why the rule is kept, in a few words.

Each finds the bot in the tournament and no match open. Trouble ends it; `run` says what that means.
"""

from rumble_engine import Game, Outcome, Termination
from rumble_protocol import bot_messages as bot
from rumble_protocol import server_messages as say
from rumble_protocol.codes import ErrorCode, NoticeCode, Rejection

from rumble_bots.check.desk import LAG_S, PONG_S
from rumble_bots.check.errors import Skipped, Trouble, Warned
from rumble_bots.check.stage import Stage
from rumble_bots.check.table import Asked

LONG_THINK_S = 0.7
"""How long the opponent thinks: long enough for a few pings."""
NOT_REAL = "sent by the kit to see what the bot makes of it"


async def connect(stage: Stage) -> str:
    """It opens a WebSocket."""
    await stage.connected()
    return "at /bot"


async def login(stage: Stage) -> str:
    """It logs in and enters the tournament."""
    await stage.entered()
    login = stage.referee.login
    return f"as {login.name}, {'with' if login.key else 'without'} a key"


async def whole_match(stage: Stage, game: Game) -> str:
    """It plays a match from either seat."""
    if not stage.referee.plays(game):
        raise Trouble("whole-match", f"its login does not name {game.name} among its games")
    turns = stage.plies
    ends = [await stage.play_out(await stage.start(seat, game)) for seat in range(2)]
    for gave_up in filter(None, ends):
        raise Warned(f"{gave_up.why}; that is allowed, but was it meant?")
    return f"2 matches, {stage.plies - turns} turns"


async def rejected(stage: Stage) -> str:
    """It goes on after a move that does not count, and after a match lost by one."""
    referee = stage.referee
    table = await stage.start()
    answered = await stage.moved()
    await referee.reject(move_of(answered), Rejection.ALREADY_PLAYED, NOT_REAL)
    await stage.advance(table)
    if not table.over:
        await stage.moved()
    await stage.give_up(table)
    table = await stage.start()
    answered = await stage.moved()
    await referee.reject(move_of(answered), Rejection.ILLEGAL_MOVE, NOT_REAL)
    lost = Outcome.win(1 - table.seat, NOT_REAL, termination=Termination.ILLEGAL_MOVE)
    await referee.finish(table, lost)
    await stage.one_turn(await stage.start())
    return "already_played, and illegal_move with the loss of the match"


async def retry(stage: Stage) -> str:
    """Where retries are allowed, it answers the same turn again."""
    table = await stage.start()
    before = table.state
    answered = await stage.moved()
    table.state, table.turn = before, answered
    table.moves.pop()
    answered.open, answered.answer = True, None
    answered.deadline = stage.record.now() + table.control.move_ms / 1000 + LAG_S
    await stage.referee.reject(move_of(answered), Rejection.BAD_MOVE, f"{NOT_REAL}; move again, as you like")
    try:
        await stage.moved()
    except Trouble as trouble:
        if trouble.rule != "deadlines":
            raise
        raise Warned("it did not answer again, and would lose by its clock where retries are allowed") from None
    await stage.give_up(table)
    return "it answered the same turn again"


async def error(stage: Stage) -> str:
    """It goes on after an error."""
    problem = say.FieldProblem(field="kit", problem=NOT_REAL)
    refusal = say.Error(code=ErrorCode.BAD_MESSAGE, message=NOT_REAL, detail=[problem], fatal=False)
    await stage.referee.say(refusal)
    table = await stage.start()
    await stage.referee.say(refusal)
    await stage.one_turn(table)
    return "bad_message, before a match and during one"


async def stale_turns(stage: Stage) -> str:
    """Asked the same position again, it answers the newest turn."""
    table = await stage.start()
    await stage.referee.ask(table)
    await stage.one_turn(table)
    return "the same position under a second turn_id"


async def void_match(stage: Stage) -> str:
    """It plays a match again that was void."""
    table = await stage.start()
    notice = say.Notice(
        code=NoticeCode.MATCH_VOIDED, tournament=table.tournament, match=table.match, message="the match is void"
    )
    await stage.referee.say(notice)
    await stage.referee.finish(table, None)
    table.begin()
    table.told, table.attempt = None, 2
    await stage.begin(table)
    await stage.one_turn(table)
    return "its second attempt"


async def told_twice(stage: Stage) -> str:
    """It is told a result, and that it is in the tournament, again."""
    table = await stage.start()
    await stage.one_turn(table)
    if table.told is not None:
        await stage.referee.say(table.told)
    await stage.referee.say_joined()
    await stage.one_turn(await stage.start())
    return "match_over and joined"


async def unknown_messages(stage: Stage) -> str:
    """It is sent what a later server may send."""
    future = "from_the_future"
    news = {"type": future, "match": None, "message": NOT_REAL}
    notice = {"type": "notice", "code": future, "tournament": None, "match": None, "message": NOT_REAL}
    refusal = {"type": "error", "code": future, "message": NOT_REAL, "detail": [], "fatal": False}
    for message in (news, notice, refusal):
        await stage.referee.say_raw(message)
    table = await stage.start()
    await stage.referee.say_raw(news)
    await stage.one_turn(table)
    return "a type of message, a notice and an error that are new"


async def two_matches(stage: Stage) -> str:
    """It plays two matches at the same time."""
    if stage.referee.max_matches < 2:
        raise Skipped("its login says max_matches 1, or nothing")
    turns = stage.plies
    await stage.play_out(await stage.start(0), await stage.start(1))
    return f"two matches at the same time, {stage.plies - turns} turns"


async def ping(stage: Stage) -> str:
    """It answers pings while the opponent thinks for long."""
    referee = stage.referee
    table = await stage.start()
    await stage.moved()
    link = referee.link
    await stage.idle(LONG_THINK_S)
    pings = link.pings if link is not None else []
    until = stage.record.now() + PONG_S
    while stage.record.now() < until and referee.link is link and not all(ping.answered for ping in pings[:-1]):
        await stage.idle(0.05)
    missing = [ping for ping in pings[:-1] if not ping.answered]
    if referee.link is link and missing:
        raise Trouble("ping", f"{len(missing)} of {len(pings) - 1} pings had no answer within {PONG_S:g} s")
    await stage.advance(table)
    if not table.over:
        await stage.moved()
    await stage.give_up(table)
    return f"{len(pings)} pings so far"


async def dropped_connection(stage: Stage) -> str:
    """Its connection breaks while it is asked; it comes back and answers."""
    table = await stage.start()
    link = stage.referee.link
    stage.referee.leave()
    if link is not None:
        link.abort()
    began = stage.record.now()
    await stage.back()
    after_s = stage.record.now() - began
    await stage.one_turn(table)
    return f"back after {after_s:.1f} s"


async def server_restart(stage: Stage) -> str:
    """The server goes away in good order, and is back a moment later."""
    table = await stage.start()
    notice = say.Notice(code=NoticeCode.DRAINING, message="the server restarts")
    await stage.referee.say(notice)
    began = stage.record.now()
    await stage.restart(down=True)
    after_s = stage.record.now() - began
    await stage.one_turn(table)
    stage.comes_back = True
    return f"back after {after_s:.1f} s"


async def unknown_fields(stage: Stage) -> str:
    """A later server sends more in each message, from `welcome` on."""
    stage.referee.unknown_fields = True
    try:
        if stage.comes_back:
            await stage.restart(down=False)
        await stage.play_out(await stage.start())
    finally:
        stage.referee.unknown_fields = False
    return f"in every message of a {'login and a ' if stage.comes_back else ''}match"


def move_of(turn: Asked) -> bot.Move:
    """The move that answered a turn."""
    return bot.Move(match=turn.table.match, turn_id=turn.turn_id, move=turn.answer or "")
