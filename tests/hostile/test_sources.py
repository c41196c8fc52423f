"""Sources of requests: clients with many addresses, behind a proxy, or with forged headers are still counted."""

import contextlib
from collections.abc import Iterator

import pytest
from rumble_server.limits.bounds import Bounds

from tests.hostile.attacker import PING, PONG, Attacker, RawBot, Refused, frame, is_open
from tests.hostile.conftest import NAMES_PER_HOUR, STRANGERS
from tests.hostile.target import Target, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long]

MOST = Bounds().wrong_tries_per_minute
OK, UNAUTHORIZED, FORBIDDEN, TOO_MANY_REQUESTS = 200, 401, 403, 429
TOO_MANY_MESSAGES = 4008
NETWORK, NEIGHBOUR = "2001:db8:0:{:x}::{:x}", 0x77
"""An IPv6 address in a network of 64 bits; the number of a network without attackers."""
KEY = "key-of-someone-of-many-addresses"


def code_of_login(attacker: Attacker, name: str) -> int | None:
    """Log in, and return the close code; None if the login is accepted, the status if there is no connection."""
    try:
        with attacker.login(name, key=KEY) as bot:
            return None if bot.until("session", "error")["type"] == "session" else bot.closed()
    except Refused as refused:
        return refused.status


def speaks(bot: RawBot) -> None:
    """Send a ping before a login, so that the connection does not give way to another."""
    bot.send(frame(PING, b"here"))
    assert (PONG, b"here") in bot.frames()


def guess(attacker: Attacker) -> int:
    return attacker.ask("/api/host", "Authorization: Bearer guess-number-of-a-thief\r\n")


def test_all_addresses_of_an_ipv6_network_have_one_bucket(server: Target, attacker: Attacker) -> None:
    """A /64 has 2^64 addresses: names and wrong tries of all of them count together."""
    codes = [
        code_of_login(server.proxied(NETWORK.format(1, number)), f"six-{number}")
        for number in range(1, NAMES_PER_HOUR + 4)
    ]
    assert codes == [None] * NAMES_PER_HOUR + [TOO_MANY_MESSAGES] * 3
    answers = [guess(server.proxied(NETWORK.format(1, number))) for number in range(1, MOST + 6)]
    assert (answers[0], answers[-1]) == (UNAUTHORIZED, TOO_MANY_REQUESTS)
    other = server.proxied(NETWORK.format(NEIGHBOUR, 1))
    assert (code_of_login(other, "other-network"), guess(other)) == (None, UNAUTHORIZED)


def test_strangers_of_an_ipv6_network_count_together(server: Target, attacker: Attacker) -> None:
    with contextlib.ExitStack() as opened:
        for number in range(STRANGERS):
            speaks(opened.enter_context(server.proxied(NETWORK.format(2, number + 1)).bot()))
        assert code_of_login(server.proxied(NETWORK.format(2, 0xFFFF)), "late-six") == TOO_MANY_REQUESTS
        assert code_of_login(server.proxied(NETWORK.format(3, 1)), "next-six") is None


