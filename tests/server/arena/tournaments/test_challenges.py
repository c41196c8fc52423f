"""Challenges: a bot asks for a single match against another bot."""

from typing import Any

import pytest
from rumble_protocol.secret import make_secret
from rumble_server.arena.commands.joining import Joining
from rumble_server.arena.tournaments.challenges import LONGEST_MS
from rumble_server.cli.processes.house_process import MATCHES_TO_CHALLENGE
from rumble_server.limits.admission import Admission
from rumble_server.limits.bounds import Bounds
from rumble_server.limits.buckets import DAY_MS
from rumble_server.limits.quotas import Quotas
from rumble_server.tournament.facts import BotBenched
from rumble_server.tournament.tournament import Tournament

from tests.server.arena.playing import first_legal
from tests.server.frames import Frame
from tests.server.world import Bot, World


def challenge(bot: Bot, **given: Any) -> Frame:
    bot.say(**{"type": "challenge", "against": "ben", "game": "tictactoe", **given})
    return bot.inbox.frames[-1]


def two(world: World, **other: Any) -> tuple[Bot, Bot]:
    ann, ben = world.login("ann"), world.login("ben", **{"challenges": True, **other})
    return ann, ben


@pytest.mark.parametrize("seat", [0, 1])
def test_a_challenge_is_an_unlisted_unrated_tournament_of_one_match(seat: int) -> None:
    world = World()
    ann, ben = two(world)
    challenge(ann, seat=seat, game="connect4", settings={"columns": 5}, time_control={"bank_ms": 7000})
    tournament = world.tournament("challenge-ann-ben")
    assert (tournament.config.listed, tournament.config.rated, tournament.config.legs) == (False, False, 1)
    for bot in (ann, ben):
        assert bot.last("joined")["tournament"] == "challenge-ann-ben"
        assert bot.last("joined")["settings"] == {"columns": 5, "rows": 6, "connect": 4}
        assert bot.last("joined")["time_control"]["bank_ms"] == 7000
        bot.play(first_legal)
    assert ann.last("match_start")["seat"] == seat
    (ann if seat == 0 else ben).move("a")
    world.run()
    assert ann.last("tournament_over")["status"] == "finished"
    assert len(tournament.results) == 1


def test_without_a_seat_the_lot_decides() -> None:
    seats = set()
    for seed in range(20):
        ann, _ = two(World(seed=seed))
        challenge(ann)
        seats.add(ann.last("match_start")["seat"])
    assert seats == {0, 1}


def test_one_challenge_is_open_at_a_time() -> None:
    world = World()
    ann, ben = two(world, max_matches=4)
    challenge(ann)
    challenge(ann)
    assert ann.error() == "unavailable"
    for bot in (ann, ben):
        bot.play(first_legal)
    ann.say(type="resign", match=ann.last("match_start")["match"])
    assert challenge(ann)["type"] != "error"
    assert ann.last("joined")["tournament"] == "challenge-ann-ben-2"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"against": "zoe"}, "unknown_bot"),
        ({"against": "not a name"}, "unknown_bot"),
        ({"against": "gone"}, "unknown_bot"),
        ({"against": "cid"}, "unknown_bot"),
        ({"against": "ann"}, "unknown_bot"),
        ({"game": "ludo"}, "unknown_game"),
        ({"settings": {"columns": 5}}, "bad_settings"),
        ({"game": "connect4", "settings": {"columns": 1}}, "bad_settings"),
        ({"game": "connect4", "settings": {"columns": "5"}}, "bad_settings"),
        ({"seat": 2}, "bad_settings"),
        ({"time_control": {"move_ms": LONGEST_MS + 1}}, "bad_settings"),
        ({"time_control": {"move_ms": 1000, "bank_ms": LONGEST_MS + 1}}, "bad_settings"),
    ],
)
def test_a_challenge_that_cannot_be(given: dict[str, Any], code: str) -> None:
    world = World()
    ann, _ = two(world)
    world.login("cid")
    world.login("gone", challenges=True).drop()
    challenge(ann, **given)
    assert ann.error() == code
    assert world.arena.tournaments == {}
    assert challenge(ann)["type"] != "error", "the next one may be"


