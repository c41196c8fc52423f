from rumble_bots.knowledge.worths import scores


def test_a_score_is_the_mean_chance_to_last_longer() -> None:
    assert scores([2.0, 1.0]) == [0.8, 0.2]
    assert scores([0.0, 0.0]) == [0.5, 0.5]
    assert scores([3.0, -2.0, -1.0]) == [1.0, 0.0, 0.5]
    assert scores([-1.0, -1.0]) == [0.5, 0.5]
