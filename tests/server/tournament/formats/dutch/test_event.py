from rumble_server.tournament.formats.dutch.event import baku


def test_baku_accelerates_half_the_rounds_for_half_the_field() -> None:
    """Of 9 rounds, 3 add a point and 2 half a point; of 161 players the first 82 are accelerated (C.04.5.1)."""
    virtual = baku(161, 9, 10, 5)
    assert virtual[81] == (10, 10, 10, 5, 5)
    assert virtual[82] == ()
    assert baku(8, 6, 2, 1)[3] == (2, 2, 1)
    assert baku(8, 6, 2, 1)[4] == ()
