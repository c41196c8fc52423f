import pytest
from rumble_server.results.trf import codes
from rumble_server.results.trf.event import Forbidden, TrfEntry, TrfEvent
from rumble_server.results.trf.reader import BadTrf, read_trf


def player(number: int, *rounds: str, points: str = "", name: str = "", rank: int = 1, rating: str = "") -> str:
    """Write a line 001."""
    head = f"001 {number:>4}  {'':3} {name or f'P{number}':<33} {rating:>4}"
    return f"{head:<80}{points:>4} {rank:>4}".ljust(89) + "".join(f"  {each:<8}" for each in rounds)


def event(*lines: str) -> TrfEvent:
    return read_trf("\n".join(lines) + "\n")


def problems(*lines: str) -> list[str]:
    with pytest.raises(BadTrf) as caught:
        event(*lines)
    return list(caught.value.problems)


def test_a_player() -> None:
    line = (
        "001    7 mgm  Sergeyev, Ilya                    2540 UKR    14100010 1961/03/01  1.5    3     8 w 1     8 b ="
    )
    other = player(8, "   7 b 0", "   7 w =", points="0.5")
    found = event(line, other).players[0]
    assert (found.number, found.name, found.rating) == (7, "Sergeyev, Ilya", 2540)
    assert (found.points, found.rank) == (15, 3)
    assert found.entries == (TrfEntry(8, "w", "1"), TrfEntry(8, "b", "="))


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_comments_and_other_fields(end: str) -> None:
    text = end.join(["### a comment", "012 Open", "XYZ skipped", player(1, "0000 - U", points="1.0"), "", "XXR 3", ""])
    found = read_trf("\ufeff" + text)
    assert (found.fields, found.rounds, found.played) == ({"012": "Open"}, 3, 1)


def test_lower_case_codes_older_codes_and_blanks() -> None:
    rounds = ("0000 - u", "0000 - h", "0000 - =", "0000 - +", "0000 - -", "", "0000", "0000 - f")
    found = event(player(1, *rounds, "   2 w W"), player(2, *[""] * 8, "   1 b l")).players
    assert "".join(entry.code for entry in found[0].entries) == "UHHUZZZFW"
    assert {entry.code for entry in found[1].entries[:8]} == {codes.ABSENT}


def test_byes_of_coming_rounds_are_no_rounds_that_were_played() -> None:
    found = event(
        player(1, "   2 w 1", "0000 - H", points="1.5"),
        player(2, "   1 b 0", "0000 - Z", points="0.0"),
        player(3, "0000 - U", points="1.0"),
        player(4, "0000 - Z"),
        "XXZ 3",
        "240 H 003    1    2",
        "240 Z 001    4",
        "142 5",
    )
    assert (found.played, found.rounds) == (1, 5)
    assert found.byes == {2: {1: "H", 2: "Z", 3: "Z"}, 3: {1: "H", 2: "H"}}
    assert [len(each.entries) for each in found.players] == [1, 1, 1, 1]


def test_colour_order_system_and_forbidden_pairs() -> None:
    lines = (player(1), player(2), player(3), "152 B", "XXC rank white1", "192 FIDE_DUTCH_2026_BAKU")
    found = event(*lines, "260 001 002    1    2", "XXP 2 3")
    assert (found.first_seat, found.is_by_rank, found.system) == ("w", True, "FIDE_DUTCH_2026_BAKU")
    assert event(player(1), "152 B").first_seat == "b"
    assert found.forbidden == (Forbidden((1, 2), 1, 2), Forbidden((2, 3), 1, None))


def test_accelerations() -> None:
    lines = [player(number) for number in (1, 2, 3)]
    found = event(*lines, "250      01.0 001 002 0001 0002", "250      00.5 003 003 0001 0001", "XXA    3  1.0  0.5")
    assert found.accelerations == {1: (10, 10, 5), 2: (10, 10), 3: (10, 5)}


def test_virtual_points_may_be_in_the_points() -> None:
    lines = (player(1, "   2 w 1", points="2.0"), player(2, "   1 b 0", points="0.0"))
    assert event(*lines, "XXA    1  1.0  1.0").players[0].points == 20


@pytest.mark.parametrize(
    ("lines", "worth"),
    [
        ((), {"1w": 10, "=b": 5, "0w": 0, "+b": 10, "-w": 0, "U-": 10, "H-": 5, "Z-": 0, "Ww": 10}),
        (("BBW  3.0", "BBD  1.0"), {"1w": 30, "+b": 30, "Ww": 30, "F-": 30, "=b": 10, "H-": 10, "U-": 30}),
        (("BBU  0.5", "BBW  3.0", "BBZ  0.5", "BBF  0.2"), {"1b": 30, "U-": 5, "Z-": 5, "-w": 2}),
        (("XXS WW=3 BW=2.5 D=1", "XXS PAB=.5 WL=1"), {"1w": 30, "1b": 25, "=b": 10, "U-": 5, "0w": 10, "0b": 0}),
        (("XXS W=3",), {"1w": 30, "U-": 10}),
        (("162  W 3.0    D 1.0    A 0.0    P 1.0    X 1.0",), {"1w": 30, "=b": 10, "U-": 10, "Z-": 0}),
        (("162  W 3.0",), {"U-": 30}),
    ],
)
def test_points_of_results(lines: tuple[str, ...], worth: dict[str, int]) -> None:
    found = event(player(1), *lines)
    assert {key: found.worth[key[0], key[1]] for key in worth} == worth


