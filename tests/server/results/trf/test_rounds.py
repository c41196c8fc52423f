from rumble_engine import Termination
from rumble_server.results.rounds import ABSENT, RoundEntry
from rumble_server.results.tally import Count, Scheme
from rumble_server.results.trf.reader import read_trf
from rumble_server.results.trf.rounds import counts_of, names_of, rounds_of

from tests.server.results.trf.test_reader import player

TEXT = "\n".join(
    [
        player(1, "   2 b W", "   2 w +", "0000 - H", "0000 - F", "0000 - U", name="Ann"),
        player(2, "   1 w L", "   1 b -", "0000 - Z", "", "", name="Ann"),
        player(3, "0000 - U", "", "   4 b =", "   4 w 0", "   4 w 1", name="Cid"),
        player(4, "", "", "   3 w =", "   3 b 1", "   3 b 0", name="Dan"),
        "162  W 3.0    D 1.0    P 0.5",
    ]
)


def test_rounds_of_a_file() -> None:
    rounds = rounds_of(read_trf(TEXT))
    assert rounds.scheme == Scheme(30, 10, 0, 10)
    assert rounds.rows["Ann (1)"] == [
        RoundEntry("Ann (2)", 30, 1, 1, 1, 1, 1),
        RoundEntry("Ann (2)", 30, 1),
        RoundEntry(points=10, given_up=1),
        RoundEntry(points=30),
        RoundEntry(points=5),
    ]
    assert rounds.rows["Ann (2)"] == [
        RoundEntry("Ann (1)", 0, 1, 1),
        RoundEntry("Ann (1)", 0, 1, given_up=1),
        *[ABSENT] * 3,
    ]
    assert rounds.rows["Dan"][2:] == [
        RoundEntry("Cid", 10, 1, 1, drawn=1),
        RoundEntry("Cid", 30, 1, 1, 1, 1, 1),
        RoundEntry("Cid", 0, 1, 1, 1),
    ]


def test_counts_of_a_file() -> None:
    counts = counts_of(read_trf(TEXT))
    assert counts["Ann (1)"] == Count(wins=2, unplayed=1, byes=2, half_byes=1)
    assert counts["Ann (2)"] == Count(losses=2, faults={Termination.NO_SHOW: 1}, unplayed=1)
    assert counts["Cid"] == Count(wins=1, draws=1, losses=1, byes=1)


def test_players_of_the_same_name_have_their_numbers_beside_the_name() -> None:
    assert names_of(read_trf(TEXT)) == {1: "Ann (1)", 2: "Ann (2)", 3: "Cid", 4: "Dan"}


def test_a_name_that_looks_like_a_shared_name_with_its_number_is_numbered_too() -> None:
    names = ("Ann (3) (2)", "Ann (3)", "Ann", "Ann")
    event = read_trf("\n".join(player(number, name=name) for number, name in enumerate(names, 1)))
    assert names_of(event) == {1: "Ann (3) (2) (1)", 2: "Ann (3) (2)", 3: "Ann (3)", 4: "Ann (4)"}
