"""A round-robin of the bots in a folder, in one process: for `rumble battle FOLDER`."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from rumble_bots.functions.load import load_file
from rumble_bots.functions.local import FunctionBot
from rumble_bots.reference import Choice
from rumble_bots.reference.battle import played_out
from rumble_bots.sdk.bot import Bot
from rumble_bots.sdk.choosing import in_a_line
from rumble_bots.sdk.errors import BotFailed, SdkError
from rumble_engine import Outcome, SettingValue, State, Termination, get_game

from rumble_server.cli.output.errors import CliError, ExitCode
from rumble_server.cli.support.local_config import local_config
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.tournament import commands
from rumble_server.tournament.facts import TournamentCreated
from rumble_server.tournament.tournament import Tournament


class _Failed(SdkError):
    """The error that a bot raised in a match. The attribute `bot` is the bot that raised the error."""

    def __init__(self, bot: "_FileBot", error: SdkError) -> None:
        super().__init__(str(error))
        self.bot = bot


class _FileBot(FunctionBot):
    """The bot of a file. Each error of the bot is raised as `_Failed`, which names the bot."""

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        try:
            return super().pick(state, seat, budget_ms)
        except SdkError as error:
            raise _Failed(self, error) from error
        except SystemExit as error:  # the others play on
            raise _Failed(self, BotFailed(f"{self.text} failed: {in_a_line(error)}")) from error


class FolderBattle:
    """The battle of all bots in a folder, each in a file `NAME.py`. Files that begin with `_` or `.` are left out."""

    def __init__(
        self,
        folder: str,
        game: str,
        settings: Mapping[str, SettingValue],
        matches: int,
        seed: int,
        tell: Callable[[str], None],
    ) -> None:
        """Find the files in `folder`. Raises CliError.

        `tell` is called once for each file that fails, with a line about the file.
        """
        self._files = sorted(each for each in Path(folder).glob("*.py") if not each.name.startswith(("_", ".")))
        if len(self._files) < 2:
            raise CliError(f"{folder} is no folder with two files NAME.py; or name a second bot", ExitCode.USAGE)
        self._config = local_config(
            name=Path(folder).resolve().name[:80] or "battle",
            game=game,
            settings=dict(settings),
            seats=2,
            legs=matches,
            seed=seed,
        )
        self._tell = tell
        self._failed: set[str] = set()
        self._bots: dict[str, _FileBot] = {}
        self.functions: list[FunctionBot] = []
        """The bots whose time is watched.

        Each file has a stand-in bot for the time of loading, and its own bot for the matches.

        `asked_at_s` of a stand-in is the time at which the loading of its file began; None after the loading.
        `asked_at_s` of a file's own bot is the time at which the running call began; None if no call is running.
        """

    def play(self) -> Tournament:
        """Load the bots, play all matches, and return the finished tournament. Raises CliError."""
        for file, place in [(file, file.absolute()) for file in self._files]:  # a bot may change the working directory
            self._load(file, place)
        if len(self._bots) < 2:
            raise CliError(f"of {len(self._files)} files, {len(self._bots)} are bots: two are needed")
        tournament = Tournament(TournamentCreated("battle", self._config, 0))
        for name in self._bots:
            joined = commands.join(tournament, name, 0)
            if joined is not None:
                tournament.apply(joined)
        tournament.apply(commands.start(tournament, 0))
        while not tournament.is_complete:
            for fact in tournament.due(self._bots.keys(), 0):
                tournament.apply(fact)
                if isinstance(fact, MatchStarted):
                    tournament.apply(self._play_match(fact))
        tournament.apply(commands.end(tournament, 0, cancelled=False, reason=tournament.why_complete))
        return tournament

    def _load(self, file: Path, place: Path) -> None:
        game = self._config.game
        loading = FunctionBot(Random(), text=file.name, game=game, bot=Bot())
        loading.asked_at_s = time.monotonic()
        self.functions.append(loading)
        try:
            loaded = load_file(file, place)
        except SdkError as error:
            self._fail(file.name, error)
        else:
            if loaded.games is not None and game not in loaded.games:
                self._fail(file.name, f"{file.name} does not play {get_game(game).title}")
            else:
                bot = self._bots[file.stem] = _FileBot(Random(), text=file.name, game=game, bot=loaded, file=place)
                self.functions.append(bot)
        finally:
            loading.asked_at_s = None

    def _fail(self, file: str, error: object) -> None:
        if file not in self._failed:
            self._failed.add(file)
            self._tell(f"{error}")

    def _play_match(self, terms: MatchStarted) -> MatchOver:
        """Play a match, and return its `MatchOver`. A bot that fails loses by its own fault."""
        bots = [self._bots[name] for name in terms.seats]
        random = Random(f"{terms.match}.{self._config.seed}")
        at_fault: tuple[int, ...] = ()
        plies: tuple[str, ...] = ()
        try:
            outcome, plies = played_out(bots, get_game(terms.game), terms.opening_state(), random)
        except _Failed as failed:
            self._fail(failed.bot.text, failed)
            at_fault = (bots.index(failed.bot),)
            outcome = Outcome.win(1 - at_fault[0], str(failed), termination=Termination.CRASHED)
        ended = outcome.scores, outcome.termination, outcome.reason
        return MatchOver(terms.match, terms.attempt, terms.seats, *ended, at_fault, (*terms.moves, *plies), 0)
