from rumble_server.web.api.own_results import FaultView, LossView, OwnResults, ScoreView, merged


def loss(at_ms: int) -> LossView:
    return LossView(
        match=f"friday.1.1.1.{at_ms}",
        game="tictactoe",
        seat=0,
        against=["berta"],
        version="1",
        termination="timeout",
        reason="too late",
        at_ms=at_ms,
    )


def test_results_of_tournaments_are_put_together_in_any_order() -> None:
    shares = [
        OwnResults(
            last_loss=loss(at_ms),
            faults=[FaultView(kind="timeout", count=count, newest=loss(at_ms), turn=f"turn {at_ms}")],
            scores=[
                ScoreView(version="1", against="berta", won=1, lost=count),
                ScoreView(version="v", against="berta"),
                ScoreView(version="10", against="cem", drawn=at_ms),
            ],
        )
        for at_ms, count in ((5, 2), (9, 1), (7, 4))
    ]
    shares.append(OwnResults(faults=[FaultView(kind="flood", count=1, newest=loss(6))]))
    results = merged(shares)
    assert results == merged(shares[::-1])
    assert results.last_loss == loss(9)
    assert [(each.kind, each.count, each.turn) for each in results.faults] == [
        ("timeout", 7, "turn 9"),
        ("flood", 1, ""),
    ]
    assert [tuple(each.model_dump().values()) for each in results.scores] == [
        ("10", "cem", 0, 21, 0),
        ("1", "berta", 3, 0, 7),
        ("v", "berta", 0, 0, 0),
    ]
    assert merged([]) == OwnResults()
