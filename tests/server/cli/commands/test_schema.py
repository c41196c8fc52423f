import json
from pathlib import Path

from rumble_protocol.asyncapi import document
from rumble_protocol.schema import schemas
from rumble_server.cli.main import run

from tests.server.cli.run_here import Captured, printed


def test_schema_is_printed_as_one_object(capsys: Captured) -> None:
    assert json.loads(printed(capsys, "schema")) == schemas()


def test_schema_is_written_as_files(tmp_path: Path, capsys: Captured) -> None:
    assert run(["schema", "--out", str(tmp_path / "out")]) == 0
    written = {path.name: json.loads(path.read_text()) for path in (tmp_path / "out").iterdir()}
    assert written == schemas()
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "out" / name) for name in schemas()]


def test_the_asyncapi_document_is_printed_or_written(tmp_path: Path, capsys: Captured) -> None:
    assert json.loads(printed(capsys, "schema", "--asyncapi")) == document()
    assert run(["schema", "--asyncapi", "--out", str(tmp_path / "out")]) == 0
    assert json.loads((tmp_path / "out" / "asyncapi.json").read_text()) == document()
