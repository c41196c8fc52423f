import pytest
from rumble_server.tournament.exports.thoughts import comment


@pytest.mark.parametrize(
    ("info", "told"),
    [
        (None, ""),
        ({}, ""),
        ({"score": 1, "depth": 3, "time_ms": 12}, "+1.00/3 0.012s"),
        ({"score": -0.5}, "-0.50"),
        ({"depth": 0}, "depth 0"),
        ({"time_ms": 61_500}, "61.5s"),
        ({"time_ms": 1_234_567}, "1234.567s"),
        ({"score": -0.0, "time_ms": 0}, "+0.00 0s"),
        ({"nodes": 0, "pv": []}, "0 nodes"),
        ({"score": 0.0, "nodes": 5120, "pv": ["e2e4", "e7\ne5"]}, "+0.00, 5120 nodes, pv e2e4 e7 e5"),
    ],
)
def test_comments(info: dict[str, object] | None, told: str) -> None:
    assert comment(info) == told
