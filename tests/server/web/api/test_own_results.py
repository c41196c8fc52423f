import orjson
from rumble_server.web.api.own_results import Fault, Loss, Score, Share, merged


def loss(at_ms: int) -> Loss:
    return Loss(f"friday.1.1.1.{at_ms}", "tictactoe", 0, ["berta"], "1", "timeout", "too late", at_ms)


def test_results_of_tournaments_are_put_together_in_any_order() -> None:
    shares = [
        {
            "last_loss": loss(at_ms),
            "faults": {"timeout": Fault(count, loss(at_ms), turn=f"turn {at_ms}")},
            "scores": [Score("1", "berta", won=1, lost=count), Score("v", "berta"), Score("10", "cem", drawn=at_ms)],
        }
        for at_ms, count in ((5, 2), (9, 1), (7, 4))
    ]
    shares.append({"last_loss": None, "faults": {"flood": Fault(1, loss(6))}, "scores": []})
    told = [merged(map(orjson.dumps, order)).as_json() for order in (shares, shares[::-1])]
    assert told[0] == told[1]
    assert told[0]["last_loss"]["at_ms"] == 9
    assert [(each["kind"], each["count"], each["turn"]) for each in told[0]["faults"]] == [
        ("timeout", 7, "turn 9"),
        ("flood", 1, ""),
    ]
    assert [tuple(each.values()) for each in told[0]["scores"]] == [
        ("10", "cem", 0, 21, 0),
        ("1", "berta", 3, 0, 7),
        ("v", "berta", 0, 0, 0),
    ]


def test_without_tournaments_there_is_nothing_to_tell() -> None:
    assert merged([]).as_json() == Share().as_json() == {"last_loss": None, "faults": [], "scores": []}
