"""The last attempt at a match: its terms and end, and the notes and thinking times of moves."""

from rumble_protocol.fields import MoveInfo
from rumble_server.match.facts import MatchOver, MatchStarted, MoveMade
from rumble_server.match.last_attempt import infos, last_attempt, notes, thought_ms

from tests.server.world import World


def test_the_newest_attempt_that_is_over_counts() -> None:
    world = World()
    _, bots = world.begun("ann", "ben", legs=1)
    assert last_attempt(world.log.facts) is None
    for attempt in (1, 2):
        next(bot for bot in bots if bot.last("turn")["attempt"] == attempt).move("4")
        world.organiser.play_again("friday.1.1.1.1")
        found = last_attempt(world.log.facts)
        assert found is not None
        started, over = found
        assert (started.attempt, over.attempt, over.moves) == (attempt, attempt, ("4",))
    assert last_attempt([]) is None
    assert last_attempt([over]) is None, "the attempt never began"


def test_notes_and_infos_stand_beside_the_moves_of_their_attempt() -> None:
    def made(attempt: int, ply: int, frame: str) -> MoveMade:
        return MoveMade("friday.1.1.1.1", attempt, ply, ply % 2, "t", "4", 0, frame, 0)

    def move(note: str) -> str:
        return (
            f'{{"type": "move", "match": "friday.1.1.1.1", "turn_id": "t", "move": "4", "note": "{note}",'
            f' "info": {{"score": 2}}}}'
        )

    over = MatchOver("friday.1.1.1.1", 2, ("ann", "ben"), (1.0, 0.0), "win", "", (), ("4", "5", "6"), 9)  # type: ignore[arg-type]
    facts = [
        made(1, 0, move("old")),
        made(2, 0, move("hello")),
        made(2, 1, '{"type": "move", "note": "the kept part of a long'),
        over,
    ]
    assert notes(facts, over) == ["hello", None, None]
    assert infos(facts, over) == [MoveInfo(score=2), None, None]


def test_times_are_those_that_bots_thought() -> None:
    """A bot that drops out and comes back has used the time of both askings, but not the time of its absence."""
    world = World()
    _, bots = world.begun("ann", "ben", legs=1, openings=[["4"]], time_control={"move_ms": 1000, "bank_ms": 5000})
    asked = next(bot for bot in bots if bot.inbox.all("turn"))
    other = next(bot for bot in bots if bot is not asked)
    name = "ann" if asked is bots[0] else "ben"
    world.run(300)
    asked.drop()
    world.run(700)
    again = world.login(name)
    world.run(1500)
    again.move("0")
    world.run(20)
    other.move("1")
    world.run(400)
    again.move("2")
    terms = next(fact for fact in world.log.facts if isinstance(fact, MatchStarted))
    assert thought_ms(world.log.facts, terms, 4) == [None, 1800, 20, 400]
    assert thought_ms((), terms, 1) == [None]


def test_a_joint_move_has_the_notes_of_all_its_bots_and_the_longest_time() -> None:
    world = World()
    _, (one, other) = world.begun("ann", "ben", legs=1, game="dilemma", settings={"rounds": 2})
    for number, wait_ms in enumerate((100, 700)):
        world.run(wait_ms)
        for bot, move, note in ((one, "C", "nice"), (other, "D", "ha")):
            said = {"note": note} if number == 0 else {}
            bot.say(type="move", match="friday.1.1.1.1", turn_id=bot.last("turn")["turn_id"], move=move, **said)
            world.run(50)
    found = last_attempt(world.log.facts)
    assert found is not None
    terms, over = found
    first, second = notes(world.log.facts, over)
    assert first is not None
    assert sorted(first.split("\n")) == ["ann: nice", "ben: ha"]
    assert (second, infos(world.log.facts, over)) == (None, [None, None])
    assert thought_ms(world.log.facts, terms, 2) == [150, 800]
