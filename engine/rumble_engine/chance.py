"""The pick of one outcome of chance by a random number, by exact arithmetic.

A referee that keeps the number can show later that the outcome was fixed by the number. Equal numbers pick equal
outcomes on every machine: no probability is rounded on the way.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

BITS = 256
"""The number of bits of a random number."""
NUMBERS = 1 << BITS
"""The number of different random numbers, which are from 0 to `NUMBERS` - 1."""


def drawn(chances: Sequence[tuple[int, float]], number: int) -> int:
    """Return the code that `number` picks from codes with probabilities.

    The codes share the numbers from 0 to `NUMBERS` - 1 in their order, each a part as large as its share of the sum of
    the probabilities. Raises ValueError if there is no such number or no code.
    """
    if not 0 <= number < NUMBERS:
        raise ValueError(f"a random number is from 0 to {NUMBERS - 1}")
    # A float is a whole number over a power of two. Over the largest of these powers, all probabilities are whole.
    ratios = [probability.as_integer_ratio() for _, probability in chances]
    bits = max((denominator.bit_length() for _, denominator in ratios), default=0)
    sums = list(accumulate([numerator << bits - denominator.bit_length() for numerator, denominator in ratios]))
    if not sums or not sums[-1]:
        raise ValueError("no outcome of chance has a probability")
    return chances[bisect_right(sums, number * sums[-1] >> BITS)][0]
