import pytest
from rumble_server.cluster import told as tellings
from rumble_server.cluster.told import Event, EventReader, Told


def event(number: int, kind: str = "move", text: str = "") -> Event:
    data = f'id: {number}\nevent: {kind}\ndata: {{"text":"{text}"}}\n\n'
    return Event(number, kind.encode(), data.encode())


def texts(told: Told, number: int) -> str:
    """What a reader that was told up to this id is sent: the texts of the events."""
    chunks = told.since(number)
    assert chunks is not None
    data = b"".join(chunk.data for chunk in chunks).decode()
    return "".join(line.split('"')[3] for line in data.splitlines() if line.startswith("data"))


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_are_read_from_pieces_that_end_anywhere(size: int) -> None:
    events = [event(7, "snapshot", "all"), event(7, "move", "a"), event(9, "field")]
    data = b"retry: 2000\n\n" + events[0].data + b": keep-alive\n\n" + events[1].data + events[2].data
    reader = EventReader()
    found = [each for at in range(0, len(data), size) for each in reader.read(data[at : at + size])]
    assert found == events


def batches() -> list[Event]:
    """A snapshot, and batches up to 10 (a, b), 20 (c, d, e) and 30 (f): the last of each has its number."""
    numbered = [(5, "a"), (10, "b"), (10, "c"), (10, "d"), (20, "e"), (30, "f")]
    return [event(5, "snapshot"), *(event(number, text=text) for number, text in numbered)]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize(
    ("number", "missed"), [(5, "abcdef"), (9, "abcdef"), (10, "cdef"), (15, "cdef"), (20, "f"), (30, ""), (99, "")]
)
def test_whoever_was_told_up_to_an_id_is_sent_all_later_batches(size: int, number: int, missed: str) -> None:
    told, events = Told(), batches()
    for at in range(0, len(events), size):
        told.take(events[at : at + size])
    assert texts(told, number) == missed


def test_what_is_passed_on_is_what_came() -> None:
    told, events = Told(), batches()
    assert b"".join(chunk.data for chunk in told.take(events)) == b"".join(each.data for each in events)
    assert told.last == 30


def test_nothing_is_known_of_what_was_before_the_snapshot() -> None:
    told = Told()
    assert told.since(0) is None
    told.take(batches())
    assert told.since(4) is None
    told.take([event(40, "snapshot")])
    assert told.since(30) is None
    assert told.since(40) == []


def test_what_is_kept_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tellings, "MOST_KEPT_BYTES", 3 * len(event(20, text="a").data))
    told = Told()
    for each in batches():
        told.take([each])
    assert told.since(9) is None
    assert texts(told, 10) == "def" if told.since(10) else texts(told, 20) == "f"
    assert told.since(5) is None


def test_who_comes_back_is_told_the_field_last() -> None:
    told = Told()
    told.take(batches())
    assert told.resumed(20) is None, "the field is not known: a snapshot tells it"
    told.take([event(31, "field", "F")])
    told.take([event(32, text="g")])
    resumed = told.resumed(30)
    assert resumed is not None
    assert [chunk.data for chunk in resumed[-1:]] == [event(31, "field", "F").data]
    assert told.resumed(33) is None, "an id of the future"
