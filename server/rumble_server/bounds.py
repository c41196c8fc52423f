"""Every bound that keeps a server fit for strangers, with its unit and default.

Each is an option of `rumble serve`, an environment variable and a key of the settings file (see `config.py`). What bots
are told of in `welcome.limits` is in the protocol's `Limits`.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from rumble_server.quotas import Quotas

Count = Annotated[int, Field(ge=1)]
Bytes = Annotated[int, Field(ge=1)]
Milliseconds = Annotated[int, Field(ge=1)]


class Bounds(BaseModel):
    """What one connection, one address, one name, one match and one club may use. An IPv6 /64 is one address."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    limit_loopback: bool = False
    """Whether the bounds of an address hold for loopback addresses, too. Wrong tries and challenges are always
    counted: a tunnel comes from loopback."""

    connections_per_address: Count = 256
    """Open connections of one address, beside strangers."""
    invited_connections_per_address: Count = 256
    """Open connections of one address that showed a valid invitation, beside the others."""
    strangers_per_address: Count = 64
    """Open connections of one address that have neither logged in nor completed an HTTP request; one more waits up to
    5 s, and then the oldest that has been there as long gives way."""
    streams_per_address: Count = 128
    """Open event streams of one address."""
    requests_per_minute: Count = 12_000
    """HTTP requests a minute of one address; 40 browsers that load pages at the same time stay far below it."""
    reading_ms_per_minute: Milliseconds = 40_000
    """Time a minute that one address may use, in ms, of the process that reads the log, draws and checks: exports,
    boards, pictures, pages of tournaments. Answers beyond 256 KiB cost a ms for each 4 KiB."""

    header_bytes: Bytes = 65_536
    """Bytes of all headers of one HTTP request, its first line included, and 32 more for each header."""
    header_ms: Milliseconds = 10_000
    """Time for the headers of one HTTP request, in ms."""
    body_ms: Milliseconds = 10_000
    """Time for the body of one HTTP request, in ms."""
    idle_ms: Milliseconds = 5_000
    """Time between two HTTP requests on one connection, in ms."""
    unread_ms: Milliseconds = 60_000
    """Time for which the reader of an HTTP answer may take nothing of it while more waits to be sent, in ms."""
    pipelined_requests: Count = 16
    """HTTP requests of one connection that wait for the answer to an earlier one."""

    bytes_per_turn: Bytes = 65_536
    """Bytes of one connection that are handled in one turn of the event loop; the rest waits for the next."""
    frames_per_turn: Count = 256
    """Frames of one connection that are handled in one turn of the event loop; the rest waits for the next."""
    strangers_ms_per_turn: Milliseconds = 8
    """Time in one turn of the event loop for requests and frames of all connections together, in ms; the rest waits for
    the next turn. Short answers to open turns are handled at once."""
    empty_frames_per_10_s: Count = 1_000
    """Control and empty frames that one connection may send in 10 s."""

    stranger_frame_bytes: Bytes = 4_096
    """Bytes of one message before the login; a larger one closes the connection."""
    stranger_messages_per_minute: Count = 2_400
    """Messages a minute that all connections of one address may send before their login, logins included."""
    sessions_per_bot: Count = 16
    """Sessions of one bot at the same time, one for each of its workers, whatever machines they are on."""
    names_per_hour: Count = 120
    """New names that one address may claim in an hour."""
    invited_names_per_hour: Count = 120
    """New names that one address may claim in an hour with a valid invitation to a tournament, beside the others."""
    freed_names_per_minute: Count = 120
    """New names a minute that one address may claim beyond these, each in the place of one that it claimed and that
    has not played: the bot of that one is away for a minute, and its name is free again."""
    wrong_tries_per_minute: Count = 20
    """Wrong keys, tokens and invitations that one address may show in a minute, all together."""
    wrong_keys_of_owner_per_minute: Count = 20
    """Wrong keys in a minute for a name from an address that has once shown the right one."""
    wrong_invites_per_tournament: Count = 100
    """Wrong invitations in a minute to one tournament, from all addresses."""
    open_challenges: Count = 256
    """Open challenges on the whole server: each takes memory."""
    open_challenges_at_one_bot: Count = 64
    """Open challenges at one bot."""
    challenges_per_address: Count = 64
    """Open challenges of one address (loopback, too), or of all who are in one tournament by invitation."""
    challenges_per_address_at_one_bot: Count = 8
    """The same, at one bot."""
    challenge_bytes_per_day: Bytes = 268_435_456
    """Bytes in the database that challenges of one address (loopback, too), or of all who are in one tournament by
    invitation, may take in a day, some 600 a ply; beyond them running matches end, and a new challenge is refused."""
    challenge_frames_ms: Milliseconds = 86_400_000
    """Time for which the moves and frames of a challenge are kept after its end, in ms; its result stays."""
    unhurried_challenges: Count = 8
    """Open challenges at one bot from which on further ones to it are bounded by `hurried_challenge_ms`."""
    hurried_challenge_ms: Milliseconds = 600_000
    """Most of `move_ms` and `bank_ms` together of a challenge to a bot that has many open, in ms."""

    excused_ms: Milliseconds = 10_000
    """Time by which one attempt of a match may be excused for the server's lateness, in ms; beyond it it is void. What
    the kernel tells of the time for which an answer lay unread is not part of it."""
    proxied_lag_ms: Milliseconds = 10_000
    """Lag that one seat may be allowed in one match when only pings measured it (behind a proxy), in ms."""

    rebuilt_results: Count = 100_000
    """Results of tournaments that the process that reads the log keeps rebuilt, some 2 KB each; the one that was asked
    for last stays, whatever its size."""
    kept_answer_bytes: Bytes = 33_554_432
    """Bytes of answers about tournaments that are over, kept for the next who asks; the one used longest ago goes."""
    kept_frame_bytes: Bytes = 2_048
    """Bytes of a bot's frame that are kept to the letter in transcripts."""
    main_bytes: Bytes = 10_737_418_240
    """Bytes in the database that main may have, unless the administrator gives it another quota; beyond them nothing
    new is created there, and what was created goes on."""
    club_bots: Count = 1_000
    """Names of bots in another club, unless the administrator gives it another quota."""
    club_tournaments: Count = 100
    """The same for tournaments that are not over, without challenges."""
    club_bytes: Bytes = 1_073_741_824
    """The same for bytes in the database; beyond them nothing new is created, and what was created goes on."""
    club_matches: Count = 256
    """The same for matches at once; more of them wait."""
    club_house_bots: Count = 4
    """The same for added house bots at the same time."""

    idle_club_ms: Milliseconds = 600_000
    """Time after which a club that nobody uses and in which nothing runs is taken out of memory, in ms."""
    address_days: Count = 30
    """Days for which the audit log keeps addresses."""
    lease_ms: Annotated[int, Field(ge=500)] = 5_000
    """Time for which a node of several leads clubs without a renewal, in ms; it renews each fifth of it."""

    @property
    def main_quotas(self) -> Quotas:
        """The quotas of main while the administrator has given no others."""
        return Quotas(bytes=self.main_bytes)

    @property
    def club_quotas(self) -> Quotas:
        """The quotas of a club for which the administrator gives no others."""
        return Quotas(self.club_bots, self.club_tournaments, self.club_bytes, self.club_matches, self.club_house_bots)
