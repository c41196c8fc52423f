from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from rumble_server.results.direct_encounter import Encounters, places, split

from tests.server.results.events import beats, rank


def met(text: str) -> "Meeting":
    return Meeting([(pair[0], pair[2], pair[1]) for pair in text.split()])


class Meeting:
    """Encounters from wins (`>`) and draws (`=`); a win scores 2, a draw 1."""

    def __init__(self, pairs: Sequence[tuple[str, str, str]]) -> None:
        self.pairs = pairs

    def __call__(self, group: Sequence[str]) -> Encounters:
        inside = [(one, other, sign) for one, other, sign in self.pairs if one in group and other in group]
        scores = {
            name: sum(
                2 if sign == ">" else 1 for one, other, sign in inside if name == one or sign + name == "=" + other
            )
            for name in group
        }
        return Encounters(scores, {name: sum(name in pair[:2] for pair in inside) for name in group}, 2)


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


PAIRS = st.lists(st.tuples(*[st.sampled_from("ABCDE")] * 2, st.sampled_from(">=")), max_size=8)


@given(PAIRS, st.permutations(list("ABCDE")))
def test_the_order_of_the_group_does_not_matter(pairs: list[tuple[str, str, str]], group: list[str]) -> None:
    once = {frozenset(pair[:2]): pair for pair in pairs if pair[0] != pair[1]}
    meet = Meeting(list(once.values()))
    assert [set(part) for part in split(group, meet)] == [set(part) for part in split(list("ABCDE"), meet)]
