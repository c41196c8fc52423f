"""The bounds that protect a server from strangers, each with its unit and default.

A server gets its `Bounds` at the start. Bounds never change. The fields of `Bounds` itself are settings of `rumble
serve`, because operators have reasons to change them. The fields of `Constants` are no settings; only tests and
benchmarks use other values.
"""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from rumble_protocol.limits import Limits

from rumble_server.host.host_names import is_loopback
from rumble_server.limits.quotas import Quotas


def _no_truth(value: object) -> object:
    """Return a value unchanged. Raises ValueError for a boolean, which pydantic would accept as 0 or 1."""
    if isinstance(value, bool):
        raise ValueError("Input should be a whole number, not true or false")
    return value


Whole = Annotated[int, BeforeValidator(_no_truth)]
Count = Annotated[Whole, Field(ge=1)]
Bytes = Annotated[Whole, Field(ge=1)]
Milliseconds = Annotated[Whole, Field(ge=1)]
DEFAULTS = Limits()
"""The default limits of the protocol."""


class Constants(BaseModel):
    """Bounds with the same value on every server."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)

    frame_bytes: Bytes = DEFAULTS.frame_bytes
    """Maximum size of a bot's message in bytes, as told to bots. The longest move of any game is far shorter."""
    login_ms: Milliseconds = DEFAULTS.login_ms
    """Maximum time in ms from a new connection to its login, as told to bots.

    On a slow line a login takes about 1 s.
    """
    unsolicited_per_minute: Count = DEFAULTS.unsolicited_per_minute
    """Maximum number of a bot's messages in a minute that answer no turn, as told to bots. Bots need only a few."""
    invited_connections_per_address: Count = 256
    """Maximum number of connections of an address with valid invitations to the same tournament.

    They are counted apart from other connections, so that neighbours behind the same router cannot keep a class out.
    """
    header_bytes: Bytes = 65_536
    """Maximum size in bytes of the first line and the headers of an HTTP request, taken together.

    Each header counts 32 bytes more than its text. Browsers and proxies send a few thousand bytes.
    """
    header_ms: Milliseconds = 10_000
    """Maximum time in ms for the headers of an HTTP request. A very slow client must not hold a permit for long."""
    body_ms: Milliseconds = 10_000
    """Maximum time in ms for the body of an HTTP request, of at most 64 KiB.

    A very slow client must not hold a permit for long.
    """
    unread_ms: Milliseconds = 60_000
    """Maximum time in ms for which a client may leave an HTTP answer unread while bytes of the answer wait to be sent.

    Such answers take memory.
    """
    pipelined_requests: Count = 16
    """Maximum number of HTTP requests of a connection that wait for an earlier answer.

    Such requests take memory. Of a browser's requests, at most one waits.
    """
    bytes_per_iteration: Bytes = 65_536
    """Maximum number of bytes of a connection that are handled in an iteration of the event loop.

    The rest waits for the next iteration, so that other connections are served in between.
    """
    frames_per_iteration: Count = 256
    """Maximum number of frames of a connection that are handled in an iteration of the event loop.

    The rest waits for the next iteration, so that other connections are served in between.
    """
    strangers_ms_per_iteration: Milliseconds = 3
    """Maximum time in ms in an iteration of the event loop for the requests and frames of all connections together.

    The rest waits for the next iteration. Short answers to open turns are handled at once, so a crowd delays moves
    only a little.
    """
    empty_frames_per_10_s: Count = 1_000
    """Maximum number of control frames, empty frames, and frames after the close, of a connection in 10 s.

    Bots need no such frames; a library that sends pings by itself sends a few.
    """
    stranger_frame_bytes: Bytes = 4_096
    """Maximum size in bytes of a message before the login.

    Strangers can send such messages; a login has some hundred bytes.
    """
    stranger_messages_per_minute: Count = 2_400
    """Maximum number of messages before the login, in a minute, on all connections of an address. Logins count, too.

    A class of some hundred bots stays below this maximum, even if every bot connects again.
    """
    sessions_per_bot: Count = 16
    """Maximum number of sessions of a bot at the same time, one for each of its workers on any machine.

    Sessions take memory.
    """
    invited_names_per_hour: Count = 120
    """Maximum number of new names that an address may claim in an hour with a valid invitation to a tournament.

    New names are counted here only after `names_per_hour` is used up. So a class is not kept out by other people at the
    address who claim many names.
    """
    freed_names_per_minute: Count = 120
    """Maximum number of unused names that the server frees in a minute, to make room for new names.

    Only names of bots that have never played are freed. A name is freed if `names_per_hour` or the club's quota of
    names is used up. New names with a valid invitation are counted apart. Each new name costs a write to the database.
    """
    wrong_keys_of_owner_per_minute: Count = 20
    """Maximum number of wrong keys of a name, in a minute, from an address that has once presented the right key.

    These keys are counted apart from other wrong keys, so that guesses of neighbours cannot keep the owner out.
    """
    wrong_codes_per_minute: Count = 20
    """Maximum number of wrong invitations, join codes and slips of an address in a minute.

    A further wrong code is refused, and the answer says that there were too many wrong codes. A right code is never
    refused, because a class behind one address mistypes many codes.
    """
    open_challenges: Count = 256
    """Maximum number of open challenges of a club. Open challenges take memory."""
    open_challenges_at_one_bot: Count = 64
    """Maximum number of open challenges to a bot: as many as the bot may have matches at the same time."""
    challenges_per_address: Count = 64
    """Maximum number of open challenges of an address, even of loopback.

    Bots that joined a tournament by an invitation or a join code are not counted by address. All such bots of a
    tournament are counted together, with the same maximum. So a class with many names cannot keep others from
    challenges.
    """
    challenges_per_address_at_one_bot: Count = 8
    """Maximum number of open challenges of an address to one bot.

    Bots that joined a tournament by an invitation or a join code may have more, because the members of a class try
    their bots at the same time. All such bots of a tournament together may have `open_challenges_at_one_bot` minus this
    number.
    """
    challenge_bytes_per_day: Bytes = 268_435_456
    """Maximum number of bytes that challenges of an address, even of loopback, may add to the database in a day.

    A ply takes some 600 bytes. Bots that joined a tournament by an invitation or a join code are not counted by
    address. All such bots of a tournament are counted together, with the same maximum. Any bot may send challenges, but
    must not be able to fill the disk.
    """
    challenge_frames_ms: Milliseconds = 86_400_000
    """Time in ms for which the moves and frames of a challenge are kept after its end. Results are kept forever."""
    unhurried_challenges: Count = 8
    """Number of a bot's open challenges that makes the bot accept only clocks within `hurried_challenge_ms`.

    With fewer open challenges, the bot accepts any clock.
    """
    hurried_challenge_ms: Milliseconds = 600_000
    """Maximum in ms of `move_ms` + `bank_ms`, and of `increment_ms`, in a challenge to a bot that has at least
    `unhurried_challenges` open challenges.

    A silent bot takes up room until its clock has run out.
    """
    proxied_lag_ms: Milliseconds = 10_000
    """Maximum lag in ms, summed over a match, for which a seat gets extra time if only pings measure the lag.

    Behind a proxy, only pings measure the lag. A bot could delay its pongs to gain time.
    """
    kept_frame_bytes: Bytes = 2_048
    """Maximum number of bytes that transcripts keep of a bot's frame.

    Moves are far shorter, and longer frames would fill the disk.
    """
    main_bytes: Bytes = 10_737_418_240
    """Quota of `main` for bytes in the database, until the administrator gives `main` another quota."""
    club_tournaments: Count = 100
    """Quota of a club other than main for unfinished tournaments (no challenges).

    The administrator may give the club another quota.
    """
    club_house_bots: Count = 4
    """Quota of a club other than main for added house bots at the same time.

    The administrator may give the club another quota.

    Each house bot is a process.
    """
    idle_club_ms: Milliseconds = 600_000
    """Time in ms after which an idle club, without users and running tournaments, is unloaded from memory.

    A club with an occasional visitor stays loaded.
    """


