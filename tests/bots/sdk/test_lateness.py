from rumble_bots.sdk.lateness import DECAY, Lateness


def test_the_worst_counts_and_fades() -> None:
    lateness = Lateness()
    lateness.record(-5)
    assert lateness.ms == 0
    lateness.record(100)
    lateness.record(20)
    assert lateness.ms == 100 * DECAY
    lateness.record(99)
    assert lateness.ms == 99
    for _ in range(1000):
        lateness.record(-1)
    assert lateness.ms < 0.001
