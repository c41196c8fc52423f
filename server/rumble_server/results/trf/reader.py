"""Reading TRF16 and TRF-2026, with the extensions of JaVaFo (XX.) and bbpPairings (BB.). Nothing is guessed.

Fields without a meaning here are kept as text. Lines that are no fields (comments, national ratings) are skipped.
Results without an opponent may be written as in the older TRF06: `0000 - +` is a pairing-allocated bye, `=` a
half-point bye, and `-` an absence. Columns count from 1, as in FIDE's description of the format (FIDE Handbook C.04,
Annex 2).
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from rumble_server.results.problems import BadResults
from rumble_server.results.trf import codes
from rumble_server.results.trf.event import HALVES, Forbidden, TrfEntry, TrfEvent, TrfPlayer
from rumble_server.results.trf.worth import BBP, KEYS, Points

FIRST_ROUND = 92
"""Column in which round 1 begins, counted from 1."""
ROUND_WIDTH = 10
"""Number of columns for each round."""
MOST_ROUNDS = 999
"""Maximum number of rounds of an event. A file with more rounds is refused."""
TEAM_FIELDS = ("013", "310", "320", "330")
WITHOUT_OPPONENT = {codes.FORFEIT_WIN: codes.PAIRING_BYE, codes.DRAW: codes.HALF_BYE, codes.FORFEIT_LOSS: codes.ABSENT}
"""Codes of TRF16 and TRF-2026 for results without an opponent, keyed by the older codes in TRF06."""
_WHOLE = re.compile(r"[0-9]{1,6}")
_TENTHS = re.compile(r"[0-9]{1,4}(\.[0-9]?)?|\.[0-9]")


class BadTrf(BadResults):
    """The error for a TRF file that cannot be read. Each problem begins with its line and column in the file."""


class _Bad(Exception):
    """A problem in a line. The error's text contains the numbers of the line and the column."""


class _Line:
    """A line of the file. Its columns count from 1."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text
        self.code = text[:3]

    def __len__(self) -> int:
        return len(self.text)

    def bad(self, column: int, why: str) -> _Bad:
        return _Bad(f"line {self.number}, column {column}: {why}")

    def columns(self, first: int, last: int) -> str:
        """Return the text in the columns from `first` to `last`, without blanks at the ends."""
        return self.text[first - 1 : last].strip()

    def whole(self, first: int, last: int, what: str, least: int = 1) -> int:
        """Return the whole number in the columns from `first` to `last`. `what` names the number in the error.

        Raises _Bad.
        """
        text = self.columns(first, last)
        if not _WHOLE.fullmatch(text) or int(text) < least:
            raise self.bad(first, f"{what} must be a whole number from {least}, not {text!r}")
        return int(text)

    def tenths(self, first: int, last: int, what: str) -> int:
        """Return the points in the columns from `first` to `last`, in tenths. `what` names the points in the error.

        Raises _Bad.
        """
        return self.read_tenths(first, self.columns(first, last), what)

    def read_tenths(self, column: int, text: str, what: str) -> int:
        """Return the points written in `text`, in tenths. Raises _Bad."""
        if not _TENTHS.fullmatch(text):
            raise self.bad(column, f"{what} must be points such as 2.5, not {text!r}")
        return int(Fraction(text.rstrip(".")) * 10)

    def words(self) -> Iterator[tuple[int, str]]:
        """Yield the words after the line's code, each with its column."""
        for found in re.finditer(r"[^\s,/]+", self.text[3:]):
            yield found.start() + 4, found.group()


def read_trf(text: str) -> TrfEvent:
    """Read an event from the text of a TRF file. Raises BadTrf."""
    return _Reader().read(text)


