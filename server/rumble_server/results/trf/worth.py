"""The points for each result in a TRF file: fields 162 (TRF-2026), XXS (JaVaFo) and BBW to BBU (bbpPairings)."""

from rumble_server.results.trf import codes
from rumble_server.results.trf.event import STANDARD, Worth

SEATS = (codes.WHITE, codes.BLACK, codes.NO_SEAT)
UNRATED = {codes.WIN: codes.UNRATED_WIN, codes.DRAW: codes.UNRATED_DRAW, codes.LOSS: codes.UNRATED_LOSS}
Cells = tuple[tuple[str, str], ...]


def _cells(*results: str, seats: str = "") -> Cells:
    return tuple((code, seat) for code in results for seat in (seats or SEATS))


KEYS: dict[str, Cells] = {
    "WW": _cells(codes.WIN, seats=codes.WHITE),
    "BW": _cells(codes.WIN, seats=codes.BLACK),
    "WD": _cells(codes.DRAW, seats=codes.WHITE),
    "BD": _cells(codes.DRAW, seats=codes.BLACK),
    "WL": _cells(codes.LOSS, seats=codes.WHITE),
    "BL": _cells(codes.LOSS, seats=codes.BLACK),
    "FW": _cells(codes.FORFEIT_WIN),
    "FL": _cells(codes.FORFEIT_LOSS),
    "PAB": _cells(codes.PAIRING_BYE),
    "FPB": _cells(codes.FULL_BYE),
    "HPB": _cells(codes.HALF_BYE),
    "ZPB": _cells(codes.ABSENT),
    "W": _cells(codes.WIN, codes.FORFEIT_WIN, codes.FULL_BYE),
    "D": _cells(codes.DRAW, codes.HALF_BYE),
    "L": _cells(codes.LOSS),
    "A": _cells(codes.FORFEIT_LOSS, codes.ABSENT),
    "Z": _cells(codes.FORFEIT_LOSS, codes.ABSENT),
    "P": _cells(codes.PAIRING_BYE),
}
"""For each key, pairs of a result's code and a colour's code. A field XXS or 162 gives the points for a key's pairs.

In field 162, bbpPairings writes the key Z in place of the format's key A.
"""
BBP = {"BBW": "W", "BBD": "D", "BBL": "L", "BBZ": "ZPB", "BBF": "FL", "BBU": "PAB"}
"""For each field of bbpPairings, the key of `KEYS` that means the same."""


class Points:
    """The points for each pair of a result's code and a colour's code: `STANDARD`, changed by the fields of a file."""

    def __init__(self) -> None:
        self._worth = {cell: value for code, value in STANDARD.items() for cell in _cells(code)}
        self._is_bye_given = False

    def set(self, key: str, tenths: int, *, bye_as_win: bool) -> None:
        """Set the points of all results for which a key of `KEYS` stands.

        If `bye_as_win` is true, the points for a win are also the points for a pairing-allocated bye, unless the file
        has points for such a bye.
        """
        self._worth.update(dict.fromkeys(KEYS[key], tenths))
        if key in ("P", "PAB"):
            self._is_bye_given = True
        elif key == "W" and bye_as_win and not self._is_bye_given:
            self._worth.update(dict.fromkeys(KEYS["P"], tenths))

    def worth(self) -> Worth:
        """Return the points of every code. A game of less than a move gives the same points as a longer game."""
        short = {(UNRATED[code], seat): value for (code, seat), value in self._worth.items() if code in UNRATED}
        return self._worth | short
