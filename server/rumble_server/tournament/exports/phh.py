"""PHH, the Poker Hand History format (J. Kim, 2024, https://phh.readthedocs.io): a `.phhs` file of numbered hands.

The file is TOML, with a TOML table for each hand. The players of a hand are in the order of PHH: p1 is left of the
button. A hand that ended early, because a bot fell out of the match, is left out.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rumble_engine import get_game
from rumble_engine.joint import IDLE

from rumble_server.tournament.exports.thoughts import printable

if TYPE_CHECKING:  # The module needs the extra `openspiel`.
    from rumble_engine.games.poker.hand import Hand

POKER = "poker"
ACTIONS = {"f": "f", "c": "cc"}
HIDDEN = "??"


def check(game: str) -> None:
    """Raise ValueError for any game except poker. Raise MissingExtra if the library that plays poker is missing."""
    if game != POKER:
        raise ValueError(f"PHH is for {POKER}; this tournament is of {game}")
    get_game(POKER)


def write(document: Mapping[str, Any]) -> str:
    """Return the hands of an export document as PHH. Raises ValueError for any game except poker.

    If the document is only a part of an export, the document's `first` is the number of matches before the part.

    The hands are numbered through the whole export. Each match takes `hands` numbers (a setting of the game), even if
    the match ended before all its hands were finished. Numbers without a finished hand are missing in the file.
    """
    tournament = document["tournament"]
    check(tournament["game"])
    hands = int(get_game(POKER).complete(tournament["settings"])["hands"])
    return "".join(
        f"[{index * hands + number}]\n{_fields(tournament, match, number, hand, actions)}\n"
        for index, match in enumerate(document["matches"], document.get("first", 0))
        for number, (hand, actions) in enumerate(_hands(tournament, match), 1)
    )


def _hands(tournament: Mapping[str, Any], match: Mapping[str, Any]) -> Iterator[tuple["Hand", list[str]]]:
    """Yield the finished hands of a match, each with the actions in PHH."""
    from rumble_engine.games.poker.state import PokerState

    state = get_game(POKER).initial_for(len(match["seats"]), tournament["settings"])
    assert isinstance(state, PokerState)
    actions: list[str] = []
    before, first = 0, 0
    for move in match["moves"]:
        if move == IDLE:
            return
        hand, mover = state.hand, state.to_move
        order = state.rules.order(state.button)
        names = {seat: f"p{index}" for index, seat in enumerate(order, 1)}
        if hand is None:
            actions, before, first = [], 0, order[0]
            pairs = move.split(" ")
            actions += [f"d dh {names[seat]} {pairs[seat]}" for seat in order]
        elif state.is_chance:
            actions.append(f"d db {move}")
            before, first = max(hand.spent), order[0]
        elif move in ACTIONS:
            actions.append(f"{names[mover]} {ACTIONS[move]}")
        else:
            # PHH counts the chips of this round of betting alone. The last raiser shows cards first.
            actions.append(f"{names[mover]} cbr {int(move[1:]) - before}")
            first = mover
        state = state.play(move)
        if state.hand is None and state.last is not None:
            at = order.index(first)
            cards = state.last.shown()
            actions += [f"{names[seat]} sm {cards[seat]}" for seat in order[at:] + order[:at] if cards[seat] != HIDDEN]
            yield state.last, actions


def _fields(
    tournament: Mapping[str, Any], match: Mapping[str, Any], number: int, hand: "Hand", actions: list[str]
) -> str:
    rules, order = hand.rules, hand.rules.order(hand.button)
    big = rules.blinds[1]
    sizes = {"small_bet": big, "big_bet": 2 * big} if rules.is_limit else {"min_bet": big}
    started = tournament.get("started_at_ms")
    day = None if started is None else datetime.fromtimestamp(started / 1000, UTC)
    fields = {
        "variant": "FT" if rules.is_limit else "NT",
        "antes": [0] * rules.seats,
        "blinds_or_straddles": [*rules.blinds, *[0] * (rules.seats - 2)],
        **sizes,
        "starting_stacks": [rules.stack] * rules.seats,
        "actions": actions,
        "event": printable(tournament["name"]),
        **({} if day is None else {"day": day.day, "month": day.month, "year": day.year}),
        "hand": number,
        "seats": [seat + 1 for seat in order],
        "table": match["id"],
        "players": [match["seats"][seat] for seat in order],
        "finishing_stacks": [rules.stack + hand.gains[seat] for seat in order],
    }
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())
