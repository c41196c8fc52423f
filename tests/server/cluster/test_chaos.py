"""Whatever links and leaders do, each frame is answered, and nothing of an old epoch is heard."""

from hypothesis import given
from hypothesis import strategies as st
from rumble_protocol.codes import NoticeCode
from rumble_server.arena.messages import notice

from tests.server.cluster.linked import KEY, club
from tests.server.frames import Frame


class Chaos:
    """Two bots on an edge that say numbered things, while links break and leaders change."""

    def __init__(self) -> None:
        self.node = club(unsolicited_per_minute=100_000)
        self.bots = [self.node.bot(name, key=KEY) for name in ("ann", "ben")]
        self.said: list[list[str]] = [[], []]
        self.leaders = [self.node.leader]
        for bot in self.bots:
            bot.link.on_frame.append(self._look)

    def _look(self, frame: Frame) -> None:
        if frame["type"] == "notice":
            assert frame["message"] == f"epoch {self.node.edge.epoch}"

    def do(self, what: str, number: int) -> None:
        node, pipe = self.node, self.node.pipe
        match what:
            case "say":
                who = number % 2
                self.said[who].append(f"t{len(self.said[who])}")
                self.bots[who].say(type="join", tournament=self.said[who][-1])
            case "run":
                node.run(number)
            case "cut" if pipe is not None:
                pipe.cut()
            case "connect" if pipe is None:
                node.connect()
            case "freeze" if pipe is not None:
                pipe.is_frozen = True
            case "thaw" if pipe is not None:
                pipe.thaw()
            case "succeed":
                node.follow(node.leader.successor())
                self.leaders.append(node.leader)
            case "tell":  # every leader that there was still believes that it leads
                for leader in self.leaders:
                    for peer in leader.lead._peers.values():
                        for session_id in list(peer.sessions):
                            leader.lead.send(session_id, notice(NoticeCode.DRAINING, f"epoch {leader.epoch}"))

    def settle(self) -> None:
        if self.node.pipe is not None:
            self.node.pipe.thaw()
            self.node.cut()
        self.node.connect()
        self.node.run(2000)

    def answered(self, who: int) -> list[str]:
        """What the bot was answered about, in order."""
        return [frame["message"].rpartition(" ")[2].strip("'") for frame in self.bots[who].inbox.all("error")]


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "say", "run", "run", "cut", "connect", "freeze", "thaw", "tell"]),
        st.integers(0, 5),
    ),
    max_size=60,
)


@given(EVENTS)
def test_whatever_links_do_each_frame_is_answered_once_and_in_order(events: list[tuple[str, int]]) -> None:
    chaos = Chaos()
    for what, number in events:
        chaos.do(what, number)
    chaos.settle()
    assert [chaos.answered(who) for who in (0, 1)] == chaos.said
    assert [bot.link.closed for bot in chaos.bots] == [None, None]


@given(st.lists(EVENTS, min_size=2, max_size=4))
def test_whoever_leads_each_frame_is_answered_and_nothing_of_an_old_epoch_is_heard(
    eras: list[list[tuple[str, int]]],
) -> None:
    chaos = Chaos()
    for events in eras:
        for what, number in events:
            chaos.do(what, number)
        chaos.do("succeed", 0)
    chaos.settle()
    for who in (0, 1):
        answered = chaos.answered(who)
        assert list(dict.fromkeys(answered)) == chaos.said[who]
        last = [answered.index(said) for said in chaos.said[who]]
        assert last == sorted(last)
    assert [bot.link.closed for bot in chaos.bots] == [None, None]
