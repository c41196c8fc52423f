"""Choosing an outcome of chance by a random number, in exact arithmetic.

No probability is rounded, so the same number picks the same outcome on every machine. A referee can store the number,
to prove the choice later.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

BITS = 256
"""Number of bits of a random number for chance."""
NUMBERS = 1 << BITS
"""Number of different random numbers: they are from 0 to `NUMBERS` - 1."""


def drawn(chances: Sequence[tuple[int, float]], number: int) -> int:
    """Return the code that `number` picks from `chances`, a list of codes with their probabilities.

    The numbers from 0 to `NUMBERS` - 1 are divided among the codes, in the order of the codes and in proportion to the
    probabilities. Raises ValueError if `number` is out of this range, or if no code has a probability above 0.
    """
    wholes = _wholes({probability for _, probability in chances}, number)
    sums = list(accumulate([wholes[probability] for _, probability in chances]))
    if not sums or not sums[-1]:
        raise ValueError("no outcome of chance has a probability")
    return chances[bisect_right(sums, number * sums[-1] >> BITS)][0]


def drawn_evenly(first: float, each: float, others: int, number: int) -> int:
    """Return the index that `number` picks among 1 + `others` outcomes, without a list of the outcomes.

    Outcome 0 has the probability `first`, and each of the other outcomes has the probability `each`. From a list of
    the same outcomes, `drawn` picks the same index. Raises ValueError if `number` is out of range, or if no outcome has
    a probability above 0.
    """
    wholes = _wholes({first, each}, number)
    total = wholes[first] + others * wholes[each]
    if not total:
        raise ValueError("no outcome of chance has a probability")
    beyond = (number * total >> BITS) - wholes[first]
    return 0 if beyond < 0 else 1 + beyond // wholes[each]


def _wholes(probabilities: set[float], number: int) -> dict[float, int]:
    """Return an integer for each probability, keyed by the probability.

    Each integer is the probability times a power of two. The power is the same for all probabilities, so the integers
    have the same proportions. Raises ValueError if `number`, the caller's random number, is out of range.
    """
    if not 0 <= number < NUMBERS:
        raise ValueError(f"a random number is from 0 to {NUMBERS - 1}")
    # A float is a whole number divided by a power of two. Times the largest of these powers, all floats are whole.
    ratios = {each: each.as_integer_ratio() for each in probabilities}
    bits = max((denominator.bit_length() for _, denominator in ratios.values()), default=0)
    return {each: numerator << bits - denominator.bit_length() for each, (numerator, denominator) in ratios.items()}
