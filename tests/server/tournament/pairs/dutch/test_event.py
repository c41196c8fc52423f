from rumble_server.tournament.pairs.dutch.event import baku


def test_baku_accelerates_half_the_rounds_for_half_the_field() -> None:
    """Baku acceleration (C.04.5.1): 3 of 9 rounds add a point, 2 half a point, only for the first 82 of 161 players."""
    virtual = baku(161, 9, 10, 5)
    assert virtual[81] == (10, 10, 10, 5, 5)
    assert virtual[82] == ()
    assert baku(8, 6, 2, 1)[3] == (2, 2, 1)
    assert baku(8, 6, 2, 1)[4] == ()
