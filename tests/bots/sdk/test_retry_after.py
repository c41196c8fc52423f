import pytest
from rumble_bots.sdk.retry_after import LATEST_S, LEAST_S, SOON_S, retry_delay_s


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        (None, SOON_S),
        ("1", 1.0),
        ("0", LEAST_S),
        ("3", 3.0),
        ("3600", LATEST_S),
        ("Wed, 21 Oct 2026 07:28:00 GMT", SOON_S),
    ],
)
def test_the_retry_delay_is_the_one_that_the_answer_says(told: str | None, seconds: float) -> None:
    assert retry_delay_s(told) == seconds