def guest(world: World, name: str, **link: Any) -> Bot:
    """Return a bot from another machine."""
    return world.login(name, {"is_local": False, "address": "203.0.113.7", **link}, key="correct-horse-battery")


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        ("open_challenges", "here"),
        ("challenges_per_address", "here"),
        ("open_challenges_at_one_bot", "challenge ben"),
        ("challenges_per_address_at_one_bot", "challenge ben"),
    ],
)
def test_no_more_challenges_are_open_than_a_server_a_bot_or_an_address_may_have(bound: str, message: str) -> None:
    world = World(admission=Admission(Bounds.model_validate({bound: 2})))
    world.login("ben", challenges=True)
    guests = [guest(world, name) for name in ("ann", "cid", "dan")]
    for each in guests:
        challenge(each)
    assert guests[-1].error() == "unavailable"
    assert message in guests[-1].last("error")["message"]
    assert len(world.arena.tournaments) == 2
    assert world.arena.admission.refusals.counts == {"challenges": 1}
    elsewhere = challenge(guest(world, "eve", address="203.0.113.8"))
    assert (elsewhere["type"] != "error") == (bound != "open_challenges_at_one_bot")
    left = guests[bound == "open_challenges"]  # the first gives way under this bound
    left.say(type="resign", match=left.last("match_start")["match"])
    assert (challenge(guests[-1])["type"] != "error") or bound == "open_challenges_at_one_bot"


def test_five_addresses_that_take_all_challenges_leave_room_for_others() -> None:
    """A newcomer from another address takes the place of the oldest challenge of the address with most."""
    world = World(admission=Admission(Bounds(open_challenges=10)))
    world.login("ben", challenges=True)
    takers = [guest(world, f"t{number}", address=f"203.0.113.{number % 5}") for number in range(10)]
    assert all(challenge(each)["type"] != "error" for each in takers)
    assert challenge(guest(world, "ann", address="192.0.2.1"))["type"] != "error"
    (told,) = takers[0].inbox.all("notice")
    assert (told["code"], told["tournament"]) == ("cancelled", takers[0].last("joined")["tournament"])
    assert all(not each.inbox.all("notice") for each in takers[1:])
    assert challenge(guest(world, "cid", address="192.0.2.1"))["code"] == "unavailable", "it has its fair share"


def test_no_challenge_gives_way_to_one_that_the_quota_of_bytes_refuses() -> None:
    world = World(admission=Admission(Bounds(open_challenges=2)))
    world.login("ben", challenges=True)
    takers = [guest(world, name) for name in ("ann", "cid")]
    assert all(challenge(each)["type"] != "error" for each in takers)
    world.arena.allowance.quotas, world.arena.allowance.used_bytes = Quotas(bytes=1), 1
    assert challenge(guest(world, "eve", address="192.0.2.1"))["code"] == "quota"
    assert len(world.arena.challenges.still_open()) == 2


def test_loopback_is_an_address_like_any_other() -> None:
    world = World(admission=Admission(Bounds(challenges_per_address_at_one_bot=1)))
    two(world)
    assert challenge(world.login("cid"))["type"] != "error"
    assert challenge(world.login("dan"))["code"] == "unavailable"


def test_the_challenges_of_a_class_count_for_the_tournament_that_invited_it() -> None:
    world = World(admission=Admission(Bounds(challenges_per_address=1)))
    world.create(invite="sesame")
    world.login("ben", challenges=True)
    strangers = [guest(world, name) for name in ("ann", "cid")]
    invited = [guest(world, name, address=address) for name, address in (("dan", "203.0.113.7"), ("eve", "192.0.2.1"))]
    for bot in invited:
        bot.say(type="join", tournament="friday", invite="sesame")
    assert [challenge(bot)["type"] != "error" for bot in strangers] == [True, False]
    assert [challenge(bot)["type"] != "error" for bot in invited] == [True, False]


