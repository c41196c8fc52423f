import pytest
from rumble_server.results.performance import average_rating, performance


def test_average_rating_of_opponents_rounds_a_half_up_article_10_1() -> None:
    assert average_rating([2000, 2001]) == 2001
    assert average_rating([2000, 2000, 2001]) == 2000
    assert average_rating([]) is None


@pytest.mark.parametrize(
    ("halves", "difference"), [(0, -800), (1, -273), (2, -125), (3, 0), (4, 125), (5, 273), (6, 800)]
)
def test_performance_adds_the_difference_for_the_score_article_10_2(halves: int, difference: int) -> None:
    """The scores of three matches are 0, 17, 33, 50, 67, 83 and 100 percent."""
    assert performance(halves, [2000, 2000, 2001]) == 2000 + difference
    assert performance(halves, []) is None