class _Reader:
    """The state during the reading of a file. Each `take` method handles a kind of line.

    Problems of single lines are collected, to be shown together. The reader looks for contradictions between lines
    only if no line has a problem.
    """

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.players: dict[int, TrfPlayer] = {}
        self.lines: dict[int, _Line] = {}
        """The line 001 of each player, keyed by starting number. The error for a player's problem names this line."""
        self.points = Points()
        self.rounds: int | None = None
        self.first_seat = ""
        self.is_by_rank = False
        self.accelerations: dict[int, list[int]] = defaultdict(list)
        self.absent: set[int] = set()
        """Players listed in lines XXZ. These players miss the next round."""
        self.byes: dict[int, dict[int, str]] = defaultdict(dict)
        self.forbidden: list[Forbidden] = []
        self.named: list[tuple[int, _Line, int]] = []
        """Players named in lines other than 001, each with the line and column."""

    def read(self, text: str) -> TrfEvent:
        problems = []
        for number, content in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), 1):
            try:
                self.read_line(_Line(number, content))
            except _Bad as error:
                problems.append(str(error))
        if not problems:
            problems = list(self.contradictions())
        if not problems and not self.players:
            problems = ["line 1, column 1: there is no player (no line 001)"]
        if problems:
            raise BadTrf(problems)
        event = self.event()
        problems = list(self.wrong_points(event))
        if problems:
            raise BadTrf(problems)
        return event

    def read_line(self, line: _Line) -> None:
        code = line.code
        if code == "001":
            self.take_player(line)
        elif code in TEAM_FIELDS:
            raise line.bad(1, f"field {code}: events of teams are not read")
        elif code == "299":
            raise line.bad(1, "field 299: points that no result gives are not read")
        elif code in ("142", "XXR"):
            self.rounds = line.whole(4, len(line), "the number of rounds")
            if self.rounds > MOST_ROUNDS:
                raise line.bad(5, f"more than {MOST_ROUNDS} rounds")
        elif code == "152":
            if line.columns(4, len(line)) not in ("W", "B"):
                raise line.bad(5, f"the initial colour is W or B, not {line.columns(4, len(line))!r}")
            self.first_seat = line.columns(4, len(line)).lower()
        elif code == "XXC":
            self.take_configuration(line)
        elif code == "XXZ":
            for column, word in line.words():
                self.absent.add(self.name(line, column, word))
        elif code == "240":
            self.take_byes(line)
        elif code == "XXA":
            self.take_accelerations(line)
        elif code == "250":
            self.take_acceleration(line)
        elif code == "260":
            numbers = tuple(self.named_in(line, 13))
            first, last = self.rounds_of(line, 5, 9)
            self.forbidden.append(Forbidden(numbers, first, last))
        elif code == "XXP":
            self.forbidden.append(Forbidden(tuple(self.name(line, *word) for word in line.words()), 1, None))
        elif code in BBP:
            self.points.set(BBP[code], line.tenths(4, len(line), f"field {code}"), bye_as_win=True)
        elif code == "XXS":
            self.take_worth(line)
        elif code == "162":
            self.take_worth_162(line)
        elif re.fullmatch(r"\d\d2", code):
            self.fields.setdefault(code, line.columns(4, len(line)))

    def take_player(self, line: _Line) -> None:
        if not line.columns(15, 47):
            raise line.bad(15, "a player needs a name")
        number = line.whole(5, 8, "the starting number")
        if number in self.players:
            raise line.bad(5, f"a second player {number} (line {self.lines[number].number} has the first)")
        columns = range(FIRST_ROUND, len(line.text.rstrip()) + 1, ROUND_WIDTH)
        if len(columns) > MOST_ROUNDS:
            raise line.bad(FIRST_ROUND, f"more than {MOST_ROUNDS} rounds")
        entries = [self.entry(line, column, number) for column in columns]
        while entries and entries[-1] is None:
            entries.pop()
        self.lines[number] = line
        self.players[number] = TrfPlayer(
            number,
            line.columns(15, 47),
            line.whole(49, 52, "the rating", 0) or None if line.columns(49, 52) else None,
            line.tenths(81, 84, "the points") if line.columns(81, 84) else None,
            line.whole(86, 89, "the rank") if line.columns(86, 89) else None,
            tuple(entry or TrfEntry() for entry in entries),
        )

    def entry(self, line: _Line, column: int, number: int) -> TrfEntry | None:
        """Return a player's entry for the round whose columns begin at `column`; None if blank. Raises _Bad."""
        opponent_text, seat = line.columns(column, column + 3), line.columns(column + 4, column + 6).lower()
        code = line.columns(column + 7, column + 7).upper()
        if line.columns(column + 8, column + 9):
            raise line.bad(
                column + 8, f"nothing stands between two rounds, but {line.columns(column + 8, column + 9)!r}"
            )
        if not (opponent_text or seat or code):
            return None
        opponent = line.whole(column, column + 3, "the opponent", 0) if opponent_text else 0
        if opponent == number:
            raise line.bad(column, f"player {number} cannot meet itself")
        if seat not in (codes.WHITE, codes.BLACK, codes.NO_SEAT, ""):
            raise line.bad(column + 5, f"the colour is w, b or -, not {seat!r}")
        if not opponent:
            code = WITHOUT_OPPONENT.get(code, code) or codes.ABSENT
            if code not in codes.BYES or seat in (codes.WHITE, codes.BLACK):
                raise line.bad(column + 7, f"{seat} {code} needs an opponent".strip())
            return TrfEntry(0, codes.NO_SEAT, code)
        if code not in codes.PLAYED | codes.FORFEITS:
            raise line.bad(column + 7, f"{code!r} is no result against an opponent")
        if seat not in (codes.WHITE, codes.BLACK):
            raise line.bad(column + 5, f"a game needs a colour, w or b, not {seat!r}")
        return TrfEntry(opponent, seat, code)

    def take_configuration(self, line: _Line) -> None:
        for _, word in line.words():
            if word == "rank":
                self.is_by_rank = True
            elif word in ("white1", "black1"):
                self.first_seat = word[0]

    def take_byes(self, line: _Line) -> None:
        kind = line.columns(5, 5).upper()
        if kind not in codes.REQUESTED:
            raise line.bad(5, f"the kind of a bye is F, H or Z, not {kind!r}")
        number = line.whole(7, 9, "the round")
        for player in self.named_in(line, 11):
            self.byes[number][player] = kind

    def take_accelerations(self, line: _Line) -> None:
        number = self.name(line, 5, line.columns(5, 8))
        for column in range(10, len(line.text.rstrip()) + 1, 5):
            blank = not line.columns(column, column + 3)
            self.accelerations[number].append(0 if blank else line.tenths(column, column + 3, "virtual points"))

    def take_acceleration(self, line: _Line) -> None:
        if line.columns(5, 8) and line.tenths(5, 8, "virtual match points"):
            raise line.bad(5, "match points are for teams")
        points = line.tenths(10, 13, "virtual points")
        first, last = self.rounds_of(line, 15, 19)
        lowest = line.whole(23, 26, "the first player")
        highest = line.whole(28, 31, "the last player") if line.columns(28, 31) else lowest
        if not lowest <= highest <= 9999:
            raise line.bad(28, f"the last player {highest} comes before the first {lowest}")
        for number in range(lowest, highest + 1):
            given = self.accelerations[number]
            given.extend([0] * (last - len(given)))
            given[first - 1 : last] = [points] * (last - first + 1)

    def take_worth(self, line: _Line) -> None:
        for column, word in line.words():
            key, equals, value = word.partition("=")
            if key not in KEYS or not equals:
                raise line.bad(column, f"{word!r} is not KEY=POINTS with a key of {', '.join(KEYS)}")
            self.points.set(key, line.read_tenths(column + len(key) + 1, value, key), bye_as_win=False)

    def take_worth_162(self, line: _Line) -> None:
        for column in range(6, len(line.text.rstrip()) + 1, 9):
            key = line.columns(column, column)
            if key == "X":
                continue  # games without a result, which are not read
            if key not in ("W", "D", "L", "A", "Z", "P"):
                raise line.bad(column, f"the points are of W, D, L, A, P or X, not of {key!r}")
            self.points.set(key, line.tenths(column + 1, column + 4, f"the points of {key}"), bye_as_win=True)

    def rounds_of(self, line: _Line, first: int, last: int) -> tuple[int, int]:
        """Return the first and the last round, read from `line` at the columns `first` and `last`. Raises _Bad.

        If the column `last` is blank, the last round is the first round.
        """
        begin = line.whole(first, first + 2, "the first round")
        end = line.whole(last, last + 2, "the last round") if line.columns(last, last + 2) else begin
        if not begin <= end <= MOST_ROUNDS:
            raise line.bad(last, f"round {end} comes before round {begin}, or is beyond {MOST_ROUNDS}")
        return begin, end

    def name(self, line: _Line, column: int, text: str) -> int:
        if not _WHOLE.fullmatch(text):
            raise line.bad(column, f"{text!r} is not a player's number")
        self.named.append((int(text), line, column))
        return int(text)

    def named_in(self, line: _Line, first: int) -> list[int]:
        """Return the players' numbers from column `first` on. A number begins at every fifth column. Raises _Bad."""
        columns = range(first, len(line.text.rstrip()) + 1, 5)
        named = [(line.whole(column, column + 3, "a player's number"), line, column) for column in columns]
        self.named += named
        return [number for number, _, _ in named]

    # --- the whole file ---

    def contradictions(self) -> Iterator[str]:
        for number, line, column in self.named:
            if number not in self.players:
                yield str(line.bad(column, f"there is no player {number}"))
        for number, player in self.players.items():
            for index, entry in enumerate(player.entries):
                why = self.contradiction(number, index, entry)
                if why:
                    column = FIRST_ROUND + ROUND_WIDTH * index
                    yield str(self.lines[number].bad(column, f"round {index + 1}: {why}"))

    def contradiction(self, number: int, index: int, entry: TrfEntry) -> str:
        """Return how a player's round contradicts the same round of the opponent; empty if the two rounds agree.

        `number` is the player's number, `index` the index of the round, and `entry` the player's round.
        """
        if not entry.opponent:
            return ""
        opponent = self.players.get(entry.opponent)
        if opponent is None:
            return f"there is no player {entry.opponent}"
        other = opponent.entries[index] if index < len(opponent.entries) else TrfEntry()
        if other.opponent != number:
            return f"player {number} meets {entry.opponent}, which meets {other.opponent or 'nobody'}"
        if other.seat == entry.seat:
            return f"players {number} and {entry.opponent} have the same colour"
        played = entry.code in codes.PLAYED
        if played != (other.code in codes.PLAYED) or HALVES.get(entry.code, 0) + HALVES.get(other.code, 0) > 2:
            return f"the results {entry.code} and {other.code} of {number} and {entry.opponent} do not go together"
        return ""

    def event(self) -> TrfEvent:
        played = 0
        for player in self.players.values():
            for index, entry in enumerate(player.entries):
                if entry.code not in codes.REQUESTED:
                    played = max(played, index + 1)
        byes: dict[int, dict[int, str]] = defaultdict(dict)
        for number in self.absent:
            byes[played + 1][number] = codes.ABSENT
        for round_, asked in self.byes.items():
            if round_ > played:
                byes[round_].update(asked)
        players = []
        for number, player in self.players.items():
            for index, entry in enumerate(player.entries[played:], played + 1):
                byes[index][number] = entry.code
            missing = (TrfEntry(),) * (played - len(player.entries))
            players.append(replace(player, entries=player.entries[:played] + missing))
        return TrfEvent(
            tuple(players),
            self.fields,
            self.rounds,
            played,
            self.first_seat,
            self.is_by_rank,
            self.fields.get("192", ""),
            self.points.worth(),
            {number: tuple(given) for number, given in self.accelerations.items() if number in self.players},
            {number: dict(asked) for number, asked in byes.items()},
            tuple(self.forbidden),
        )

    def wrong_points(self, event: TrfEvent) -> Iterator[str]:
        """Yield a problem for each player whose points do not follow from the player's results.

        Points may include the bye of the next round, or virtual points (which count for the pairing alone), because
        some pairing programs add these. Such points are no problem. Also yield a problem if more rounds were played
        than the event has.
        """
        if event.rounds is not None and event.played > event.rounds:
            yield f"line 1, column 1: {event.played} rounds were played of {event.rounds}"
        for player in event.players:
            counted = event.points(player)
            if player.points in (None, *_acceptable(event, player, counted)):
                continue
            shown = f"{(player.points or 0) / 10:.1f} points, but its results give {counted / 10:.1f}"
            yield str(self.lines[player.number].bad(81, f"player {player.number} has {shown}"))


def _acceptable(event: TrfEvent, player: TrfPlayer, counted: int) -> Iterator[int]:
    following = event.byes.get(event.played + 1, {}).get(player.number)
    bye = 0 if following is None else event.worth[following, codes.NO_SEAT]
    given = event.accelerations.get(player.number, ())
    virtual = {0, *(given[index] for index in (event.played - 1, event.played) if 0 <= index < len(given))}
    for more in virtual:
        yield counted + more
        yield counted + bye + more