def test_25_pupils_of_one_address_play_the_same_house_bot_at_once() -> None:
    world = World()
    code = world.create(classroom=True, game="connect4").join_code or ""
    house = world.login("house-heuristic", challenges=True, max_matches=MATCHES_TO_CHALLENGE)
    pupils = []
    for number in range(25):
        key = make_secret()
        joined = Joining(world.arena).join(code, f"Pupil {number}", key, "203.0.113.7")
        pupils.append(world.login(joined.name, {"is_local": False, "address": "203.0.113.7"}, key=key))
    wanted = {"against": "house-heuristic", "game": "connect4", "time_control": {"move_ms": 600_000}}
    assert all(challenge(bot, **wanted)["type"] != "error" for bot in pupils)
    assert len(house.inbox.all("match_start")) == 25
    guests = [guest(world, f"g{number}") for number in range(9)]
    assert [challenge(bot, **wanted)["type"] == "error" for bot in guests] == [False] * 8 + [True]


def test_a_class_leaves_room_at_a_bot_to_others() -> None:
    world = World(admission=Admission(Bounds(open_challenges_at_one_bot=5, challenges_per_address_at_one_bot=2)))
    world.create(invite="sesame")
    world.login("ben", challenges=True)
    invited = [guest(world, f"p{number}", address=f"192.0.2.{number}") for number in range(4)]
    for bot in invited:
        bot.say(type="join", tournament="friday", invite="sesame")
    assert [challenge(bot)["type"] != "error" for bot in invited] == [True, True, True, False]
    assert [challenge(guest(world, name))["type"] != "error" for name in ("ann", "cid")] == [True, True]


@pytest.mark.parametrize(
    ("control", "is_taken"),
    [
        ({"move_ms": 1000, "bank_ms": 599_000, "increment_ms": 5000}, True),
        ({"move_ms": 1000, "bank_ms": 599_001}, False),
        ({"move_ms": 1000, "increment_ms": 600_001}, False),
        ({"move_ms": 600_001}, False),
    ],
)
def test_a_bot_that_many_challenge_takes_no_slow_game_any_more(control: dict[str, int], is_taken: bool) -> None:
    world = World(admission=Admission(Bounds(unhurried_challenges=2)))
    world.login("ben", challenges=True)
    ann, cid, dan = world.logins("ann", "cid", "dan")
    for each in (ann, cid):
        assert challenge(each, time_control={"bank_ms": LONGEST_MS})["type"] != "error"
    answer = challenge(dan, time_control=control)
    assert (answer["type"] != "error") == is_taken
    if not is_taken:
        assert "at most 600000 ms" in answer["message"]
        assert len(world.arena.tournaments) == 2


# --- tables ---


SNAKES: dict[str, Any] = {"game": "snakes", "settings": {"size": 7, "turns": 3}}


def four(world: World) -> list[Bot]:
    ann, *others = world.logins("ann", "ben", "cid", "house-one", challenges=True)
    for bot in (ann, *others):
        bot.play(first_legal)
    return [ann, *others]


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_a_challenge_of_several_bots_is_a_table_with_house_bots_in_free_seats(seat: int) -> None:
    world = World()
    bots = four(world)
    ann = bots[0]
    challenge(ann, **SNAKES, seat=seat, others=[None, "CID"])
    expected = ["ben", "house-one", "cid"]
    expected.insert(seat, "ann")
    for bot in bots:
        assert bot.last("match_start")["seats"] == expected
        assert bot.last("match_start")["seat"] == expected.index(bot.name)
    world.run()
    assert sorted(bot.last("match_over")["places"][bot.last("match_start")["seat"]] for bot in bots)[0] == 1
    assert {bot.last("tournament_over")["status"] for bot in bots} == {"finished"}
    assert len(world.tournament("challenge-ann-ben").results) == 1


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ({"others": ["nobody"]}, "unknown_bot", "no bot 'nobody' is connected"),
        ({"others": ["ben"]}, "bad_settings", "names each opponent once"),
        ({"others": ["ann"]}, "unknown_bot", "ann takes no challenge from ann"),
        ({"others": [None, None]}, "unavailable", "no further house bot is free"),
        ({"others": [None], "game": "nonsense"}, "unknown_game", "nonsense"),
        ({"others": ["cid"], "seat": 3}, "bad_settings", "snakes has the seats 0 to 2"),
        ({"others": ["cid"], "game": "tictactoe", "settings": {}}, "bad_settings", "tictactoe has 2 seats, not 3"),
        ({"others": [None] * 15}, "bad_message", "others"),
    ],
)
def test_a_table_that_cannot_be_is_refused(given: dict[str, Any], code: str, words: str) -> None:
    world = World()
    ann = four(world)[0]
    answer = challenge(ann, **{**SNAKES, **given})
    assert (answer["type"], answer["code"]) == ("error", code)
    assert words in answer["message"]
    assert world.arena.tournaments == {}


