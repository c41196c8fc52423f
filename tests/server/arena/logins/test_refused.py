import json

from rumble_server.arena.logins.refused import MOST_REFUSED, RefusedBots

from tests.server.world import World

KEY = "correct-horse-battery"


def test_refused_logins_and_joins_are_kept_with_their_reasons_and_without_secrets() -> None:
    world = World()
    world.create(name="Cup", invite="hush-hush")
    for key in (None, None, "wrong-horse-battery"):
        if key is not None:
            world.login("ann", key=KEY)
        world.login("ann", {"is_local": False, "address": "203.0.113.7"}, key=key, join="cup")
    world.login("bob", key=KEY, join="cup", invite="not-this-one")
    kept = list(world.arena.refused_bots.newest_first())
    assert [(each.name, each.tournament, each.code, each.times) for each in kept] == [
        ("bob", "cup", "invite_required", 1),
        ("ann", "cup", "bad_key", 1),
        ("ann", "cup", "key_required", 2),
    ]
    assert kept[1].address == "203.0.113.7"
    told = json.dumps([each.message for each in kept])
    assert not any(secret in told for secret in (KEY, "wrong-horse", "hush", "not-this-one"))


def test_kept_refusals_are_bounded_and_a_repeated_one_counts_as_new() -> None:
    refused = RefusedBots()
    for number in range(MOST_REFUSED + 1):
        refused.add(f"bot-{number}", "::1", None, "bad_key", "no", number)
        refused.add("bot-0", "::1", None, "bad_key", "no", number)
    kept = list(refused.newest_first())
    assert len(kept) == MOST_REFUSED
    assert (kept[0].name, kept[0].at_ms, kept[0].times) == ("bot-0", MOST_REFUSED, MOST_REFUSED + 2)
    assert (kept[-1].name, kept[1].name) == ("bot-2", f"bot-{MOST_REFUSED}")


def test_wrong_codes_under_many_names_push_out_one_another() -> None:
    refused = RefusedBots()
    refused.add("ann", "::1", None, "name_taken", "no", 0)
    for number in range(2 * MOST_REFUSED):
        refused.add(f"bot-{number}", "::1", None, "unknown_code", "no", number)
    kept = [each.name for each in refused.newest_first()]
    assert (len(kept), kept[0], kept[-2:]) == (MOST_REFUSED, "bot-99", ["bot-51", "ann"])
