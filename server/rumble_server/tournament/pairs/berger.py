"""Berger tables: who meets whom in the rounds of a round-robin. Pure."""


def berger_round(bots: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of a round of a Berger table, board by board, with bots numbered from 0 and without the bye.

    `number` is the number of the round: from 1 to `bots - 1`, or to `bots` if `bots` is odd.

    The formula is FIDE Handbook C.05 Annex 1 in closed form. In the formula, bots are numbered from 1 to n, and n is
    even; in an odd field, player n is the bye. Bots i and j below n meet in the round r with i + j = r + 1 (mod n - 1),
    and the lower number is first if i + j is odd. Bot n meets the bot x with 2x = r + 1 (mod n - 1), and bot x
    is first if x <= n / 2.
    """
    n = bots + bots % 2
    ring = n - 1
    # 2x = r + 1 (mod n - 1) has a single solution, since n - 1 is odd: half of r + 1, or of r + 1 + (n - 1).
    x = (number + 1) // 2 if number % 2 else (number + 1 + ring) // 2
    x = (x - 1) % ring + 1
    pairs = []
    if n == bots:
        pairs.append((x - 1, n - 1) if x <= n // 2 else (n - 1, x - 1))
    for step in range(1, n // 2):
        low, high = sorted(((x - 1 + step) % ring, (x - 1 - step) % ring))
        pairs.append((low, high) if (low + high) % 2 else (high, low))
    return pairs


def berger_leads(bots: int) -> list[int]:
    """Return the lead of each bot in one cycle of the Berger table.

    The lead is the number of the bot's pairings as first bot, minus the number of its pairings as second bot.
    """
    if bots % 2:
        return [0] * bots
    return [1 if number < bots // 2 else -1 for number in range(bots)]