def test_a_stranger_gains_nothing_by_a_forged_header(server: Target, attacker: Attacker) -> None:
    """Only the proxy is believed: each try counts for the socket's address, and no header makes a try local."""
    forged = [f"203.0.113.{number}" for number in range(MOST + 5)]
    answers = [guess(Attacker(attacker.port, attacker.address, each)) for each in forged]
    assert (answers[0], answers[-1]) == (UNAUTHORIZED, TOO_MANY_REQUESTS)
    assert guess(server.proxied(forged[-1])) == UNAUTHORIZED, "who was named has nothing to do with it"
    for header in ("X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "X-Real-IP: 127.0.0.1"):
        assert attacker.ask("/metrics", f"{header}\r\n") in (UNAUTHORIZED, TOO_MANY_REQUESTS)
        assert server.proxied("198.51.100.1").ask("/metrics", f"{header}\r\n") == UNAUTHORIZED


def test_behind_a_proxy_what_a_client_wrote_itself_is_not_believed(server: Target, attacker: Attacker) -> None:
    """A proxy appends the client's address; earlier entries are the client's invention."""
    answers = [guess(server.proxied(f"198.51.100.{number}, 203.0.113.200")) for number in range(MOST + 5)]
    assert (answers[0], answers[-1]) == (UNAUTHORIZED, TOO_MANY_REQUESTS)
    assert guess(server.proxied("198.51.100.1")) == UNAUTHORIZED


def test_a_flood_behind_a_proxy_is_its_clients_own(server: Target, attacker: Attacker) -> None:
    """A client of the proxy opens and sends as much as it can; the proxy's other clients come in as before."""
    flooder, other = server.proxied("203.0.113.66"), server.proxied("203.0.113.67")
    with contextlib.ExitStack() as opened:
        for _ in range(STRANGERS):
            speaks(opened.enter_context(flooder.bot()))
        for _ in range(STRANGERS):
            with pytest.raises(Refused) as refused:
                flooder.bot()
            assert refused.value.status == TOO_MANY_REQUESTS
        with other.login("behind-the-same-proxy", key=KEY) as bot:
            bot.until("session")
            assert other.ask("/api/tournaments") == OK
            bot.say(type="nonsense")
            assert bot.until("error")["code"] == "bad_message"


class Banning:
    """Bans that are lifted at the end."""

    def __init__(self, server: Target) -> None:
        self._server = server
        self._bans: list[dict[str, str]] = []

    def ban(self, **whom: str) -> None:
        self._server.host.post("/api/bans", json={**whom, "reason": "floods"}).raise_for_status()
        self._bans.append(whom)

    def lift(self) -> None:
        while self._bans:
            self._server.host.post("/api/bans/lift", json=self._bans.pop()).raise_for_status()


@pytest.fixture
def banning(server: Target) -> Iterator[Banning]:
    made = Banning(server)
    yield made
    made.lift()


def is_shut_out(attacker: Attacker, name: str) -> bool:
    """Return whether both browsers and bots of this address are refused."""
    pages = {attacker.ask(path) for path in ("/", "/api/tournaments", "/healthz", "/static/style.css")}
    assert pages in ({FORBIDDEN}, {OK})
    return pages == {FORBIDDEN} and code_of_login(attacker, name) == FORBIDDEN


def test_who_is_banned_by_address_does_not_come_back_under_a_new_name(
    server: Target, attacker: Attacker, banning: Banning
) -> None:
    """Open connections end, including a browser's; a forged header does not help; the name is free from elsewhere."""
    bot, sock = attacker.login("shut-out", key=KEY), attacker.socket()
    with bot, sock:
        bot.until("session")
        sock.sendall(attacker.get("/api/tournaments"))
        assert sock.recv(1)
        banning.ban(address=attacker.address)
        assert wait_until(lambda: bot.closed() is not None)
        while sock.recv(1 << 16):
            pass
    assert is_shut_out(attacker, "shut-out")
    assert is_shut_out(attacker, "shut-out-2")
    assert is_shut_out(Attacker(attacker.port, attacker.address, "203.0.113.9"), "shut-out-3")
    assert code_of_login(server.attacker(), "shut-out") is None
    banning.lift()
    assert code_of_login(attacker, "shut-out") is None


def test_who_is_banned_by_name_does_not_come_back_from_another_address(
    server: Target, attacker: Attacker, banning: Banning
) -> None:
    """The name stays banned at any address, in any case; its address is not banned."""
    with attacker.login("Banned-Name", key=KEY) as bot:
        bot.until("session")
        banning.ban(name="banned-name")
        assert bot.until("error")["code"] == "banned"
    for elsewhere in (attacker, server.attacker(), server.proxied("203.0.113.80")):
        for name in ("Banned-Name", "BANNED-NAME"):
            assert code_of_login(elsewhere, name) == 4011
    assert attacker.ask("/api/tournaments") == OK
    assert code_of_login(attacker, "another-name") is None


def test_a_ban_of_an_ipv6_address_is_one_of_its_network_and_not_of_the_proxy(
    server: Target, attacker: Attacker, banning: Banning
) -> None:
    with server.proxied(NETWORK.format(5, 1)).login("six-banned", key=KEY) as bot:
        bot.until("session")
        banning.ban(address=NETWORK.format(5, 1))
        assert bot.closed() == 4011
    for number in (1, 2, 0xFFFF):
        assert is_shut_out(server.proxied(NETWORK.format(5, number)), "six-again")
    assert is_shut_out(server.proxied(f"198.51.100.7, {NETWORK.format(5, 3)}"), "six-once-more")
    assert code_of_login(server.proxied(NETWORK.format(6, 1)), "six-of-next-door") is None


def test_a_banned_owner_of_an_entrant_does_not_play_on(server: Target, attacker: Attacker, banning: Banning) -> None:
    """The bot comes back to its match by no other address; its opponent is told of the end as usual."""
    cup = server.create(start_at_bots=2, legs=1, time_control={"move_ms": 60_000})
    other = server.attacker()
    with attacker.login("owner-of-a-bot", key=KEY, join=cup) as bad, other.login("fair", key=KEY, join=cup) as fair:
        bad.until("match_start")
        fair.until("match_start")
        banning.ban(address=attacker.address)
        assert bad.closed() == 4011
        assert is_shut_out(attacker, "owner-of-a-bot")
        banning.ban(name="owner-of-a-bot")
        assert code_of_login(server.attacker(), "owner-of-a-bot") == 4011
        server.host.post(f"/api/tournaments/{cup}/cancel").raise_for_status()
        assert fair.until("tournament_over")["status"] == "cancelled"


def test_connections_of_a_proxy_outlive_a_ban_of_one_of_its_clients(
    server: Target, attacker: Attacker, banning: Banning
) -> None:
    """A bot behind the proxy plays on when another client of the same proxy is banned."""
    with server.proxied("203.0.113.90").login("stays", key=KEY) as stays:
        stays.until("session")
        banning.ban(address="203.0.113.91")
        assert is_shut_out(server.proxied("203.0.113.91"), "goes")
        stays.say(type="nonsense")
        assert stays.until("error")["code"] == "bad_message"
        assert is_open(stays.sock)


def test_a_ban_leaves_who_shares_nothing_with_it_alone(server: Target, attacker: Attacker, banning: Banning) -> None:
    """A network of 64 addresses is banned: neighbouring addresses are not."""
    banning.ban(address="203.0.113.0/26")
    assert is_shut_out(server.proxied("203.0.113.63"), "inside")
    outside: list[RawBot] = []
    with contextlib.ExitStack() as opened:
        for number in (64, 127):
            bot = server.proxied(f"203.0.113.{number}").login(f"outside-{number}", key=KEY)
            outside.append(opened.enter_context(bot))
        assert {bot.until("session", "error")["type"] for bot in outside} == {"session"}
