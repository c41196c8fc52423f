import pytest
from rumble_server.results.editions import EDITIONS, NEWEST, check_edition, edition_of


def test_the_day_of_an_event_tells_its_edition() -> None:
    assert [edition_of(day) for day in ("2019/05/01", "2024/08/01", "2026/02/28", "2026/03/01", "2030/01/01")] == [
        "2024-08",
        "2024-08",
        "2024-08",
        "2026-03",
        "2026-03",
    ]


def test_the_newest_is_the_last() -> None:
    assert EDITIONS[-1] == NEWEST
    assert check_edition("2024-08") == "2024-08"
    with pytest.raises(ValueError, match=r"unknown tie-break rules '2023'; there are: 2024-08, 2026-03"):
        check_edition("2023")