# --- a tournament comes first ---


@pytest.mark.parametrize(("max_matches", "taken"), [(1, False), (2, False), (3, True)])
@pytest.mark.parametrize("busy", ["challenger", "challenged"])
def test_a_challenge_leaves_room_to_the_tournament_that_is_played(max_matches: int, taken: bool, busy: str) -> None:
    world = World()
    world.create(start_at_bots=2, legs=6)
    ben = world.login("ben", challenges=True, max_matches=max_matches if busy == "challenged" else 9)
    ann = world.login("ann", max_matches=max_matches if busy == "challenger" else 9)
    mine = ann if busy == "challenger" else ben
    mine.say(type="join", tournament="friday")
    zoe = world.login("zoe", join="friday")
    assert len(mine.last("session")["matches"]) == 0
    answer = challenge(ann)
    assert (answer["type"] != "error") == taken, answer
    if not taken:
        assert answer["code"] == "unavailable"
        assert f"{mine.name} has matches to play in friday" in answer["message"]
        for bot in (mine, zoe):
            bot.play(first_legal)
        turn = next(each for bot in (mine, zoe) for each in bot.inbox.all("turn"))
        (mine if mine.inbox.all("turn") else zoe).move(turn["legal"][0], turn=turn)
        world.run()
        assert world.tournament("friday").status == "finished"
        assert challenge(ann)["type"] != "error", "it has nothing more to play"


def test_a_match_of_a_tournament_takes_the_room_of_the_newest_challenge() -> None:
    world = World()
    world.create(start_at_bots=2, legs=2)
    ben = world.login("ben", challenges=True, max_matches=2)
    ann, cid = world.logins("ann", "cid")
    for bot in (ann, cid):
        assert challenge(bot, time_control={"bank_ms": LONGEST_MS})["type"] != "error"
    ben.heard()
    cid.heard()
    ben.say(type="join", tournament="friday")
    world.login("zoe", join="friday")
    assert world.tournament("friday").running, "it starts at once"
    statuses = [world.tournament(f"challenge-{name}-ben").status for name in ("ann", "cid")]
    assert statuses == ["running", "cancelled"]
    over, notice, told = cid.heard()
    assert (over["type"], over["scores"], over["termination"]) == ("match_over", None, "aborted")
    assert (notice["code"], "ben has a match to play in friday" in notice["message"]) == ("cancelled", True)
    assert told["status"] == "cancelled"
    kinds = ben.inbox.kinds()
    assert kinds.index("match_over") < kinds.index("match_start"), "it is never told of more matches than it takes"


def waits_for(world: World, *absent: str, **config: Any) -> tuple[Bot, Tournament]:
    """Return a bot with room, and its challenge that leaves the room to a tournament with absent bots."""
    ben = world.login("ben", challenges=True, max_matches=2)
    for name in ("ann", "cid", "dan"):
        assert challenge(world.login(name), time_control={"bank_ms": LONGEST_MS})["type"] != "error"
    waiting = world.tournament("challenge-dan-ben")
    world.create(absent_ms=1000, **config)
    ben.say(type="join", tournament="friday")
    for name in absent:
        world.login(name, join="friday").drop()
    world.organiser.start("friday")
    ben.say(type="resign", match="challenge-ann-ben.1.1.1.1")
    assert (world.tournament("friday").has_open_matches, waiting.running) == (True, {})
    return ben, waiting


