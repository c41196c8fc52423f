from rumble_engine import Termination
from rumble_server.results.results_file import read_results
from rumble_server.tournament.exports import csv_file
from rumble_server.tournament.exports.document import export

from tests.server.tournament.exports.documents import exported, played
from tests.server.tournament.leader import Leader


def test_a_row_a_match() -> None:
    assert csv_file.write(exported()).splitlines() == [
        "match,attempt,first,second,score,second_score,termination,reason,moves",
        "friday.1.1.1.1,1,B,C,1,0,normal,three in a row,4 0 8",
        "friday.1.1.1.2,1,C,B,0.5,0.5,normal,board full,4 0 8",
        "friday.1.2.1.1,1,A,B,0,1,no_show,A was not there,",
    ]


def test_no_matches() -> None:
    assert csv_file.write(exported(matches=[], standings=[])).count("\n") == 1


def test_tables_have_columns_for_each_seat() -> None:
    falls = [{"seat": 1, "ply": 3, "termination": "timeout"}]
    four = played("t.1.1.1.1", ["A", "B", "C", "D"], [1, 0, 0.5, 0.5], places=[1, 4, 2, 2], payoffs=None, falls=falls)
    three = played("t.1.1.2.1", ["D", "C", "A"], [1, 0.5, 0], places=[1, 2, 3], payoffs=[2.0, 0.5, -1.0], falls=[])
    header, *rows = csv_file.write(exported(matches=[four, three])).splitlines()
    assert header.startswith("match,attempt,seat_0,place_0,payoff_0,fall_0,seat_1,place_1,")
    assert rows == [
        "t.1.1.1.1,1,A,1,,,B,4,,timeout,C,2,,,D,2,,,normal,three in a row,4 0 8",
        "t.1.1.2.1,1,D,1,2.0,,C,2,0.5,,A,3,-1.0,,,,,,normal,three in a row,4 0 8",
    ]
    assert csv_file.write({"matches": []}, 4) == f"{header}\n"


def test_a_plain_match_of_two_at_a_small_table_has_places_too() -> None:
    leader = Leader.started(*"ABCDE", game="snakes", seats=3, format="swiss")
    leader.due()
    for started in list(leader.tournament.running.values()):
        if len(started.seats) == 2:
            leader.finish(started.match, (0.0, 1.0), Termination.TIMEOUT, (0,))
    document = export(leader.tournament)
    (match,) = document["matches"]
    assert (match["places"], match["falls"]) == ([2, 1], [{"seat": 0, "ply": 0, "termination": "timeout"}])
    (table,) = read_results(csv_file.write(document, 3)).tables
    assert (table.places, table.falls) == ((2, 1), ((0, Termination.TIMEOUT),))
