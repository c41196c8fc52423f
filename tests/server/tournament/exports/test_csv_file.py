from rumble_server.tournament.exports import csv_file

from tests.server.tournament.exports.documents import exported


def test_a_row_a_match() -> None:
    assert csv_file.write(exported()).splitlines() == [
        "match,attempt,first,second,score,second_score,termination,reason,moves",
        "friday.1.1.1.1,1,B,C,1,0,normal,three in a row,4 0 8",
        "friday.1.1.1.2,1,C,B,0.5,0.5,normal,board full,4 0 8",
        "friday.1.2.1.1,1,A,B,0,1,no_show,A was not there,",
    ]


def test_no_matches() -> None:
    assert csv_file.write(exported(matches=[], standings=[])).count("\n") == 1
