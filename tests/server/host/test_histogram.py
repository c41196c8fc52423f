from rumble_server.host.histogram import BOUNDS_S, Histogram


def test_each_duration_is_in_the_first_bucket_that_has_room_for_it() -> None:
    histogram = Histogram()
    for duration_s in (0.0, BOUNDS_S[0], 0.00011, 0.02, 11.0):
        histogram.observe(duration_s)
    buckets = dict(histogram.buckets())
    assert (buckets["0.0001"], buckets["0.00025"], buckets["0.01"], buckets["0.025"]) == (2, 3, 3, 4)
    assert (buckets["10.0"], buckets["+Inf"]) == (4, 5)
    assert [name for name, _ in histogram.buckets()] == [*(str(bound) for bound in BOUNDS_S), "+Inf"]
    assert histogram.sum_s == 11.02021
