"""The FIDE Tournament Report File: TRF16 (Handbook C.04, Annex 2) or TRF-2026, for FIDE's tools and pairing engines.

A round of TRF has one match for each player. So each leg of each round is a TRF round of its own, in schedule order.
Players are numbered as the schedule numbers them. Points are always 1, 1/2, 0, as FIDE counts. A bye of a Swiss is `U`
or `H`, and any other round without a match is `Z`. A match lost by `no_show` is a forfeit.

Other programs can pair the next round of a Swiss from its file, if the Swiss has one leg and counts 1, 1/2, 0. For this
purpose, incomplete rounds are left out of the file. The file contains the number of rounds, the initial colour, virtual
points, and the players who miss the next round. TRF16 has no fields for these values, so a TRF16 file has the fields of
the program JaVaFo (`XXR`, `XXC`, `XXA`). If other programs cannot pair the next round, comment lines `### ...` say why.
Lines end with CR and LF.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import product
from typing import Any

from rumble_server.match.match_id import MatchId
from rumble_server.results.trf import codes
from rumble_server.tournament.exports.thoughts import printable
from rumble_server.tournament.formats import FORMATS

MOST_PLAYERS = 9999
"""Maximum number of players: a starting number has four columns. A report with more players is refused."""
MOST_POINTS = 99.5
"""Maximum number of points: points have four columns. A report with more points is refused."""
MOST_RATING = 9999
"""Maximum rating: ratings have four columns. A greater rating is written as this number."""
RESULT_COLUMN = 91
"""The column of the first round, counted from 0; each round takes ten columns."""
TRF16, TRF_2026 = "16", "2026"
REMARK = "### "
UNPAIRABLE = "this cannot be paired again elsewhere"
"""Beginning of the remark for a file whose rounds differ from the rounds as Rumble paired them."""
DUTCH_2026 = "FIDE_DUTCH_2025"
"""TRF-2026's name for the rules `dutch-2026`. The name contains the year in which the rules were approved."""

RoundKey = tuple[int, int, int]
"""A round of the file: cycle, round and leg of its matches."""


def write(document: Mapping[str, Any], edition: str = TRF16) -> str:
    """Return an export document as TRF.

    Raises ValueError for tables, and for more players or points than TRF has room for.
    """
    seats = [document["tournament"].get("seats", 2), *(len(match["seats"]) for match in document["matches"])]
    if max(seats) > 2:
        raise ValueError("TRF is for matches of two seats; this tournament has tables of more")
    return _Report(document, edition == TRF_2026).text()


