"""What was used last stays, within a bound."""

from rumble_server.host.last_used import LastUsed


def test_the_value_used_longest_ago_goes() -> None:
    kept: LastUsed[str, int] = LastUsed(8)
    for key in ("a", "b"):
        kept.put(key, 1, 4)
    assert kept.get("a") == 1
    kept.put("c", 1, 4)
    assert [kept.get(key) for key in "abc"] == [1, None, 1]
    assert kept.size == 8


def test_a_value_takes_the_place_of_an_earlier_one_whatever_their_sizes() -> None:
    kept: LastUsed[str, int] = LastUsed(8)
    kept.put("a", 1, 8)
    kept.put("a", 2, 3)
    assert (kept.get("a"), kept.size) == (2, 3)
    assert (kept.pop("a"), kept.pop("a"), kept.size) == (2, None, 0)


def test_a_value_larger_than_the_bound_stays_only_where_one_value_has_to_stay() -> None:
    none, one = LastUsed[str, int](8), LastUsed[str, int](8, least=1)
    for kept in (none, one):
        kept.put("small", 1, 1)
        kept.put("large", 2, 9)
        assert kept.get("small") is None
    assert (none.get("large"), none.size) == (None, 0)
    assert (one.get("large"), one.size) == (2, 9)
