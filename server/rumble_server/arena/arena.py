"""The arena: every tournament and every bot of this server, above the floor where the matches are played.

One call per event, start to end without waiting. What follows from a result (new matches, the end of a tournament)
is done in `settle`, after the event.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from rumble_engine import Termination
from rumble_protocol.bot_messages import Challenge, Move
from rumble_protocol.codes import CloseCode, ErrorCode, NoticeCode

from rumble_server.arena import messages as telling
from rumble_server.arena.challenges import challenge_config
from rumble_server.arena.matches import Floor
from rumble_server.arena.names import Names
from rumble_server.arena.player import OpenMatch, Player
from rumble_server.arena.ports import Clock, Contact, Log, TimerHandle
from rumble_server.match.facts import MatchOver, MatchStarted
from rumble_server.match.referee import Referee, frame_of_over
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.errors import TournamentError
from rumble_server.tournament.facts import BotJoined, TournamentCreated, TournamentFact
from rumble_server.tournament.formats import Round
from rumble_server.tournament.ids import tournament_id
from rumble_server.tournament.tournament import OVER, Tournament

MOST_ATTEMPTS = 5
"""A match that is void so often pauses its tournament: its host has to look into it."""
MOST_ENDED = 64
"""So many tournaments that ended in this run stay in memory; older ones are in the archive only."""
MOST_FOUND = 8
MOST_CHALLENGES, MOST_AT_ONE_BOT = 256, 64
"""So many challenges are open at a time, on the whole server and with one bot: guests may not fill its memory."""
STARTS_AT_ONCE = 32
"""So many matches are started in one go; then the loop's other work has its turn."""


