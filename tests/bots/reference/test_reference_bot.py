"""The common behaviour of all reference bots."""

import pytest
from rumble_bots.reference import (
    REFERENCE_BOTS,
    NoMove,
    make_reference_bot,
)

from tests.bots.reference.positions import at


@pytest.mark.parametrize("name", REFERENCE_BOTS)
def test_after_the_end_there_is_no_move_to_choose(name: str) -> None:
    with pytest.raises(NoMove, match="the game is over"):
        make_reference_bot(name).choose(at("XXXOO...."))
