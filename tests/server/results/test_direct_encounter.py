from rumble_server.results.direct_encounter import Meet, places, split
from rumble_server.results.sums import Sums
from rumble_server.results.tally import Scheme, Tally

from tests.server.results.events import beats, rank


def met(text: str) -> Meet:
    return Sums(Tally.of(beats(text)), Scheme.of((1, 0.5, 0))).encounters


def test_a_bot_that_cannot_be_reached_is_first_article_6_3() -> None:
    """A, B and C are tied. A beat both; the winner of B against C, who have not met, would have a point to A's two."""
    assert split(list("ABC"), met("A>B A>C")) == [["A"], ["B", "C"]]
    lines = rank(beats("A>B A>C D>A B>E B>F C>E C>F"), ("de",))
    assert [(line.rank, line.name, line.tiebreaks["de"]) for line in lines[:3]] == [
        (1, "A", 1),
        (2, "B", 2),
        (2, "C", 2),
    ]
    assert [line.decided_by for line in lines[:3]] == ["de", "de", ""]


def test_a_bot_that_can_be_reached_is_not_first_article_6_3() -> None:
    assert split(list("ABC"), met("A>B")) == [["A", "B", "C"]]
    assert split(list("ABC"), met("A>B A=C")) == [["A", "B", "C"]], "C would draw level with A by a win against B"
    assert split(list("ABCD"), met("A>B A=C")) == [["A", "B", "C", "D"]]


def test_the_second_place_follows_when_the_first_is_given_article_6_3() -> None:
    # C and D have not met; B stays ahead of the winner of that match.
    assert split(list("ABC"), met("A>B A>C B>C")) == [["A"], ["B"], ["C"]]
    assert split(list("ABCD"), met("A>B A>C A>D B>C B>D")) == [["A"], ["B"], ["C", "D"]]


def test_the_rule_is_applied_again_among_bots_still_tied_article_6_2() -> None:
    pairs = met("A>B A>C B>C B>D C>D D>A")
    assert split(list("DCBA"), pairs) == [["A"], ["B"], ["C"], ["D"]]


def test_a_circle_stays_tied() -> None:
    assert split(list("ABC"), met("A>B B>C C>A")) == [["A", "B", "C"]]


def test_places_are_shared_and_nought_where_nothing_parts() -> None:
    assert places([["A"], ["B", "C"], ["D"]]) == {"A": 1, "B": 2, "C": 2, "D": 4}
    assert places([["A", "B"]]) == {"A": 0, "B": 0}
