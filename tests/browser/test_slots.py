"""The matches in view on a tournament's page, and their slots: `static/slots.js`, at times given by the test."""

from typing import Any

from playwright.async_api import Page

PLAY = """async ([count, steps]) => {
  const { Slots } = await import("/static/slots.js");
  const slots = new Slots();
  for (let number = 0; number < count; number += 1) slots.add();
  return steps.map(([what, now, ...given]) => {
    if (what === "follow") slots.followed = given[0];
    else if (what !== "look") slots[what](...given, now);
    slots.fill(now);
    return slots.all.map((slot) => {
      const ply = slot.board?.ply ? ` ${slot.board.ply}` : "";
      return slot.key.split(" ")[0] + (slot.result ? "!" : "") + ply;
    });
  });
}"""
STAY_MS = 3000

Step = tuple[Any, ...]


def board(match: str, *, away: bool = False, attempt: int = 1) -> dict[str, Any]:
    """Return a board of a match whose two bots are named by the letters of the match."""
    gone = {"since_at_ms": 0, "until_at_ms": 60_000}
    return {"match": match, "attempt": attempt, "seats": [*match], "away": [gone, None] if away else []}


def result(match: str, attempt: int = 1) -> dict[str, Any]:
    return {"match": match, "attempt": attempt, "seats": [*match], "scores": [1, 0], "winner": 0}


def starts(now: int, *matches: str) -> list[Step]:
    return [("show", now, board(match)) for match in matches]


async def views(home: Page, count: int, *steps: Step) -> list[list[str]]:
    """Return the match of each slot after each step, with `!` for a result, and the ply of its board."""
    seen: list[list[str]] = await home.evaluate(PLAY, [count, steps])
    return seen


async def test_a_result_stays_for_three_seconds_and_then_until_another_match_comes(home: Page) -> None:
    *_, over, still, free, taken = await views(
        home,
        2,
        *starts(0, "ab", "cd"),
        ("end", 5000, result("ab")),
        ("show", 5000 + STAY_MS - 1, board("ef")),
        ("end", 5000 + STAY_MS - 1, result("ef")),
        ("show", 5000 + STAY_MS, board("gh")),
    )
    assert over == still == free == ["ab!", "cd"], "a match that begins and ends meanwhile is never seen"
    assert taken == ["gh", "cd"]


async def test_matches_wait_unseen_while_all_slots_have_fresh_results(home: Page) -> None:
    *_, waits, comes = await views(
        home, 1, *starts(0, "ab"), ("end", 10, result("ab")), *starts(20, "cd", "ef"), ("look", 10 + STAY_MS)
    )
    assert waits == ["ab!"]
    assert comes == ["ef"], "the one that began last is seen from its start"


async def test_new_match_takes_the_slot_that_is_free_longest_and_moves_no_other(home: Page) -> None:
    *_, after = await views(
        home,
        3,
        *starts(0, "ab", "cd", "ef"),
        ("end", 100, result("ef")),
        ("end", 200, result("ab")),
        *starts(200 + STAY_MS, "gh"),
    )
    assert after == ["ab!", "cd", "gh"]


async def test_a_match_that_waits_for_a_bot_gives_way_to_one_that_goes_on(home: Page) -> None:
    *_, at_once, later, back = await views(
        home,
        1,
        *starts(0, "ab"),
        ("show", 1000, board("ab", away=True)),
        ("show", 1001, board("cd")),
        ("look", 1000 + STAY_MS),
        ("show", 9000, board("ab")),
    )
    assert at_once == ["ab"], "a bot that is back at once moves nothing"
    assert later == back == ["cd"]


async def test_matches_that_wait_take_slots_that_nobody_else_wants(home: Page) -> None:
    *_, after = await views(home, 3, ("reset", 0, [board("ab", away=True), board("cd"), board("ef")], [], []))
    assert after == ["ef", "cd", "ab"]


async def test_a_followed_bot_has_the_first_slot_for_one_match_after_the_other(home: Page) -> None:
    running = [board(match) for match in ("ab", "cd", "ef", "xy")]
    snapshot, chosen, over, still, after, other, none = await views(
        home,
        2,
        ("reset", 0, running, [], []),
        ("follow", 1, "a"),
        ("end", 1000, result("ab")),
        ("show", 2000, board("az")),
        ("show", 1000 + STAY_MS, board("qa")),
        ("follow", 5000, "y"),
        ("follow", 6000, "nobody"),
    )
    assert snapshot == ["xy", "ef"]
    assert chosen == ["ab", "ef"], "though more matches are played than there are slots"
    assert over == still == ["ab!", "ef"]
    assert after == ["az", "ef"], "the oldest of its matches"
    assert other == ["xy", "ef"]
    assert none == ["", "ef"], "it has no match"


async def test_following_a_bot_that_is_in_view_makes_two_boards_change_places(home: Page) -> None:
    *_, before, after = await views(home, 3, *starts(0, "ab", "cd", "ef"), ("follow", 1, "e"))
    assert before == ["ab", "cd", "ef"]
    assert after == ["ef", "cd", "ab"]


async def test_a_snapshot_after_a_gap_keeps_places_and_stamps_ended_matches_on_their_last_boards(home: Page) -> None:
    last = {**board("ab"), "ply": 7}
    *_, after = await views(
        home,
        3,
        *starts(0, "ab", "cd", "ef"),
        ("reset", 9000, [board("gh"), board("ef")], [result("ab"), result("zz")], [last]),
    )
    assert after == ["ab! 7", "gh", "ef"]


async def test_a_result_whose_last_board_is_not_told_stands_on_no_other(home: Page) -> None:
    *_, after = await views(home, 2, *starts(0, "ab", "cd"), ("reset", 9000, [board("cd")], [result("ab")], []))
    assert after == ["", "cd"]


async def test_the_next_attempt_of_a_void_match_is_another_match(home: Page) -> None:
    *_, over, again = await views(
        home, 2, *starts(0, "ab"), ("end", 1, result("ab")), ("show", 2, board("ab", attempt=2))
    )
    assert over == ["ab!", ""]
    assert again == ["ab!", "ab"]
