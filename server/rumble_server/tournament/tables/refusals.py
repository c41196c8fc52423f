"""The options of a tournament that are only for matches of two seats."""

from collections.abc import Mapping

_FOR_TWO: dict[str, tuple[tuple[object, ...], str]] = {
    "legs": ((1,), "legs swap two seats: leave out legs above two seats, and ask for more cycles"),
    "late_join": ((False,), "late_join is for two seats: the tables of a round-robin are made for the whole field"),
    "pairing_rules": (("tables",), "the Dutch System pairs two bots: leave out pairing_rules above two seats"),
    "acceleration": (("none",), "baku is for Dutch pairings of two bots: leave out acceleration above two seats"),
    "openings": (("auto", "none"), "openings are played from both of two seats: leave them out above two seats"),
}
"""For each option, the values allowed in matches of more than two seats, and the sentence that refuses other values."""


def refusal(chosen: Mapping[str, object]) -> tuple[str, str] | None:
    """Return an option that a match of more than two seats refuses, and the sentence that says so; None if no option is
    refused.

    `chosen` has the options that the host gave, by name, without defaults.
    """
    for option, (neutral, sentence) in _FOR_TWO.items():
        if option in chosen and chosen[option] not in neutral:
            return option, sentence
    return None
