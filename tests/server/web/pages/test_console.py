import re

import httpx
import pytest
from rumble_engine import get_game
from rumble_server.tournament.config import TournamentConfig
from rumble_server.tournament.tables.refusals import refusal
from rumble_server.web.pages.console import FOR_TWO, form_groups, games_with_settings

from tests.server.web.memory_server import TOKEN, MemoryServer
from tests.server.web.pages.html import NASTY, Page


@pytest.mark.parametrize("path", ["/console", "/console/friday", "/console/nowhere"])
async def test_the_shell_is_for_anyone_and_holds_nothing(
    server: MemoryServer, browser: httpx.AsyncClient, path: str
) -> None:
    server.world.create(invite="hush", listed=False)
    answer = await browser.get(path)
    assert answer.status_code == 200
    page = Page(answer.text)
    assert page.refused == []
    assert "Host token" in page.text
    assert "hush" not in answer.text
    assert TOKEN not in answer.text
    for address in page.addresses:
        if address.startswith("/static/"):
            assert (await browser.get(address)).status_code == 200, address


async def test_an_id_is_text(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(f"/console/{NASTY.replace('/', '')}")
    assert "<script>alert" not in answer.text


def test_the_form_has_every_choice_of_a_tournament_and_its_meaning() -> None:
    fields = [field for group in form_groups() for field in group.fields]
    assert {field.name.partition(".")[0] for field in fields} | {"settings"} == set(TournamentConfig.model_fields)
    assert len({field.name for field in fields}) == len(fields)
    assert all(field.label and field.hint.endswith((".", ":")) for field in fields)


def test_the_form_shows_an_option_for_the_formats_that_have_it() -> None:
    shown = {field.name: field.formats for group in form_groups() for field in group.fields if field.formats}
    assert shown == {
        "cycles": "round-robin gauntlet",
        "rounds": "swiss",
        "pairing_rules": "swiss",
        "acceleration": "swiss",
        "challengers": "gauntlet",
        "replays": "knockout",
        "late_join": "round-robin",
    }


def test_above_two_seats_the_form_hides_options_that_a_tournament_of_tables_refuses() -> None:
    fields = {field.name: field for group in form_groups() for field in group.fields}
    assert {name for name, field in fields.items() if field.is_for_two} == set(FOR_TWO)
    given = {"late_join": True, "acceleration": "baku", "openings": "suite", "pairing_rules": "dutch-2026", "legs": 2}
    assert all(refusal({name: given[name]}) for name in FOR_TWO)
    assert "tables" not in fields["pairing_rules"].choices


async def test_each_game_brings_the_fields_of_its_settings(browser: httpx.AsyncClient) -> None:
    html = (await browser.get("/console")).text
    for game in games_with_settings():
        for setting in game.settings:
            assert f'id="s-{game.name}-{setting.name}"' in html
    assert get_game("connect4") in games_with_settings()


async def test_every_control_has_a_label_and_a_place_for_its_problem(browser: httpx.AsyncClient) -> None:
    html = (await browser.get("/console")).text
    controls = re.findall(r'id="([\w-]+)" data-(?:field|setting)="', html)
    assert len(controls) > 30
    for control in controls:
        assert f'for="{control}"' in html
        assert f'aria-describedby="{control}-hint {control}-error"' in html
        assert f'id="{control}-hint"' in html
        assert f'id="{control}-error"' in html


async def test_the_initial_choices_of_the_form_are_the_defaults_of_the_api(browser: httpx.AsyncClient) -> None:
    """The initial numbers and switches of the form are the defaults of the API."""
    defaults = TournamentConfig(name="any", game="tictactoe").model_dump()
    for group in form_groups():
        for field in group.fields:
            name, _, part = field.name.partition(".")
            expected = defaults[name][part] if part else defaults[name]
            if field.kind == "seconds":
                assert field.default == expected / 1000
            elif field.name not in ("name", "seats", "points", "seed_ratings"):
                assert field.default == expected


async def test_a_club_is_not_told_of_the_token_of_the_command_line(
    server: MemoryServer, browser: httpx.AsyncClient
) -> None:
    server.take_in("class-7", MemoryServer())
    shown = [(await browser.get(path)).text for path in ("/console", "/c/class-7/console")]
    assert ["--host-token</code> gives" in html for html in shown] == [True, False]
    assert "The administrator of the server can make one, too." in shown[1]
