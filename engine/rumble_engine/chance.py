"""The choice of an outcome of chance from a random number, in exact arithmetic.

A referee that keeps the number can show later that the number alone has fixed the outcome. Equal numbers pick equal
outcomes on every machine, because no probability is rounded on the way.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

BITS = 256
"""The number of bits of a random number."""
NUMBERS = 1 << BITS
"""The number of different random numbers, which are from 0 to `NUMBERS` - 1."""


def drawn(chances: Sequence[tuple[int, float]], number: int) -> int:
    """Return the code that `number` picks from `chances`, a list of codes with their probabilities.

    The numbers from 0 to `NUMBERS` - 1 are divided among the codes, in the order of the codes and in proportion to the
    probabilities. Raises ValueError if `number` is out of this range, or if no code has a probability above 0.
    """
    if not 0 <= number < NUMBERS:
        raise ValueError(f"a random number is from 0 to {NUMBERS - 1}")
    # A float is a whole number divided by a power of two. Times the largest of these powers, all floats are whole.
    ratios = {each: each.as_integer_ratio() for each in {probability for _, probability in chances}}
    bits = max((denominator.bit_length() for _, denominator in ratios.values()), default=0)
    wholes = {each: numerator << bits - denominator.bit_length() for each, (numerator, denominator) in ratios.items()}
    sums = list(accumulate([wholes[probability] for _, probability in chances]))
    if not sums or not sums[-1]:
        raise ValueError("no outcome of chance has a probability")
    return chances[bisect_right(sums, number * sums[-1] >> BITS)][0]
