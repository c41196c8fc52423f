"""Pairing by `py4swiss`'s own engine: the FIDE Dutch System in force until 31 January 2026."""

from rumble_server.results.trf import codes
from rumble_server.tournament.pairs.dutch.event import DutchEvent
from rumble_server.tournament.pairs.dutch.pairing import CannotBePaired, PairedRound


def pair_round(event: DutchEvent) -> PairedRound:
    """Pair the next round. Raises CannotBePaired."""
    from py4swiss.engines import DutchEngine
    from py4swiss.engines.common import PairingError

    try:
        pairs = [(pair.white - 1, pair.black - 1) for pair in DutchEngine.generate_pairings(_report(event))]
    except PairingError:
        raise CannotBePaired from None
    byes = [first for first, second in pairs if second < 0]
    return PairedRound(tuple(pair for pair in pairs if pair[1] >= 0), byes[0] if byes else None)


def _report(event: DutchEvent) -> object:
    """Return the event as the parsed TRF that `py4swiss` pairs from.

    `py4swiss` counts points from the results of rounds. The count is wrong if a round has several legs, or if a result
    gives other points than `py4swiss` expects. Therefore the true points minus the counted points are added to the
    virtual points, which `py4swiss` calls accelerations.
    """
    from py4swiss.trf import ParsedTrf, results, sections
    from py4swiss.trf.codes import PlayerCode

    system = results.ScoringPointSystem()
    for code, units in (("W", event.win), ("PAB", event.win), ("D", event.draw), ("L", event.loss), ("ZPB", 0)):
        system.apply_code(results.ScoringPointSystemCode(code), units)
    players, accelerations = [], {}
    for index, entries in enumerate(event.entries):
        rounds = [
            results.RoundResult(
                id=entry.opponent, color=results.ColorToken(entry.seat), result=results.ResultToken(entry.result)
            )
            for entry in entries
        ]
        players.append(
            sections.PlayerSection(
                code=PlayerCode.PLAYER,
                starting_number=index + 1,
                points_times_ten=entries[-1].points if entries else 0,
                rank=index + 1,
                results=rounds,
            )
        )
        counted, extra = 0, [event.virtual_points(index, 0)]
        for number, (entry, result) in enumerate(zip(entries, rounds, strict=True), 1):
            counted += system.get_points_times_ten(result)
            extra.append(entry.points - counted + event.virtual_points(index, number))
        accelerations[index + 1] = extra
    x_section = sections.XSection(
        number_of_rounds=event.rounds,
        zeroed_ids={index + 1 for index in event.absent},
        forbidden_pairs={(one + 1, two + 1) for one, two in event.forbidden},
        scoring_point_system=system,
        accelerations=accelerations,
    )
    if event.first_seat == codes.BLACK:
        x_section.configuration.first_round_color = False
    return ParsedTrf(player_sections=players, x_section=x_section)