class _Report:
    """The report of a tournament, collected line by line."""

    def __init__(self, document: Mapping[str, Any], is_2026: bool) -> None:
        self.document = document
        self.is_2026 = is_2026
        self.tournament = tournament = document["tournament"]
        self.names = list(tournament.get("pairing_order") or tournament["names"])
        if len(self.names) > MOST_PLAYERS:
            raise ValueError(f"TRF has room for {MOST_PLAYERS} players; this tournament has {len(self.names)}")
        self.number = {name: index for index, name in enumerate(self.names, 1)}
        self.ranks = {line["name"]: line["rank"] for line in document["standings"]}
        self.is_swiss = FORMATS[tournament["format"]].pairs_by_points
        self.remarks = [f"{UNPAIRABLE}: {why}" for why in _why_not(tournament)]
        for match in tournament.get("voided_later", ()):
            self.remarks.append(f"later rounds were paired by a result of {match} that was voided since")
        self.byes: list[str] = []
        """The lines of byes requested for the next round."""
        matches = document["matches"]
        legs = range(1, tournament["legs"] + 1)
        without = [each["round"] for each in tournament.get("rounds_paired", ()) if not each["pairs"]]
        if without and without[-1] == len(tournament["rounds_paired"]):
            self.remarks.append(f"round {without[-1]} has no matches: other programs take its byes for requests")
        self.rounds = sorted({_round(match["id"]) for match in matches}.union(product((1,), without, legs)))
        if self.is_swiss and tournament["legs"] == 1:
            self._leave_out_what_is_not_over()
        column = {key: index for index, key in enumerate(self.rounds)}
        self.cells: dict[str, dict[int, str]] = {name: {} for name in self.names}
        self.points = dict.fromkeys(self.names, 0.0)
        for match in matches:
            index = column.get(_round(match["id"]))
            if index is not None:
                self._enter_match(match, index)
        for paired in tournament.get("rounds_paired", ()):
            for index in (index for key, index in column.items() if key[1] == paired["round"]):
                self._enter_byes(paired, index)
        self._enter_next_round()
        most = max(self.points.values(), default=0)
        if most > MOST_POINTS:
            raise ValueError(f"TRF has room for {MOST_POINTS} points; the leader has {most:g}")

    def _leave_out_what_is_not_over(self) -> None:
        """Leave out an incomplete round, since the next pairing follows from complete rounds."""
        over = Counter(MatchId.parse(match["id"]).key[1] for match in self.document["matches"])
        for paired in self.tournament["rounds_paired"]:
            number, matches = paired["round"], len(paired["pairs"])
            if over[number] < matches:
                self.rounds = [key for key in self.rounds if key[1] != number]
                self.remarks.append(f"round {number} is left out: {over[number]} of {matches} matches are over")

    def _enter_match(self, match: Mapping[str, Any], index: int) -> None:
        for seat, name in enumerate(match["seats"]):
            score = match["scores"][seat]
            opponent = self.number[match["seats"][1 - seat]]
            self.points[name] += score
            self.cells[name][index] = f"{opponent:>4} {(codes.WHITE, codes.BLACK)[seat]} {_code(match, score)}"

    def _enter_byes(self, paired: Mapping[str, Any], index: int) -> None:
        for given, code, worth in (("byes", codes.PAIRING_BYE, 1), ("half_byes", codes.HALF_BYE, 0.5)):
            for name in paired[given]:
                self.cells[name][index] = _without_opponent(code)
                self.points[name] += worth

    def _enter_next_round(self) -> None:
        """Enter the players who will not be paired in the next round of a Swiss of one leg.

        TRF-2026 has a line for such players. In TRF16 the players get a result in the column of the next round, and the
        points of this result count.
        """
        tournament = self.tournament
        number = len(self.rounds) + 1
        going_on = self.is_swiss and tournament["status"] in ("running", "paused") and tournament["legs"] == 1
        if not going_on or number > tournament["number_of_rounds"]:
            return
        withdrawn = set(tournament["withdrawn"])
        halves = [name for name in tournament["half_byes"].get(str(number), ()) if name not in withdrawn]
        for code, names, worth in ((codes.HALF_BYE, halves, 0.5), (codes.ABSENT, tournament["withdrawn"], 0)):
            if self.is_2026 and names:
                self.byes.append(f"240 {code} {number:>3}" + "".join(f" {self.number[name]:>4}" for name in names))
            for name in () if self.is_2026 else names:
                self.cells[name][number - 1] = _without_opponent(code)
                self.points[name] += worth

    def text(self) -> str:
        lines = [
            *self._header(),
            *self.byes,
            *(REMARK + remark for remark in self.remarks),
            *map(self._player, self.names),
        ]
        return "".join(f"{line.rstrip()}\r\n" for line in lines)

    def _header(self) -> list[str]:
        tournament, rounds = self.tournament, len(self.rounds)
        if self.is_swiss:
            rounds = (tournament["number_of_rounds"] or 0) * tournament["legs"]
        lines = [f"012 {printable(tournament['name'])}"]
        for code, key in (("042", "started_at_ms"), ("052", "ended_at_ms")):
            at = tournament.get(key)
            if at is not None:
                lines.append(f"{code} {datetime.fromtimestamp(at / 1000, UTC):%Y/%m/%d}")
        control = tournament.get("time_control") or {}
        rules = f", {tournament['pairing_rules']}" if self.is_swiss else ""
        if "tiebreak_rules" in tournament:
            rules += f", tie-breaks {tournament['tiebreak_rules']}"
        lines += [
            f"062 {len(self.names)}",
            "072 0",
            f"092 Individual: {tournament['format']} ({tournament['game']}){rules}",
            f"122 {', '.join(f'{name} {value}' for name, value in control.items())}",
            f"{'142' if self.is_2026 else 'XXR'} {rounds}",
        ]
        return [*lines, *self._swiss_header()] if self.is_swiss else lines

    def _swiss_header(self) -> list[str]:
        virtual = self.tournament["virtual_points"]
        if not self.is_2026:
            rows = [(number, " ".join(f"{points:>4.1f}" for points in own)) for number, own in enumerate(virtual, 1)]
            return ["XXC white1", *(f"XXA {number:>4} {points}" for number, points in rows if points)]
        lines = ["152 W"]
        if self.tournament["pairing_rules"] == "dutch-2026":
            lines.append(f"192 {DUTCH_2026}")
        players = sum(map(bool, virtual))
        own = virtual[0] if players else []
        for points in dict.fromkeys(own):
            first, last = own.index(points) + 1, len(own) - own[::-1].index(points)
            lines.append(f"250      {points:>4.1f} {first:>3} {last:>3} {1:>4} {players:>4}")
        return lines

    def _player(self, name: str) -> str:
        columns = max([len(self.rounds), *(index + 1 for index in self.cells[name])])
        nothing = _without_opponent(codes.ABSENT)
        results = "".join(f"  {self.cells[name].get(index, nothing)}" for index in range(columns))
        rating = self.tournament.get("seed_ratings", {}).get(name)
        rated = "" if rating is None else f"{min(rating, MOST_RATING):.0f}"
        head = f"001 {self.number[name]:>4} {'':4} {name[:33]:<33} {rated:>4}"
        rank = self.ranks.get(name, self.number[name])
        return f"{head:<80}{self.points[name]:>4.1f} {rank:>4}".ljust(RESULT_COLUMN - 2) + results


def _why_not(tournament: Mapping[str, Any]) -> list[str]:
    """Return the reasons why other programs cannot pair a tournament from its file; empty if they can."""
    if not FORMATS[tournament["format"]].pairs_by_points:
        return [f"a {tournament['format']} is not paired by points"]
    reasons = []
    if tournament["legs"] > 1:
        reasons.append(f"each pairing has {tournament['legs']} matches, and each of them is a round here")
    if tournament["scheme"] != [1, 0.5, 0]:
        scheme = ", ".join(f"{points:.15g}" for points in tournament["scheme"])
        reasons.append(f"it was paired by points of {scheme}, and here they are 1, 0.5, 0")
    return reasons


def _round(match_id: str) -> RoundKey:
    cycle, number, _, leg = MatchId.parse(match_id).key
    return cycle, number, leg


def _code(match: Mapping[str, Any], score: float) -> str:
    if match["termination"] == "no_show":
        return codes.FORFEIT_WIN if score == 1 else codes.FORFEIT_LOSS
    return codes.WIN if score == 1 else codes.DRAW if score > 0 else codes.LOSS


def _without_opponent(code: str) -> str:
    return f"0000 {codes.NO_SEAT} {code}"
