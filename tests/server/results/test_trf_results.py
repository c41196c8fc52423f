from rumble_engine import Termination
from rumble_server.results.result import Result
from rumble_server.results.trf.reader import read_trf
from rumble_server.results.trf_results import results_of

from tests.server.results.trf.test_reader import player


def test_matches_of_an_event() -> None:
    text = "\n".join(
        [
            player(1, "   2 w 1", "   3 b =", "   2 w +", "   2 b -", name="Ann"),
            player(2, "   1 b 0", "0000 - H", "   1 b -", "   1 w -", name="Ben"),
            player(3, "0000 - U", "   1 w =", name="Cid"),
        ]
    )
    file = results_of(read_trf(text))
    assert file.field == ("Ann", "Ben", "Cid")
    assert file.byes == {"Cid": 1}
    assert file.event is not None
    assert file.results == (
        Result(("Ann", "Ben"), (1.0, 0.0), match_id="round 1"),
        Result(("Cid", "Ann"), (0.5, 0.5), match_id="round 2"),
        Result(("Ann", "Ben"), (1.0, 0.0), Termination.NO_SHOW, (1,), "round 3"),
        Result(("Ben", "Ann"), (0.0, 0.0), Termination.NO_SHOW, (0, 1), "round 4"),
    )