@pytest.mark.parametrize("way", ["no show", "end", "pause", "leave"])
def test_a_challenge_that_waits_starts_when_a_tournament_needs_the_room_no_more(way: str) -> None:
    """The tournament may give the place back without a match that ends."""
    world = World()
    ben, waiting = waits_for(world, "zoe")
    match way:
        case "no show":
            world.run(1000)
            assert world.tournament("friday").status == "finished"
        case "end":
            world.organiser.end("friday", cancelled=False)
        case "pause":
            world.organiser.pause("friday", "a break")
        case "leave":
            ben.say(type="leave", tournament="friday")
    assert len(waiting.running) == 1


def test_a_challenge_that_waits_starts_when_a_table_begins_without_its_bot() -> None:
    world = World()
    _, waiting = waits_for(world, "yan", "zoe", game="snakes", seats=3)
    with world.arena.transaction:
        world.arena.recorder.record(BotBenched("friday", "ben", benched=True, at_ms=world.clock.now_ms(), reason=""))
    world.logins("yan", "zoe", max_matches=9)
    assert {match.absent for match in world.tournament("friday").running.values()} == {("ben",)}
    assert len(waiting.running) == 1


def test_a_challenge_stays_a_challenge_after_a_restart() -> None:
    world = World(admission=Admission(Bounds(challenges_per_address_at_one_bot=1)))
    ann, _ = two(world)
    challenge(ann)
    again = world.after_crash()
    ann, ben = again.login("ann"), again.login("ben", challenges=True)
    assert list(again.arena.challenges.still_open()) == ["challenge-ann-ben"]
    assert challenge(ann)["message"] == "your challenge challenge-ann-ben is still open"
    again.create(start_at_bots=2)
    again.login("zoe", join="friday")
    ben.say(type="join", tournament="friday")
    assert again.tournament("challenge-ann-ben").status == "cancelled"
    assert again.tournament("friday").running


def test_a_bot_is_only_challenged_to_games_that_it_plays() -> None:
    world = World()
    ann, _ = two(world, games=["connect4"])
    challenge(ann)
    assert ann.error() == "unavailable"
    assert ann.last("error")["message"] == "ben does not play tictactoe"
    assert world.arena.tournaments == {}
    assert challenge(ann, game="connect4")["type"] != "error"


def test_an_address_whose_challenges_wrote_much_makes_no_more_that_day() -> None:
    world = World(admission=Admission(Bounds(challenge_bytes_per_day=1_000)))
    ben, ann = world.login("ben", challenges=True, max_matches=4), guest(world, "ann")
    challenge(ann)
    (running,) = world.arena.tournaments.values()
    world.arena.challenges.spend({running.id: 1_500, "friday": 99_999})
    refused = challenge(guest(world, "cid"))
    assert (refused["code"], "1000 bytes in a day" in refused["message"]) == ("quota", True)
    assert challenge(guest(world, "eve", address="203.0.113.8"))["type"] != "error"
    for bot in (ann, ben):
        bot.play(first_legal)
    ann.say(type="resign", match=ann.last("match_start")["match"])
    assert ann.last("tournament_over")["status"] == "finished"
    world.arena.challenges.spend({running.id: 1_500})
    world.arena.challenges.spend({running.id: 99_999})
    assert challenge(ann)["code"] == "quota"
    world.clock.stall(DAY_MS * 3)
    assert challenge(ann)["type"] != "error"
    assert world.arena.admission.refusals.counts == {"challenge_bytes": 2}


def test_bytes_that_challenges_of_a_class_wrote_do_not_count_in_another_club() -> None:
    main = Admission(Bounds(challenge_bytes_per_day=1_000))
    for admission in (main, main.of_club("chess")):
        world = World(admission=admission)
        world.create(invite="sesame")
        world.login("ben", challenges=True)
        ann, cid = guest(world, "ann"), guest(world, "cid")
        for bot in (ann, cid):
            bot.say(type="join", tournament="friday", invite="sesame")
        assert challenge(ann)["type"] != "error"
        (running,) = world.arena.challenges.still_open()
        world.arena.challenges.spend({running: 99_999})
        assert "challenges from your tournament have" in challenge(cid)["message"]