def test_a_round_robin_is_told_by_its_type() -> None:
    assert event(player(1), "092 Individual: round-robin (tictactoe)").is_round_robin
    assert event(player(1), "192 BERGER_DOUBLEROUNDROBIN").is_round_robin
    assert not event(player(1), "092 Individual: Swiss-System").is_round_robin


PAIR = (player(1, "   2 w 1"), player(2, "   1 b 0"))


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (("012 nobody",), "line 1, column 1: there is no player (no line 001)"),
        (("001    1",), "line 1, column 15: a player needs a name"),
        (
            ("001    x Name of the player",),
            "line 1, column 5: the starting number must be a whole number from 1, not 'x'",
        ),
        ((*PAIR, player(1)), "line 3, column 5: a second player 1 (line 1 has the first)"),
        ((player(1, points="x"),), "line 1, column 81: the points must be points such as 2.5, not 'x'"),
        ((player(1, rating="12a"),), "line 1, column 49: the rating must be a whole number from 0, not '12a'"),
        ((player(1, "   1 w 1"),), "line 1, column 92: player 1 cannot meet itself"),
        ((player(1, "   2 w 1"),), "line 1, column 92: round 1: there is no player 2"),
        ((player(1, "   2 w U"),), "line 1, column 99: 'U' is no result against an opponent"),
        ((player(1, "   2 x 1"),), "line 1, column 97: the colour is w, b or -, not 'x'"),
        ((player(1, "   2 - 1"),), "line 1, column 97: a game needs a colour, w or b, not '-'"),
        ((player(1, "0000 - 1"),), "line 1, column 99: - 1 needs an opponent"),
        ((player(1, "   2 w 1?"),), "line 1, column 100: nothing stands between two rounds, but '?'"),
        (
            (player(1, "   2 w 1"), player(2, "   3 b 0"), player(3, "   2 w 1")),
            "line 1, column 92: round 1: player 1 meets 2, which meets 3",
        ),
        (
            (player(1, "   2 w 1"), player(2, "   1 w 0")),
            "line 1, column 92: round 1: players 1 and 2 have the same colour",
        ),
        (
            (player(1, "   2 w 1"), player(2, "   1 b 1")),
            "line 1, column 92: round 1: the results 1 and 1 of 1 and 2 do not go together",
        ),
        (
            (player(1, "   2 w 1"), player(2, "   1 b -")),
            "line 1, column 92: round 1: the results 1 and - of 1 and 2 do not go together",
        ),
        (
            (player(1, "   2 w 1", points="2.0"), PAIR[1]),
            "line 1, column 81: player 1 has 2.0 points, but its results give 1.0",
        ),
        ((*PAIR, "XXR 0"), "line 3, column 4: the number of rounds must be a whole number from 1, not '0'"),
        ((player(1, "0000 - U", "0000 - U"), "142 1"), "line 1, column 1: 2 rounds were played of 1"),
        ((*PAIR, "142 " + "9" * 5000), "line 3, column 4: the number of rounds must be a whole number from 1, not"),
        ((*PAIR, "142 1000"), "line 3, column 5: more than 999 rounds"),
        ((*PAIR, "152 X"), "line 3, column 5: the initial colour is W or B, not 'X'"),
        ((*PAIR, "XXZ 1, 9"), "line 3, column 8: there is no player 9"),
        ((*PAIR, "XXZ one"), "line 3, column 5: 'one' is not a player's number"),
        ((*PAIR, "240 Q 001    1"), "line 3, column 5: the kind of a bye is F, H or Z, not 'Q'"),
        ((*PAIR, "260 003 002    1    2"), "line 3, column 9: round 2 comes before round 3, or is beyond 999"),
        ((*PAIR, "250  1.0  1.0   1   1    1    2"), "line 3, column 5: match points are for teams"),
        ((*PAIR, "250       1.0   1   1    2    1"), "line 3, column 28: the last player 1 comes before the first 2"),
        ((*PAIR, "XXA    1  one"), "line 3, column 10: virtual points must be points such as 2.5, not 'one'"),
        ((*PAIR, "XXS Q=1"), "line 3, column 5: 'Q=1' is not KEY=POINTS with a key of"),
        ((*PAIR, "162  Q 1.0"), "line 3, column 6: the points are of W, D, L, A, P or X, not of 'Q'"),
        ((*PAIR, "013 Team"), "line 3, column 1: field 013: events of teams are not read"),
        ((*PAIR, "299 +"), "line 3, column 1: field 299: points that no result gives are not read"),
    ],
)
def test_a_problem_is_told_with_its_line_and_column(lines: tuple[str, ...], problem: str) -> None:
    assert problems(*lines)[0].startswith(problem)


def test_every_bad_line_is_told() -> None:
    assert len(problems("152 X", "XXR x", player(1))) == 2


def test_both_players_may_lose_by_forfeit_or_get_less_than_a_point() -> None:
    assert event(player(1, "   2 w -"), player(2, "   1 b -")).points(event(player(1)).players[0]) == 0
    assert event(player(1, "   2 w ="), player(2, "   1 b 0")).played == 1
