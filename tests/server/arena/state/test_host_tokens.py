"""Host tokens: known by hashes, replaced and removed by facts."""

from rumble_server.arena.state.host_tokens import HostToken, HostTokens
from rumble_server.arena.state.names_and_keys import digest_of
from rumble_server.tournament.club_facts import HostTokenRemoved, HostTokenSet, HostTokensRemoved


def token(name: str, secret: str, at_ms: int = 1) -> HostTokenSet:
    return HostTokenSet(name, "0a", digest_of(secret, "0a"), at_ms)


def test_a_token_is_known_by_its_name_until_it_is_replaced_or_taken_back() -> None:
    tokens = HostTokens(lambda shown: shown == "the administrator's")
    assert tokens.holder("") is None
    for fact in (token("default", "first"), token("ada", "second", 2)):
        tokens.apply(fact)
    assert [tokens.holder(each) for each in ("first", "second", "third")] == ["default", "ada", None]
    tokens.apply(token("default", "third", 3))
    assert [tokens.holder(each) for each in ("first", "second", "third")] == [None, "ada", "default"]
    tokens.apply(HostTokenRemoved("ada", 4))
    tokens.apply(HostTokenRemoved("ada", 5))
    assert tokens.holder("second") is None
    assert tokens.listed() == [HostToken("default", 3)]
    assert tokens.holder("the administrator's") == "administrator"
    tokens.apply(HostTokensRemoved((5,), 6))
    assert (len(tokens), tokens.holder("third")) == (0, None)
