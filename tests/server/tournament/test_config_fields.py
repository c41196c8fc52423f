from rumble_server.results.tiebreaks import TIEBREAKS
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.config_fields import config_fields
from rumble_server.tournament.formats import FORMATS


def test_every_field_is_told_in_sentences() -> None:
    fields = config_fields()
    groups = {name.partition(".")[0] for name in fields}
    assert groups | {"settings"} == set(TournamentConfig.model_fields)
    assert all(field.about.endswith(".") for field in fields.values())


def test_bounds_choices_and_defaults_are_those_of_the_model() -> None:
    fields = config_fields()
    assert fields["format"].choices == tuple(FORMATS)
    assert fields["openings"].choices == ("auto", "suite", "none")
    assert (fields["rounds"].minimum, fields["rounds"].maximum, fields["rounds"].default) == (1, 1000, None)
    assert fields["time_control.move_ms"].default == 10_000
    assert fields["tiebreak_rules"].default == "2026-03"
    assert fields["invite"].maximum == 64


def test_the_tiebreaks_to_choose_from_are_named() -> None:
    about = config_fields()["tiebreaks"].about
    assert set(about.replace(",", " ").replace(";", " ").split()) >= TIEBREAKS.keys() - {"buchholz"}  # as `bh`
