"""A club in memory, made from stored facts: its arena, gateway, feed, house bots and site.

`ClubRegistry` loads and unloads clubs. Each part of a club knows only this club. `SharedByClubs` has the shared parts.
"""

import hashlib
import hmac
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from random import SystemRandom

from rumble_protocol.clubs import MAIN
from rumble_protocol.codes import CloseCode

from rumble_server.arena.arena import Arena
from rumble_server.arena.commands.club_commands import ClubCommands
from rumble_server.arena.house import WATCHED_FACTS, HouseBots, HouseKeys
from rumble_server.arena.ports import HouseRunner, RunPairing
from rumble_server.arena.recovery import Recovered, read, restore_arena
from rumble_server.arena.state.clubs import ClubDirectory, ClubEntry
from rumble_server.config import ServerConfig
from rumble_server.gateway.gate import Gate, GatedArena, GatedClock
from rumble_server.gateway.gateway import Gateway
from rumble_server.gateway.loop_clock import LoopClock
from rumble_server.gateway.sessions import SessionRegistry
from rumble_server.limits.admission import Admission
from rumble_server.store.errors import DamagedLog, StoreError
from rumble_server.store.log.async_reader import AsyncReader
from rumble_server.store.log.club_log import ClubLog
from rumble_server.store.log.club_store import ClubStore
from rumble_server.store.log.codec import Numbered
from rumble_server.store.log.ended_count import EndedCount
from rumble_server.store.log.read_ahead import RebuiltAhead
from rumble_server.store.log.reader import LogReader
from rumble_server.tournament.facts import TournamentEnded
from rumble_server.web.feed.feed import Feed
from rumble_server.web.feed.ranker import Ranker, run_on_thread
from rumble_server.web.site import Site

log = logging.getLogger(__name__)

PROGRAM = f"rumble {version('botrumble')}"


