"""All commands of a club, in one place for the web."""

from dataclasses import dataclass
from typing import Self

from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.joining import Joining
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.arena.commands.slips import SlipDesk
from rumble_server.arena.commands.versions import Versions


@dataclass(frozen=True, slots=True)
class ClubCommands:
    """The commands of the club's hosts, of pupils, of bots' owners, and in main of the server's administrator."""

    organiser: Organiser
    joining: Joining
    slips: SlipDesk
    versions: Versions
    administrator: Administrator

    @classmethod
    def on(cls, arena: Arena) -> Self:
        """Return the commands that act on `arena`."""
        return cls(Organiser(arena), Joining(arena), SlipDesk(arena), Versions(arena), Administrator(arena))
