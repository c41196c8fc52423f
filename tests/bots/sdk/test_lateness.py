from rumble_bots.sdk.lateness import DECAY, Lateness


def test_the_worst_counts_and_fades() -> None:
    lateness = Lateness()
    lateness.see(-5)
    assert lateness.ms == 0
    lateness.see(100)
    lateness.see(20)
    assert lateness.ms == 100 * DECAY
    lateness.see(99)
    assert lateness.ms == 99
    for _ in range(1000):
        lateness.see(-1)
    assert lateness.ms < 0.001