@dataclass(frozen=True, slots=True)
class SharedByClubs:
    """The objects of a process that its clubs share."""

    config: ServerConfig
    store: ClubStore
    identity: str
    """Identity of `main`: a random text, stored in the database and sent to bots."""
    secret: str
    """Secret random text, stored in the database. Secrets and identities of clubs are computed from this text."""
    clock: LoopClock
    run_pairing: RunPairing
    house_runner: HouseRunner | None
    admission: Admission
    """Limits of `main` for addresses and names. The limits of other clubs are made from these limits."""
    close_banned: Callable[[], None]
    """Function to end the connections of banned addresses."""
    ended: EndedCount
    """Number of ended tournaments of all clubs, by status."""
    fact_counts: Counter[type] = field(default_factory=Counter)
    """Number of facts written by this process for any club, by type."""
    make_gate: Callable[[], Gate] | None = None
    """Function to make the gate of a club; None if this process leads clubs without a lease."""
    directory: ClubDirectory = field(default_factory=ClubDirectory)

    def forget_main(self) -> None:
        """Forget the clubs and bans of main, before all facts of main are applied again.

        Facts that this node recorded as the leader of main may be lost.
        """
        self.directory.clear()
        self.admission.bans.clear()

    def secret_of(self, what: str, club: str) -> str:
        """Return a club's secret for the purpose `what`. The secret is the same in each run of the server."""
        return hmac.new(self.secret.encode(), f"{what} {club}".encode(), hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredClub:
    """A club as read from the database, before its arena is made."""

    log: ClubLog
    run_number: int
    """Number of this run of the club. Turn ids contain the number, to recognize answers to turns of earlier runs."""
    reader: AsyncReader
    taken_ids: list[str]
    recovered: Recovered
    problems: dict[int, DamagedLog]
    """Errors about damaged rows, by row number. These rows had facts about the club as a whole."""
    played_before: frozenset[str] = frozenset()
    """Names of bots in the records of ended tournaments; read only if there are `problems`, otherwise empty."""
    newest_ms: int = 0
    """Time of the newest fact in ms since 1970, by the clock of the node that wrote it; 0 on a lone server."""


def read_club(store: ClubStore, name: str, reader: LogReader, ahead: RebuiltAhead) -> StoredClub:
    """Read a club whose log is open, except for facts that `ahead` has read. Raises StoreError.

    Any thread may call the function. The log must be open first, so that no other server writes to the club.
    """
    club_log, run_number = store.log(name), store.run_number_of(name)
    of_club, problems = reader.club_facts()
    unfinished = reader.tournament_ids(over=False)
    recovered = read(of_club, unfinished, partial(ahead.facts, reader), reader.facts_of_matches, ahead.tournaments)
    for error in recovered.damaged.values():
        if isinstance(error, StoreError) and not isinstance(error, DamagedLog):
            raise error  # the database fails at the moment, and the tournament is perhaps whole
    newest_ms = reader.newest_ms() if club_log.epoch else 0  # other nodes, with other clocks, may have led the club
    names = _names_in_records(reader) if problems else frozenset[str]()
    ids = reader.tournament_ids()
    return StoredClub(club_log, run_number, store.async_reader(name), ids, recovered, problems, names, newest_ms)


def _names_in_records(reader: LogReader) -> frozenset[str]:
    ids = reader.tournament_ids(over=True)
    return frozenset(line.name for each in ids for record in reader.ended([each]).values() for line in record.lines)


class Club:
    """A club in memory, with its arena, gateway, feed, house bots and site."""

    def __init__(
        self, name: str, shared: SharedByClubs, stored: StoredClub, added_in_other_clubs: Callable[[], int]
    ) -> None:
        """Put the club together. `added_in_other_clubs` returns the number of added house bots in all other clubs."""
        self.name = name
        self.log, self.reader = stored.log, stored.reader
        self.on_facts: list[Callable[[list[Numbered], Counter[type]], None]] = []
        """Functions called with the facts that have reached the disk, and with the number of facts by type."""
        self._shared = shared
        self._entry = shared.directory.get(name) or ClubEntry(name)
        house_keys = HouseKeys(shared.secret if name == MAIN else shared.secret_of("house", name))
        sessions = SessionRegistry(name)
        self.gate = None if shared.make_gate is None else shared.make_gate()
        self.arena = self._make_arena(stored, sessions, house_keys)
        self.arena.on_ban.append(shared.close_banned)
        self.gateway = self._make_gateway(sessions)
        self.feed = Feed(self.arena, self.log, Ranker(shared.clock.now_ms, run_on_thread), shared.fact_counts)
        self.house_bots = HouseBots(
            self.arena, house_keys, shared.house_runner, self._residents, name, added_in_other_clubs
        )
        self.site = Site(
            self.arena,
            ClubCommands(self.arena),
            self.log,
            self.reader,
            self.feed,
            self.house_bots,
            name,
            is_suspended=lambda: self.is_suspended,
        )
        self.arena.allowance.used_bytes = self.log.bytes
        try:
            self._read_settings()
            self._recover(stored)
            self._read_settings()  # again, because the recovery of main fills the directory, also with main's settings
            if self.log.trouble is not None:
                self.arena.on_trouble(self.log.trouble)
        except Exception:
            self.discard()  # so that no timer judges matches in an arena that nobody can reach
            raise
        self._register_with_log()

    def _make_arena(self, stored: StoredClub, sessions: SessionRegistry, house_keys: HouseKeys) -> Arena:
        """Make an empty arena. With a gate, the arena's timers and answers enter through the gate."""
        shared, gate, find_ended = self._shared, self.gate, stored.reader.find_ended
        return Arena(
            log=stored.log,
            clock=shared.clock if gate is None else GatedClock(shared.clock, gate, stored.newest_ms),
            sessions=sessions,
            run_number=stored.run_number,
            random=SystemRandom(),
            taken_ids=stored.taken_ids,
            grace_ms=shared.config.grace_ms,
            find_ended=find_ended if gate is None else gate.wrap_callback(find_ended),
            may_claim=house_keys.may_claim,
            run_pairing=shared.run_pairing if gate is None else gate.wrap_callback(shared.run_pairing),
            admission=shared.admission if self.name == MAIN else shared.admission.of_club(self.name),
            clubs=shared.directory,
            bounds=shared.config.bounds,
        )

    def _make_gateway(self, sessions: SessionRegistry) -> Gateway:
        """Make the gateway, which opens sessions of bots. With a gate, sessions call the arena through the gate."""
        shared, config = self._shared, self._shared.config
        own_identity = shared.secret_of("identity", self.name)[: len(shared.identity)]
        return Gateway(
            self.arena if self.gate is None else GatedArena(self.arena, sessions, self.gate),
            self.arena,
            sessions,
            shared.clock,
            shared.admission,
            PROGRAM,
            config.bounds.limits,
            identity=shared.identity if self.name == MAIN else own_identity,
            club=self.name,
            open_names=config.open_names,
        )

    def _register_with_log(self) -> None:
        """Register functions that the log calls with facts on disk, with troubles, and with sizes of facts."""
        self.log.on_durable.append(lambda batch: self.run_or_enqueue(partial(self._on_durable, batch)))
        self.log.on_trouble.append(lambda trouble: self.run_or_enqueue(partial(self.arena.on_trouble, trouble)))
        self.log.on_sizes.append(self.arena.challenges.spend)

    def run_or_enqueue(self, call: Callable[[], None]) -> None:
        """Run `call` in the arena: now, or when the lease of this node is valid again."""
        if self.gate is None:
            call()
        else:
            self.gate.run_or_enqueue(call)

    def _recover(self, stored: StoredClub) -> None:
        """Bring the recovered facts into the arena, and log errors about damaged rows.

        Facts recorded from now on are written to the database.
        """
        where = "" if self.name == MAIN else f"club {self.name}: "
        for problem in stored.problems.values():
            text = "%sfacts about names, hosts or bans are lost; anyone may claim a name that is in no tournament: %s"
            log.error(text, where, problem)
        if self.name == MAIN:
            self._shared.forget_main()
        restore_arena(self.arena, stored.recovered, lost_rows=stored.problems, played_before=stored.played_before)
        self.reader.register_damaged(stored.recovered.damaged)
        if stored.problems:
            why = "because the log may have lost which tokens were taken back"
            log.error("%sall host tokens are taken back, %s; make new tokens, and check the bans", where, why)

    # --- its settings ---

    def _read_settings(self) -> None:
        self._entry = self._shared.directory.get(self.name) or self._entry
        self.arena.allowance.quotas = self._entry.quotas

    def apply_settings(self) -> None:
        """Apply changed settings of the club from the `ClubDirectory`."""
        had_residents = self._entry.has_residents
        self._read_settings()
        self.run_or_enqueue(self.arena.scheduler.settle_all)
        if self._entry.has_residents != had_residents:
            self.house_bots.change_residents(self._residents)

    @property
    def _residents(self) -> tuple[str, ...]:
        return self._shared.config.house if self.name == MAIN or self._entry.has_residents else ()

    # --- its life ---

    def open_house(self) -> None:
        """Let the club's house bots connect: bots that wait for challenges, and bots of open tournaments."""
        self.house_bots.open()
        for name in self.house_bots.residents_with_taken_name():
            log.warning("no house bot %s: somebody else uses that name", name)

    @property
    def is_empty(self) -> bool:
        """True if no tournament goes on, no bot is connected or expected, and all facts are on disk.

        For main, and while the club is suspended, the value is false.
        """
        return (
            self.name != MAIN
            and not self.is_suspended
            and self.arena.is_idle
            and not self.gateway.has_sessions
            and not self.house_bots.bots()
            and self.log.durable == self.log.last
        )

    @property
    def is_suspended(self) -> bool:
        """True if nothing may be sent to the club's bots and visitors, because the lease of this node is over."""
        return self.gate is not None and not self.gate.is_open

    def suspend(self) -> None:
        """Suspend the club, because the lease of this node is over."""
        if self.gate is not None:
            self.gate.close()

    def disconnect_all(self) -> None:
        """End the connections of bots and the streams of visitors at once.

        Bots and visitors find the leader when they connect again.
        """
        if self.gate is not None:
            self.gate.were_bots_disconnected = True
        self.gateway.close_all_now(CloseCode.NO_LEADER)
        self.feed.end_streams()

    def resume(self) -> None:
        """Continue play in the club, because the lease is valid again."""
        if self.gate is not None:
            self.gate.reopen(self.arena)

    def resume_after_sleep(self, slept_ms: int) -> None:
        """Continue play after a sleep of the machine, as if the bots' connections had been closed meanwhile."""
        if self.gate is None:
            self.arena.resume(slept_ms, were_bots_disconnected=True)
        else:
            self.gate.resume_after_sleep(self.arena, slept_ms)

    def run_steps(self, failure: str, *steps: Callable[[], None]) -> None:
        """Take each of the steps. An error is logged, so that the other steps, and other clubs, are not held up.

        `failure` ends the line: "could not be stopped", for example.
        """
        for step in steps:
            try:
                step()
            except Exception:
                log.exception("club %s %s", self.name, failure)

    def discard(self) -> None:
        """Stop the club's matches here, and send nothing more to bots and visitors: another node leads the club."""
        if self.gate is not None:
            self.gate.discard()
        self.stop()

    def stop(self) -> None:
        """Stop judging matches. Running matches continue in the next run of the server, or at the next leader."""
        self.arena.stop()

    def close(self, code: CloseCode = CloseCode.DRAINING) -> None:
        """Send the frames that still wait for the disk. Close the connections of bots and the streams of visitors."""
        self.gateway.close_all_after_frames(code)
        self.feed.close()

    def _on_durable(self, batch: list[Numbered]) -> None:
        """Handle facts that have reached the disk, in this order: frames to bots, feed, house bots, other listeners."""
        shared = self._shared
        kinds: Counter[type] = Counter([type(fact) for _, fact in batch])
        if TournamentEnded in kinds:
            shared.ended.count(self.name, batch)
        self.arena.allowance.used_bytes = self.log.bytes
        self.arena.on_durable()
        self.feed.publish(batch, kinds)
        if not WATCHED_FACTS.isdisjoint(kinds):
            self.house_bots.on_durable(batch)
        for listener in self.on_facts:
            listener(batch, kinds)
