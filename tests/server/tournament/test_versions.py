from hypothesis import given
from hypothesis import strategies as st
from rumble_server.tournament.club_facts import VersionSaved
from rumble_server.tournament.versions import MOST_VERSIONS, StoredVersion, next_version, visible


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), max_size=3 * MOST_VERSIONS))
def test_the_newest_versions_of_the_present_owner_stay(steps: list[tuple[int, int]]) -> None:
    """Each step is a save by the present owner, or, at 0, by a new owner, with the bytes of the row."""
    stored: list[StoredVersion] = []
    since_ms, own = 0, list[int]()
    for at_ms, (owner, row_bytes) in enumerate(steps):
        if owner == 0:
            since_ms, own = at_ms, []
        saved = next_version(stored, since_ms, "anna", "python", "", at_ms)
        own.append(at_ms)
        dropped = [each for each in stored if each.row < saved.oldest]
        assert saved.freed_bytes == sum(each.row_bytes for each in dropped)
        stored = [*stored[len(dropped) :], StoredVersion(2 * at_ms + 1, row_bytes, saved)]
        assert [each.saved.at_ms for each in stored] == own[-MOST_VERSIONS:]
        assert [each.number for each in visible(stored, since_ms)] == list(range(1, len(own) + 1))[-MOST_VERSIONS:]


def test_an_owner_sees_no_version_from_before() -> None:
    stored = [StoredVersion(1, 9, VersionSaved("anna", 1, "python", "secret", 5))]
    assert (visible(stored, 6), len(visible(stored, 5))) == ([], 1)


def test_an_owner_sees_a_version_that_was_saved_after_the_clock_was_set_back() -> None:
    saved = next_version([], 500, "anna", "python", "mine", 100)
    stored = [StoredVersion(1, 9, saved)]
    assert [each.source for each in visible(stored, 500)] == ["mine"]
    assert next_version(stored, 500, "anna", "python", "", 200).number == 2
