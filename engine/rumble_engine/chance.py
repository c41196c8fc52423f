"""The pick of one outcome of chance by a random number, by exact arithmetic.

A referee that keeps the number can show later that the outcome was fixed by the number. Equal numbers pick equal
outcomes on every machine: no probability is rounded on the way.
"""

from collections.abc import Sequence

NUMBERS = 1 << 256
"""The number of different random numbers, which are from 0 to `NUMBERS` - 1."""
FINEST = 1074
"""The fraction bits of the smallest float; each float is a whole multiple of 2 to the power of -`FINEST`."""


def drawn(chances: Sequence[tuple[int, float]], number: int) -> int:
    """Return the code that `number` picks from codes with probabilities.

    The codes share the numbers from 0 to `NUMBERS` - 1 in their order, each a part as large as its share of the sum of
    the probabilities. Raises ValueError if there is no such number or no code.
    """
    if not 0 <= number < NUMBERS:
        raise ValueError(f"a random number is from 0 to {NUMBERS - 1}")
    weights = [_weight(probability) for _, probability in chances]
    passed, wanted = 0, number * sum(weights)
    for (code, _), weight in zip(chances, weights, strict=True):
        passed += weight
        if wanted < passed * NUMBERS:
            return code
    raise ValueError("no outcome of chance has a probability")


def _weight(probability: float) -> int:
    """Return a probability times 2 to the power of `FINEST`, which is a whole number."""
    numerator, denominator = probability.as_integer_ratio()
    return numerator * ((1 << FINEST) // denominator)
