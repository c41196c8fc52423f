from rumble_server.tournament.exports import pgn

from tests.server.tournament.exports.documents import exported, played, tournament


def test_pgn() -> None:
    games = pgn.write(exported()).split("\n\n[")
    assert len(games) == 3
    assert games[0] == "\n".join(
        [
            '[Event "The \\"Friday\\" rumble"]',
            '[Site "?"]',
            '[Date "2025.11.21"]',
            '[Round "1.1.1.1"]',
            '[White "B"]',
            '[Black "C"]',
            '[Result "1-0"]',
            '[Attempt "1"]',
            '[Game "tictactoe"]',
            '[MatchId "friday.1.1.1.1"]',
            '[PlyCount "3"]',
            '[Reason "three in a row"]',
            '[Termination "normal"]',
            '[TerminationCode "normal"]',
            '[TimeControl "?"]',
            "",
            "1. 4 0 2. 8 1-0",
        ]
    )
    assert games[1].endswith("1/2-1/2")
    assert '[Termination "abandoned"]' in games[2]
    assert games[2].endswith("\n\n0-1\n")


def test_pgn_of_chess_may_be_given_in_another_notation_and_is_wrapped() -> None:
    match = played("t.1.1.1.1", ["A", "B"], [0.0, 0.0], moves=["e2e4", "e7e5"] * 30)
    control = {"move_ms": 0, "bank_ms": 60_000, "increment_ms": 500}
    chess = tournament(game="chess", settings={"variant": "x"}, time_control=control, started_at_ms=None)
    text = pgn.write(exported(tournament=chess, matches=[match]), lambda moves: [move.upper() for move in moves])
    assert '[Game "' not in text
    assert '[Date "????.??.??"]' in text
    assert '[TimeControl "60+0.5"]' in text
    assert '[Settings "{\\"variant\\": \\"x\\"}"]' in text
    assert "1. E2E4 E7E5 2." in text
    assert text.endswith("30. E2E4 E7E5 *\n")
    assert max(map(len, text.splitlines())) <= 80


def test_no_matches() -> None:
    assert pgn.write(exported(matches=[], standings=[])) == ""