class Bounds(Constants):
    """Bounds of a connection, an address, a name, a match and a club.

    An IPv6 network of 64 bits counts as one address.
    """

    ping_ms: Annotated[Milliseconds, Field(le=5_000)] = DEFAULTS.ping_ms
    """Time in ms between two pings to a bot. Bots give up a connection that is silent for 12 s."""
    pong_ms: Milliseconds = DEFAULTS.pong_ms
    """Time in ms without a pong after which a bot is away, unless the bot is on turn."""
    max_matches: Count = DEFAULTS.max_matches
    """Maximum number of matches of a bot at the same time. A bot that asks for more gets this number."""

    limit_loopback: bool = False
    """Apply the bounds of an address to loopback addresses, too. Wrong tries and challenges are always counted, because
    requests through a tunnel come from loopback."""
    connections_per_address: Count = 256
    """Maximum number of open connections of an address. Strangers, and connections with a valid invitation, are counted
    apart."""
    strangers_per_address: Count = 64
    """Maximum number of strangers of an address: open connections on which neither a login nor an HTTP request was
    completed. A stranger that has been open for 5 s gives way to a further connection, which waits up to 5 s for a
    place."""
    streams_per_address: Count = 128
    """Maximum number of open event streams of an address."""
    requests_per_minute: Count = 12_000
    """Maximum number of HTTP requests of an address in a minute. 40 browsers that load pages at the same time stay far
    below."""
    reading_ms_per_minute: Milliseconds = 40_000
    """Maximum time in ms in each minute for which the process that reads the log works for an address. The process
    makes exports, boards, pictures, checks, and pages of tournaments. An answer above 256 KiB costs 1 ms for each 4
    KiB."""
    wrong_tries_per_minute: Count = 20
    """Maximum number of wrong keys and tokens, counted together, that an address may show in a minute."""
    names_per_hour: Count = 120
    """Maximum number of new names that an address may claim in an hour. Names with a valid invitation are counted
    apart."""
    idle_ms: Milliseconds = 5_000
    """Maximum time in ms between two HTTP requests on a connection."""
    excused_ms: Milliseconds = 10_000
    """Maximum time in ms that is excused in an attempt at a match because the server was late. With more, the attempt
    is void. Time for which an answer waited unread in the kernel does not count."""
    rebuilt_results: Count = 100_000
    """Maximum number of results, some 2 KB each, that the process that reads the log keeps in rebuilt tournaments. The
    tournament that was asked for last always stays."""
    kept_answer_bytes: Bytes = 33_554_432
    """Maximum size in bytes of the kept answers about ended tournaments. Kept records of ended tournaments may take as
    much again. Answers and records that were asked for longest ago are dropped first."""
    club_bots: Count = 1_000
    """Quota of a club other than main for names of bots, unless the administrator gives the club another quota."""
    club_bytes: Bytes = 1_073_741_824
    """Quota of a club other than main for bytes in the database, unless the administrator gives the club another quota.
    Above the quota nothing new is created in the club, but existing tournaments go on."""
    club_matches: Count = 256
    """Quota of a club other than main for matches at the same time, unless the administrator gives the club another
    quota. Further matches wait."""
    address_days: Count = 30
    """Number of days for which the audit log keeps addresses."""
    lease_ms: Annotated[Whole, Field(ge=500)] = 5_000
    """Time in ms for which a server that shares its database leads without a renewal of its lease. The server renews
    the lease five times in this time."""

    def exempts(self, address: str) -> bool:
        """Return true if the bounds of an address do not apply to `address`."""
        return not self.limit_loopback and is_loopback(address)

    @property
    def limits(self) -> Limits:
        """The limits of a connection, as told to bots."""
        return Limits(**{name: getattr(self, name) for name in Limits.model_fields})

    @property
    def main_quotas(self) -> Quotas:
        """The quotas of main until the administrator gives main other quotas."""
        return Quotas(bytes=self.main_bytes)

    @property
    def club_quotas(self) -> Quotas:
        """The quotas of a club other than main until the administrator gives the club other quotas."""
        return Quotas(self.club_bots, self.club_tournaments, self.club_bytes, self.club_matches, self.club_house_bots)
