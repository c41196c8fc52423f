"""Display names: the names under which people see the bots of pupils.

Ids, notation and files contain the bots' names instead. Display names are unique in a club: no two are equal after
`fold_name`.
"""

import re
import unicodedata
from collections.abc import Iterable

from rumble_server.arena.state.join_refused import JoinRefused
from rumble_server.arena.state.names_and_keys import HOUSE_PREFIX, Names
from rumble_server.tournament.club_facts import DisplayNamed

LONGEST = 32
"""Maximum number of code points of a display name."""
RULE = (
    f"a first name is 1 to {LONGEST} letters, digits, spaces, - and ', with a letter or a digit; "
    "no space begins, ends or follows another"
)
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Invisible letters and marks (Default_Ignorable_Code_Point). With such letters, different names could look alike."""
_KINDS = {"L": "a", "M": "m", "N": "1"}
_FORM = re.compile(r"(?!m)(?!.*mmm)(?!.*[ '-]m)(?=.*[a1])[am1'-]+( [am1'-]+)*")
"""Pattern of a display name after each letter was replaced by `a`, each mark by `m`, and each digit by `1`."""


def check(text: str) -> str:
    """Return a display name in Unicode's form NFC, with a plain apostrophe. Raises JoinRefused for a bad name."""
    display = unicodedata.normalize("NFC", text.replace("\u2019", "'"))
    form = "".join(each if each in " '-" else _KINDS.get(_kind(each), "?") for each in display)
    if len(display) > LONGEST or _INVISIBLE.search(display) or _FORM.fullmatch(form) is None:
        raise JoinRefused("bad_display_name", RULE)
    if fold_name(display).startswith(HOUSE_PREFIX):
        message = f"{HOUSE_PREFIX} is how the names of house bots begin; choose another name"
        raise JoinRefused("bad_display_name", message)
    return display


def _kind(character: str) -> str:
    """Return the first letter of a character's Unicode category; `?` for a number that is no decimal digit."""
    category = unicodedata.category(character)
    return category[0] if category[0] != "N" or category == "Nd" else "?"


def fold_name(display: str) -> str:
    """Return a display name for comparison: without case, and in Unicode's form NFKC."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", display).casefold())


class DisplayNames:
    """Every display name of a club; rebuilt from the log. `names` are the names of the club's bots."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._by_name: dict[str, str] = {}
        """Display names by the bot's name in lower case."""
        self._holders: dict[str, str] = {}
        """Names of bots by folded display name (see `fold_name`)."""

    def apply(self, fact: DisplayNamed) -> None:
        self._by_name[fact.name.casefold()] = fact.display
        self._holders[fold_name(fact.display)] = fact.name

    def get(self, name: str) -> str | None:
        """Return the display name of a bot; None for a bot that people know by its name."""
        return self._by_name.get(name.casefold())

    def shown_name(self, name: str) -> str:
        """Return the name under which people see a bot."""
        return self.get(name) or name

    def of(self, names: Iterable[str]) -> dict[str, str]:
        """Return the display names of `names`, keyed by the bot's name. Bots without a display name are left out."""
        return {name: display for name in names if (display := self.get(name)) is not None}

    def holder(self, display: str) -> str | None:
        """Return the name of the bot that people know as `display`; None if there is no such bot.

        People know a bot by its display name, or, without a display name, by its name.
        """
        holder = self._holders.get(fold_name(display))
        claim = self._names.get(fold_name(display))
        return holder or (None if claim is None or self.get(claim.name) is not None else claim.name)

    def is_free(self, name: str) -> bool:
        """Return whether a new bot may have this name: nobody has it as a name or as a display name."""
        return self._names.get(name) is None and self.get(name) is None and not self.is_taken(name)

    def is_taken(self, name: str) -> bool:
        """Return whether people know a bot as `name`.

        Return false if a bot has the name `name`, but people know the bot by a display name.
        """
        return self.get(name) is None and self.holder(name) is not None