@dataclass(slots=True)
class Arena:
    """All play on this server. `run` is this run's number on its database."""

    log: Log
    clock: Clock
    run: int
    random: Random
    grace_ms: int = 30_000
    """For so long after a start no away or absent time runs."""
    names: Names = field(default_factory=Names)
    tournaments: dict[str, Tournament] = field(default_factory=dict)
    taken_ids: set[str] = field(default_factory=set)
    """The ids of all tournaments ever, also of those not in memory."""
    archive: Callable[[str], Tournament | None] = lambda _: None
    """Finds a tournament that is over and not in memory any more."""
    matches: dict[str, OpenMatch] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    """By name in lower case."""
    may_claim: Callable[[str, str | None], bool] = lambda _name, _key: True
    """Whether a name that nobody has may be claimed with this key."""
    work: Callable[[Callable[[], Round], Callable[[Round], None]], None] = lambda task, done: done(task())
    """Runs a slow task elsewhere and calls back with what it gave."""
    draining: bool = False
    """No match starts any more."""
    trouble: str | None = None
    """Why the log cannot be written at the moment; until it can, no match starts."""
    stopped: bool = False
    """Nothing that happens now is recorded: the next run goes on from what is."""
    floor: Floor = field(init=False)
    _ended: deque[str] = field(default_factory=deque)
    _found: OrderedDict[str, Tournament] = field(default_factory=OrderedDict)
    """What the archive found lately."""
    _challenges: set[str] = field(default_factory=set)
    """The tournaments of this run's open challenges."""
    _dirty: dict[str, None] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)
    """By tournament, the number of its newest fact in this run."""
    _pairing: set[str] = field(default_factory=set)
    """The tournaments of which a round is being paired elsewhere."""
    _settling: bool = False
    _timer: TimerHandle | None = None
    _timer_at_ms: int = 0

    def __post_init__(self) -> None:
        self.floor = Floor(self.log, self.clock, self.run, self.matches, self._on_over)

    def record(self, tournament: Tournament, *facts: TournamentFact) -> int:
        """Append facts of a tournament to the log and apply them; gives the number of the last."""
        number = self._number_of(tournament)
        for fact in facts:
            number = self.log.append(fact)
            tournament.apply(fact)
        self._dirty[tournament.id] = None
        self._numbers[tournament.id] = number
        return number

    # --- bots come and go ---

    def _number_of(self, tournament: Tournament) -> int:
        """The number to wait for before telling of the tournament as it is, to whomever and however often."""
        return self._numbers.get(tournament.id, 0)

    def player(self, name: str) -> Player | None:
        """The bot of that name, in whatever case it is written."""
        return self.players.get(name.casefold())

    def admit(self, name: str, key: str | None, *, keyless_allowed: bool) -> tuple[Player, bool, int]:
        """Check a login. Gives the player, whether its name is open, and the number to wait for before saying so.

        Raises TournamentError with `bad_name`, `key_required` or `bad_key`.
        """
        if self.names.get(name) is None and not self.may_claim(name, key):
            raise TournamentError(ErrorCode.BAD_NAME, f"{name} is kept for a bot of the house; choose another name")
        salt = self.random.getrandbits(128).to_bytes(16).hex()
        claim, used = self.names.admit(
            name, key, keyless_allowed=keyless_allowed, salt=salt, now_ms=self.clock.now_ms()
        )
        player = self.players.setdefault(name.casefold(), Player(claim.name))
        if used is not None:
            self.names.apply(used)
            player.claimed = self.log.append(used)
        number = max([player.claimed, *map(self._number_of, player.tournaments.values())])
        return player, claim.open, number

    def attach(self, player: Player, contact: Contact) -> None:
        """The player's newest connection. An older one is told that it was replaced."""
        if player.contact is not None:
            player.contact.close(CloseCode.REPLACED)
        player.contact = contact

    def resume(self, player: Player) -> None:
        """After the login was answered: each open match goes on, and waiting tournaments take notice."""
        self.floor.connect(player)
        now_ms = self.clock.now_ms()
        for tournament in player.tournaments.values():
            fact = tournament.appear(player.name, now_ms)
            if fact is not None:
                self.record(tournament, fact)
            self._dirty[tournament.id] = None
        self.settle()

    def detach(self, player: Player, contact: Contact) -> None:
        """A connection of the player ended. Nothing happens if a newer one took over."""
        if player.contact is not contact:
            return
        player.contact = None
        if self.stopped:
            return
        self.floor.disconnect(player)
        for tournament in player.tournaments.values():
            tournament.disappear(player.name, self._absent_from_ms())
            self._dirty[tournament.id] = None
        self.settle()

    def _absent_from_ms(self) -> int:
        return max(self.clock.now_ms(), self.floor.nobody_away_before_ms)

    # --- play ---

    def move(self, player: Player, message: Move, frame: str) -> bool:
        """A bot moves. False if that answered no open turn of its own."""
        return self.floor.move(player, message, frame)

    def forfeit_all(self, player: Player, termination: Termination, reason: str) -> None:
        """A bot loses every match it is playing."""
        for match in list(player.matches.values()):
            self.floor.forfeit(match, player, termination, reason)

    def _on_over(self, over: MatchOver, players: tuple[Player, ...]) -> None:
        tournament = self.tournaments[over.match.partition(".")[0]]
        tournament.apply(over)
        for seat in over.at_fault:
            self._bench_if_failing(tournament, players[seat])
        if over.scores is None and over.attempt >= MOST_ATTEMPTS and tournament.status == "running":
            why = f"match {over.match} was void {over.attempt} times: {over.reason}"
            self.record(tournament, *tournament.pause(why, self.clock.now_ms()))
        self._dirty[tournament.id] = None
        for player in players:
            for other in player.tournaments.values():
                other.unsettle(player.name)
                self._dirty[other.id] = None
        self.settle()

    # --- disk trouble ---

    def on_trouble(self, trouble: str | None) -> None:
        """The log cannot be written, or (None) can be again. What it does not hold is not told meanwhile."""
        self.trouble = trouble
        now_ms = self.clock.now_ms()
        for tournament in list(self.tournaments.values()):
            if trouble is not None and tournament.status == "running":
                message = f"{tournament.id} is paused: the server cannot write to its disk ({trouble})"
                self.record(tournament, *tournament.pause(message, now_ms, by="disk"))
                self._notify_now(tournament, NoticeCode.DISK, message)
            elif trouble is None and tournament.paused_by_disk:
                self.record(tournament, tournament.unpause(now_ms))
                self._notify_now(tournament, NoticeCode.RESUMED, f"{tournament.id} goes on: the disk works again")
        self.settle_all()

    def _notify_now(self, tournament: Tournament, code: NoticeCode, message: str) -> None:
        frame = telling.notice(code, message, tournament=tournament.id)
        for player in self.players_of(tournament.field):
            if player.contact is not None:
                player.contact.send_now(frame)

    # --- the end of this run ---

    def drain(self) -> None:
        """No new match starts; bots are told that the server is about to stop."""
        self.draining = True
        frame = telling.notice(NoticeCode.DRAINING, "the server is draining: no new match starts; reconnect soon")
        for player in self.players.values():
            player.send(frame)

    def stop(self) -> None:
        """Stop judging. What is running stays resumable from the log."""
        self.stopped = True
        if self._timer is not None:
            self._timer.cancel()
        self.floor.stop()

    # --- what follows from an event ---

    def settle_all(self) -> None:
        """Look at every tournament."""
        self._dirty.update(dict.fromkeys(self.tournaments))
        self.settle()

    def settle(self) -> None:
        """Start what can start, lose what is lost, and end what is complete, until nothing changes."""
        if self._settling or self.stopped:
            return
        self._settling = True
        budget = STARTS_AT_ONCE
        try:
            while self._dirty and budget > 0:
                name = next(iter(self._dirty))
                tournament = self.tournaments.get(name)
                if tournament is None:
                    del self._dirty[name]
                    continue
                if tournament.ready_to_start(self.clock.now_ms()):
                    self._start_by_itself(tournament)
                budget = self._start_matches(tournament, budget)
                if budget > 0:
                    del self._dirty[name]
                    if not tournament.is_complete:
                        self._pair_next_round(tournament)
                    if tournament.is_complete:  # now, perhaps, since there is no other round
                        self.end(tournament, cancelled=False, reason=tournament.why_complete)
        finally:
            self._settling = False
        if self._dirty:
            self.clock.after_input(self.settle)
        else:
            self._watch_clock()

    def _start_matches(self, tournament: Tournament, budget: int) -> int:
        if self.draining or self.trouble is not None:
            return budget
        for found in tournament.due(self._is_free, self.clock.now_ms()):
            number = self.log.append(found)
            tournament.apply(found)
            if isinstance(found, MatchStarted):
                self.floor.open(found, self.players_of(found.seats))
            elif isinstance(found, MatchOver):
                self._tell_no_show(tournament, found, number)
                for player in self.players_of(found.seats):
                    self._bench_if_failing(tournament, player)
            budget -= 1
            if budget <= 0:
                break
        return budget

    def _start_by_itself(self, tournament: Tournament) -> None:
        try:
            self.begin(tournament)
        except TournamentError as error:
            self.end(tournament, cancelled=True, reason=str(error))

    def _pair_next_round(self, tournament: Tournament) -> None:
        """Have a round paired off the loop, where that is slow."""
        if self.draining or self.trouble is not None or tournament.id in self._pairing:
            return
        task = tournament.pairing_task()
        if task is None:
            return
        self._pairing.add(tournament.id)

        def done(pulled: Round) -> None:
            self._pairing.discard(tournament.id)
            if not self.stopped:
                fact = tournament.paired(pulled, self.clock.now_ms())
                if fact is not None:
                    self.record(tournament, fact)
                self.settle()

        self.work(task, done)

    def _bench_if_failing(self, tournament: Tournament, player: Player) -> None:
        fact = tournament.bench(player.name, self.clock.now_ms())
        if fact is not None:
            number = self.record(tournament, fact)
            message = f"{fact.reason}: it is benched in {tournament.id}; its host can let it play again"
            player.send(telling.notice(NoticeCode.BENCHED, message, tournament=tournament.id), number)

    def players_of(self, names: Iterable[str]) -> tuple[Player, ...]:
        """The players of these names, which must be known."""
        return tuple(self.players[name.casefold()] for name in names)

    def _is_free(self, name: str) -> bool:
        return self.players[name.casefold()].is_free

    def _tell_no_show(self, tournament: Tournament, over: MatchOver, number: int) -> None:
        start = Referee(tournament.terms_of(over), self.floor.new_turn_id).state
        for seat, player in enumerate(self.players_of(over.seats)):
            if seat not in over.at_fault:
                player.send(frame_of_over(over, start, seat), number)

    def _watch_clock(self) -> None:
        wakes = [tournament.wake_at_ms for tournament in self.tournaments.values()]
        wake_at_ms = min((wake for wake in wakes if wake is not None), default=None)
        if self._timer is not None:
            if wake_at_ms == self._timer_at_ms:
                return
            self._timer.cancel()
            self._timer = None
        if wake_at_ms is not None:
            self._timer_at_ms = wake_at_ms
            self._timer = self.clock.call_at(wake_at_ms, self._on_clock)

    def _on_clock(self) -> None:
        self._timer = None
        now_ms = self.clock.now_ms()
        for tournament in self.tournaments.values():
            expired = tournament.expire_absent(now_ms)
            if expired:
                self.record(tournament, *expired)
            if tournament.ready_to_start(now_ms):
                self._dirty[tournament.id] = None
        self.settle()
        self._watch_clock()

    # --- bots and tournaments ---

    def tournament(self, tournament: str) -> Tournament:
        """The tournament of that id. Raises TournamentError with `unknown_tournament`."""
        found = self.tournaments.get(tournament)
        if found is None and tournament in self.taken_ids:
            found = self._from_archive(tournament)
        if found is None:
            raise TournamentError(ErrorCode.UNKNOWN_TOURNAMENT, f"there is no tournament {tournament!r}")
        return found

    def _from_archive(self, tournament: str) -> Tournament | None:
        found = self._found.pop(tournament, None) or self.archive(tournament)
        if found is not None:
            self._found[tournament] = found
            if len(self._found) > MOST_FOUND:
                self._found.popitem(last=False)
        return found

    def join(self, player: Player, tournament_id: str, invite: str | None = None) -> None:
        """A bot enters a tournament, and is told; told again if it is in. Raises TournamentError."""
        tournament = self.tournament(tournament_id)
        fact = tournament.join(player.name, self.clock.now_ms(), invite)
        if fact is not None:
            self.enter(player, tournament, fact)
        number = self._number_of(tournament)
        player.send(telling.joined(tournament), number)
        if tournament.status in OVER:
            self._tell_over(tournament, [player.name], number)
        self.settle()

    def enter(self, player: Player, tournament: Tournament, joined: BotJoined) -> int:
        """A bot, connected or not, is in a tournament. Gives the number to wait for."""
        number = self.record(tournament, joined)
        player.tournaments[tournament.id] = tournament
        if player.contact is None:
            tournament.disappear(player.name, self._absent_from_ms())
        return number

    def leave(self, player: Player, tournament_id: str) -> int:
        """A bot leaves for good; what it still has to play there is lost. Raises TournamentError."""
        tournament = self.tournament(tournament_id)
        number = self.take_out(player, tournament, removed=False)
        player.send(telling.left(tournament), number)
        reason = f"{player.name} left the tournament"
        self.forfeit_in(player, tournament, Termination.RESIGNATION, reason)
        return number

    def take_out(self, player: Player, tournament: Tournament, *, removed: bool) -> int:
        """A bot is in a tournament no more. Raises TournamentError. Gives the number to wait for."""
        fact = tournament.leave(player.name, self.clock.now_ms(), removed=removed)
        player.tournaments.pop(tournament.id, None)
        return self._number_of(tournament) if fact is None else self.record(tournament, fact)

    def forfeit_in(self, player: Player, tournament: Tournament, termination: Termination, reason: str) -> None:
        """A bot loses the matches of one tournament that it is playing."""
        for match in [match for match in player.matches.values() if match.referee.tournament == tournament.id]:
            self.floor.forfeit(match, player, termination, reason)
        self.settle()

    def challenge(self, player: Player, challenge: Challenge) -> None:
        """One unlisted, unrated match against another bot. Raises TournamentError."""
        if player.challenge is not None:
            raise TournamentError(ErrorCode.UNAVAILABLE, f"your challenge {player.challenge} is still open")
        other = self.player(challenge.against)
        if other is None or other.contact is None:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"no bot {challenge.against!r} is connected")
        if other is player or not other.contact.challenges:
            raise TournamentError(ErrorCode.UNKNOWN_BOT, f"{other.name} takes no challenge from {player.name}")
        if len(self._challenges) >= MOST_CHALLENGES:
            raise TournamentError(ErrorCode.UNAVAILABLE, "too many challenges are open here; try again later")
        if len(self._challenges.intersection(other.tournaments)) >= MOST_AT_ONE_BOT:
            raise TournamentError(ErrorCode.UNAVAILABLE, f"too many challenge {other.name}; try again later")
        config = challenge_config(challenge, player.name, other.name, seed=self.random.getrandbits(32))
        if not other.plays(config.game):
            raise TournamentError(ErrorCode.UNAVAILABLE, f"{other.name} does not play {config.game}")
        tournament, _ = self.create(config)
        seat = self.random.randrange(2) if challenge.seat is None else challenge.seat
        player.challenge = tournament.id
        self._challenges.add(tournament.id)
        for each in (player, other):
            self.join(each, tournament.id)
        self.begin(tournament, (player.name, other.name) if seat == 0 else (other.name, player.name))
        self.settle()

    # --- the life of a tournament ---

    def create(self, config: TournamentConfig) -> tuple[Tournament, int]:
        """A new tournament in its lobby. Gives the number to wait for before it is told of."""
        created = TournamentCreated(tournament_id(config.name, self.taken_ids), config, self.clock.now_ms())
        self.taken_ids.add(created.tournament)
        tournament = self.tournaments[created.tournament] = Tournament(created)
        return tournament, self.record(tournament, created)

    def begin(self, tournament: Tournament, order: tuple[str, ...] | None = None) -> int:
        """Number the field and begin; the matches start when things are settled. Raises TournamentError."""
        return self.record(tournament, tournament.start(self.clock.now_ms(), order))

    def end(self, tournament: Tournament, *, cancelled: bool, reason: str) -> int:
        """End a tournament, complete or not, and tell its field. Raises TournamentError."""
        number = self.record(tournament, tournament.end(self.clock.now_ms(), cancelled=cancelled, reason=reason))
        for match_id in list(tournament.running):
            self.floor.abort(match_id, f"{tournament.id}: {reason}")
        if cancelled:
            self.notify_field(tournament, NoticeCode.CANCELLED, f"{tournament.id}: {reason}", number)
        self._tell_over(tournament, tournament.field, number)
        for player in self.players_of(tournament.field):
            player.tournaments.pop(tournament.id, None)
            if player.challenge == tournament.id:
                player.challenge = None
        self._challenges.discard(tournament.id)
        self._ended.append(tournament.id)
        if len(self._ended) > MOST_ENDED and self.trouble is None:
            del self.tournaments[self._ended.popleft()]
        return number

    # --- telling ---

    def _tell_over(self, tournament: Tournament, names: Iterable[str], number: int) -> None:
        standings = {standing.name: standing for standing in tournament.table.standings()}
        for player in self.players_of(names):
            player.send(telling.over(tournament, standings[player.name]), number)

    def notify_field(self, tournament: Tournament, code: NoticeCode, message: str, after: int) -> None:
        """Tell every bot of a tournament, once the fact of number `after` is on disk."""
        frame = telling.notice(code, message, tournament=tournament.id)
        for player in self.players_of(tournament.field):
            player.send(frame, after)
