"""All commands of a club, in one place for the web."""

from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.administrator import Administrator
from rumble_server.arena.commands.joining import Joining
from rumble_server.arena.commands.organiser import Organiser
from rumble_server.arena.commands.slips import SlipDesk
from rumble_server.arena.commands.versions import Versions


class ClubCommands:
    """The commands of the club's hosts, of pupils, of bots' owners, and in main of the server's administrator."""

    def __init__(self, arena: Arena) -> None:
        self.organiser = Organiser(arena)
        self.joining = Joining(arena)
        self.slips = SlipDesk(arena)
        self.versions = Versions(arena)
        self.administrator = Administrator(arena)
