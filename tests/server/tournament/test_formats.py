"""The descriptions of formats."""

import pytest
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.formats import FORMATS, formats_with


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_describes_itself(name: str) -> None:
    described = FORMATS[name]
    assert described.options < set(TournamentConfig.model_fields)
    assert all(set(formats_with(option)) < set(FORMATS) for option in described.options)
    assert described.title.casefold().startswith(name)
    assert described.has_bracket == described.table_schedule.has_bracket
